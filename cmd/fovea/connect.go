// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/stores"
)

// retryInterval is how often a command that waits for the store checks for a daemon: the holder may become one.
const retryInterval = 250 * time.Millisecond

// openOrConnect opens the memory, or sets s.daemon to the daemon that has it open. It waits up to lockWait for a verb
// that holds the store. Errors: errUnwanted.
func (s *session) openOrConnect(ctx context.Context, with func(*fovea.Options)) error {
	for end := time.Now().Add(lockWait); ; {
		if s.opening.starter != 0 && os.Getppid() != s.opening.starter {
			return errUnwanted
		}
		if err := s.connect(ctx); s.daemon != nil || err != nil {
			return err
		}
		err := s.open(ctx, &s.config, retryInterval, with)
		if fovea.KindOf(err) != fovea.Conflict || ctx.Err() != nil {
			return err
		}
		if time.Now().After(end) {
			if s.opening.Alone {
				return fmt.Errorf("%w; leave out --no-daemon to ask a daemon", err)
			}
			return fmt.Errorf("%w; try again when that has ended", err)
		}
	}
}

// errUnwanted is returned in a daemon whose starter exited before the daemon had the store. It could
// start serving after fovea serve --stop. On Windows, which does not show such an exit, it still may.
var errUnwanted = errors.New("the process that started this daemon has exited")

// connect connects to the daemon, if one runs and is wanted.
func (s *session) connect(ctx context.Context) error {
	if s.opening.Alone || s.opening.Adopt {
		return nil
	}
	c, err := daemon.Connect(ctx, &s.config, s.clientOptions())
	if err == nil {
		s.daemon = c
		reportSettings(s)
	}
	if _, answered := errors.AsType[*fovea.Error](err); answered {
		return err
	}
	if err != nil && !errors.Is(err, daemon.ErrNone) {
		s.Report("%v", err) // another program listens there
	}
	return nil
}

// reportSettings names the settings in which the daemon differs from this process; those of the daemon apply.
func reportSettings(s *session) {
	var others []string
	for key, own := range s.config.Digests() {
		carried := key == "budget" || key == "semantic_threshold" || key == "log_limit" // sent with requests
		if theirs := s.daemon.Met.Settings[key]; theirs != "" && theirs != own && !carried {
			others = append(others, key)
		}
	}
	if len(others) > 0 && s.config.Budget > 0 && s.config.Settled() {
		s.Report("the daemon of this memex has other settings than this shell: %s; its settings apply until fovea serve --stop",
			strings.Join(slices.Sorted(slices.Values(others)), ", "))
	}
}

func (s *session) clientOptions() *httpapi.ClientOptions {
	return &httpapi.ClientOptions{Agent: s.config.Agent, Session: s.config.Session, Project: s.config.Project, Warn: s.warn}
}

// createStore creates the store of a new memex here, so that its messages reach the caller. It returns a client only if
// another process created the store first and started the daemon, else nil.
func (s *session) createStore(ctx context.Context) (*httpapi.Client, error) {
	if stores.Begun(s.config.StateDir) {
		return nil, nil
	}
	if err := s.openOrConnect(ctx, nil); err != nil {
		return nil, err
	}
	if c := s.daemon; c != nil {
		s.daemon = nil
		return c, nil
	}
	s.alerts.stop()
	err := s.memory.Close()
	s.memory = nil
	return nil, err
}

// startDaemon returns a client of the daemon and starts it if necessary.
func (s *session) startDaemon(ctx context.Context, args ...string) (*httpapi.Client, error) {
	opts := s.clientOptions()
	c, err := daemon.Connect(ctx, &s.config, opts)
	if !errors.Is(err, daemon.ErrNone) {
		return c, err
	}
	if c, err = s.createStore(ctx); c != nil || err != nil {
		return c, err
	}
	command, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, 2*lockWait)
	defer stop()
	args = append([]string{"serve", "--json", "--memex", s.config.Memex, "--starter", strconv.Itoa(os.Getpid())}, args...)
	return daemon.Start(ctx, &s.config, opts, command, args...)
}

// implicitIdle is how long a daemon that was started implicitly stays without a client.
const implicitIdle = 10 * time.Minute

// shared returns the service of a daemon, so that clients share one memory. It starts the daemon, again after it exits.
func (s *session) shared(ctx context.Context) (api.Service, error) {
	if s.opening.Alone {
		return s.service(ctx)
	}
	if err := loadOrAsk(ctx, s); err != nil {
		return nil, err
	}
	idle := []string{"--idle", implicitIdle.String()}
	c, err := s.startDaemon(ctx, idle...)
	if err != nil {
		return nil, err
	}
	c.OnLoss(func(ctx context.Context) error {
		again, err := s.startDaemon(ctx, idle...)
		if err == nil {
			again.Close()
		}
		return err
	})
	s.daemon = c
	return asking(s), nil
}

// guarded limits each call to the grant of its context. A daemon does that itself.
func (s *session) guarded(svc api.Service) api.Service {
	if s.daemon != nil {
		return svc
	}
	return ops.Guarded(svc)
}
