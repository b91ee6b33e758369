// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fovea-memory/fovea"
	afar "github.com/fovea-memory/fovea/internal/client"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/stores"
)

// askAgain is after how long who waits for the store looks for a daemon again: the
// one who holds the store may be about to become one.
const askAgain = 250 * time.Millisecond

// openOrMeet opens the memory, or finds the daemon that has it open: then s.far is
// set, and s.memory is not. A verb that holds the store for a moment is waited for.
func (s *session) openOrMeet(ctx context.Context, with func(*fovea.Options)) error {
	for end := time.Now().Add(lockWait); ; {
		if err := s.meet(ctx); s.far != nil || err != nil {
			return err
		}
		err := s.open(ctx, askAgain, with)
		if fovea.KindOf(err) != fovea.Conflict || ctx.Err() != nil {
			return err
		}
		if time.Now().After(end) {
			if s.alone {
				return fmt.Errorf("%w; leave out --no-daemon to ask a daemon", err)
			}
			return fmt.Errorf("%w; try again when that has ended", err)
		}
	}
}

// meet finds the daemon, if there is one and it is wanted.
func (s *session) meet(ctx context.Context) error {
	if s.alone || s.adopt {
		return nil
	}
	far, err := daemon.Connect(ctx, &s.config, s.clientOptions())
	if err == nil {
		s.far = far
	}
	if _, answered := errors.AsType[*fovea.Error](err); answered {
		return err
	}
	if err != nil && !errors.Is(err, daemon.ErrNone) {
		s.say("%v", err) // no daemon of ours listens in such a place
	}
	return nil
}

func (s *session) clientOptions() *afar.Options {
	return &afar.Options{
		Agent: s.config.Agent, Session: s.config.Session, Project: s.config.Project,
		Warn: s.warn,
	}
}

// beginHere begins the store of a memex that has none in this process, before a daemon
// has it: what there is to say about that reaches whoever asked. Another process may
// begin it first and start the daemon, whose client is returned then; it is nil otherwise.
func (s *session) beginHere(ctx context.Context) (*afar.Client, error) {
	if stores.Begun(s.config.StateDir) {
		return nil, nil
	}
	if err := s.openOrMeet(ctx, func(*fovea.Options) {}); err != nil {
		return nil, err
	}
	if far := s.far; far != nil {
		s.far = nil
		return far, nil
	}
	s.endAlerts()
	err := s.memory.Close()
	s.memory = nil
	return nil, err
}

// lingers is how long a daemon that nobody asked for stays without a client.
const lingers = 10 * time.Minute

// background returns a client of the daemon, which is started if need be.
func (s *session) background(ctx context.Context, more ...string) (*afar.Client, error) {
	opts := s.clientOptions()
	far, err := daemon.Connect(ctx, &s.config, opts)
	if !errors.Is(err, daemon.ErrNone) {
		return far, err
	}
	if far, err = s.beginHere(ctx); far != nil || err != nil {
		return far, err
	}
	command, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, 2*lockWait)
	defer stop()
	return daemon.Start(ctx, &s.config, opts, command, append([]string{"serve", "--json", "--memex", s.config.Memex}, more...)...)
}
