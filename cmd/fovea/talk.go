// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/query"
)

// say prints a message unless --quiet is given.
func (s *session) say(format string, a ...any) {
	if !s.quiet {
		s.tell(fmt.Sprintf(format, a...))
	}
}

// tell prints a message, with --quiet too.
func (s *session) tell(text string) {
	s.drawn.mu.Lock()
	defer s.drawn.mu.Unlock()
	s.drawn.wipe(s.err.file)
	s.talk(text)
}

// minWarned is the number of recent warnings remembered for deduplication.
const minWarned = 64

// warn prints each warning once: an operation that reads the folder twice finds it twice. A
// read-only store is omitted, since opening it printed that.
func (s *session) warn(err error) {
	if s.memory != nil && fovea.KindOf(err) == fovea.ReadOnly {
		return
	}
	s.drawn.mu.Lock()
	again, _ := s.warned.Get(err.Error())
	s.warned.Size = minWarned
	s.warned.Set(err.Error(), true)
	s.drawn.mu.Unlock()
	if !again {
		s.say("%v", err)
	}
}

// log returns the log of this process, which prints like tell.
func (s *session) log() *slog.Logger { return slog.New(&told{s: s}) }

// told is a log handler that prints to standard error.
type told struct {
	s    *session
	with []slog.Attr
}

func (t *told) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (t *told) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	add := func(a slog.Attr) bool {
		text += fmt.Sprintf("; %s: %v", a.Key, a.Value)
		return true
	}
	for _, a := range t.with {
		add(a)
	}
	r.Attrs(add)
	if r.Level >= slog.LevelError {
		t.s.tell(text)
	} else {
		t.s.warn(errors.New(text))
	}
	return nil
}

func (t *told) WithAttrs(with []slog.Attr) slog.Handler {
	return &told{t.s, slices.Concat(t.with, with)}
}

func (t *told) WithGroup(string) slog.Handler { return t } // Fovea logs no groups

// talk writes to standard error, after the program's name.
func (s *session) talk(text string) {
	fmt.Fprintln(s.err, s.err.folded("fovea: "+text, 2))
}

// complain prints an error: as text, or as JSON.
func (s *session) complain(err error) {
	s.clear()
	if !s.json {
		s.talk(err.Error())
		if wrong, ok := errors.AsType[*query.SyntaxError](err); ok && wrong.Excerpt() != "" {
			fmt.Fprintln(s.err, wrong.Excerpt())
		}
		if e, ok := bothSides(err); ok {
			fmt.Fprintf(s.err, "--- as it is now\n%s\n--- as you would have it\n%s\n",
				strings.TrimRight(e.Theirs, "\n"), strings.TrimRight(e.Mine, "\n"))
		}
		return
	}
	out := map[string]string{"error": err.Error(), "kind": kindOf(err).String()}
	if e, ok := bothSides(err); ok {
		out["mine"], out["theirs"] = e.Mine, e.Theirs
	}
	_ = s.err.json(out)
}

// bothSides returns err as a conflict that holds both versions.
func bothSides(err error) (*fovea.Error, bool) {
	e, ok := errors.AsType[*fovea.Error](err)
	return e, ok && e.Kind == fovea.Conflict && e.Theirs != ""
}
