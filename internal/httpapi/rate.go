// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/lru"
	"github.com/fovea-memory/fovea/internal/share"
)

const (
	// Of its writes in a minute an agent may make one of so many at once.
	atOnceOf = 30
	// A write that would be in time so soon waits instead of being refused.
	shortWait = 250 * time.Millisecond
	// So many agents are remembered at least.
	remembered = 10_000
)

// rates counts the writes of each agent.
type rates struct {
	perMinute int // at least 1

	mu     sync.Mutex
	agents lru.Map[limitedAs, *rate.Limiter]
}

// limitedAs is whose writes are counted together: what somebody calls itself does not count
// for the agent that has a token of that name.
type limitedAs struct {
	bearer share.Bearer
	agent  string
}

func (l *rates) of(agent limitedAs) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.agents.Get(agent)
	if !ok {
		one = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), max(l.perMinute/atOnceOf, 1))
		l.agents.Size = remembered
		l.agents.Set(agent, one)
	}
	return one
}

// errTooOften is why a write of an agent is refused that would have to wait long.
var errTooOften = errors.New("too many writes")

// limited is a middleware that bounds how often an agent writes: a little too often waits,
// much too often is refused.
func (s *Server) limited(next api.Service) api.Service {
	return func(ctx context.Context, c api.Call) (any, error) {
		if g := api.GrantOf(ctx); c.Op.Effect != api.Reads && g.Role != api.Owner {
			if err := s.turn(ctx, limitedAs{g.Bearer(), g.Agent}); err != nil {
				return nil, &fovea.Error{Op: c.Op.Name, What: g.Agent, Kind: fovea.Busy, Err: err}
			}
		}
		return next(ctx, c)
	}
}

// turn returns when an agent may write.
func (s *Server) turn(ctx context.Context, agent limitedAs) error {
	turn := s.rates.of(agent).Reserve()
	wait := turn.Delay()
	switch {
	case wait > shortWait:
		turn.Cancel()
		return fmt.Errorf("%w, more than %d a minute; wait a second", errTooOften, s.rates.perMinute)
	case wait > 0:
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
