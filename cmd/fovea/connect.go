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

// askAgain is how often a command that waits for the store lock checks for a daemon: the
// process that holds the lock may be starting as one.
const askAgain = 250 * time.Millisecond

// openOrMeet opens the memory, or connects to the daemon that has it open and sets s.far
// instead of s.memory. It waits up to lockWait for a verb that holds the store.
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

// meet connects to the daemon, if one runs and is wanted.
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
		s.say("%v", err) // no daemon of Fovea's listens there
	}
	return nil
}

func (s *session) clientOptions() *afar.Options {
	return &afar.Options{
		Agent: s.config.Agent, Session: s.config.Session, Project: s.config.Project,
		Warn: s.warn,
	}
}

// beginHere creates the store of a new memex in this process, so that its messages reach the
// caller and not the daemon's log. It returns a client only if another process created the
// store first and started the daemon, else nil.
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

// lingers is how long a daemon that was started implicitly stays without a client.
const lingers = 10 * time.Minute

// background returns a client of the daemon and starts it if necessary.
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
