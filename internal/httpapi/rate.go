// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/fault"
)

const (
	// burstShare is the divisor of an agent's writes per minute for a burst; keptShare, that of a burst for
	// an operation that keeps a whole state.
	burstShare = 30
	keptShare  = 4
	// maxWait is how long a write may wait instead of being refused.
	maxWait = 250 * time.Millisecond
	// minAgents is the number of agents whose rates are kept.
	minAgents = 10_000
)

// rates counts the writes of each agent.
type rates struct {
	mu        sync.Mutex
	perMinute int // at least 1
	// By bearer and name: a name that a client chose does not count for the agent that has a token of that name.
	agents bound.Map[string, *rate.Limiter]
}

// limit restarts the count if the limit changed.
func (l *rates) limit(perMinute int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.perMinute != perMinute {
		l.perMinute = perMinute
		l.agents.Clear()
	}
}

func (l *rates) of(agent string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.agents.Get(agent)
	if !ok {
		one = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), max(l.perMinute/burstShare, 1))
		l.agents.Size = minAgents
		l.agents.Set(agent, one)
	}
	return one
}

// errTooOften refuses a write that would wait longer than maxWait.
var errTooOften = errors.New("too many writes")

// limited is middleware that limits an agent's writes: slightly above the limit they wait, far above it they are refused.
func (s *Server) limited(next api.Service) api.Service {
	return func(ctx context.Context, c api.Call) (any, error) {
		if g := author.GrantOf(ctx); c.Op.Effect != api.Reads && g.Role != api.Owner {
			if err := s.turn(ctx, string(api.BearerOf(g))+" "+g.Agent, c.Op.History && c.Op.Effect == api.Writes); err != nil {
				return nil, fault.Wrap(c.Op.Name, g.Agent, fault.Busy, err)
			}
		}
		return next(ctx, c)
	}
}

// turn returns when an agent may write. Keeping a whole state counts as a part of a burst, see keptShare.
func (s *Server) turn(ctx context.Context, agent string, keeps bool) error {
	limiter, writes := s.rates.of(agent), 1
	if keeps {
		writes = max(limiter.Burst()/keptShare, 1)
	}
	soon, stop := context.WithTimeout(ctx, maxWait)
	defer stop()
	if limiter.WaitN(soon, writes) == nil {
		return nil
	}
	perMinute := int(math.Round(float64(limiter.Limit()) * 60))
	return cmp.Or(ctx.Err(), fmt.Errorf("%w, more than %d a minute; wait a second", errTooOften, perMinute))
}
