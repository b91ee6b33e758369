// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/alert"
	afar "github.com/fovea-memory/fovea/internal/client"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/lru"
	"github.com/fovea-memory/fovea/internal/store"
)

// lockWait is how long a verb waits for another process: long enough for a read to finish,
// short enough for a person to wait.
const lockWait = 10 * time.Second

// session is one run of the command: its global flags and the memory it opened.
type session struct {
	flags config.Flags
	json  bool
	quiet bool
	adopt bool
	anew  bool // start a new history even if another store has these notes
	alone bool // use no daemon

	out    *stream // the answer
	err    *stream // everything else
	config config.Config
	memory *fovea.Memory     // nil with a daemon
	far    *afar.Client      // nil without a daemon
	alerts *alert.Queue      // nil without sinks
	opened bool              // or an attempt failed
	ids    map[string]string // known to Emacs; nil until read
	growth int               // see letGrow
	drawn  drawing
	warned lru.Map[string, bool] // recent warnings; guarded by drawn.mu
}

// service returns the memory that the flags name: the daemon's if one runs, else one opened
// in this process.
func (s *session) service(ctx context.Context) (api.Service, error) {
	if err := s.load(); err != nil {
		return nil, err
	}
	if err := s.openOrMeet(ctx, func(*fovea.Options) {}); err != nil {
		return nil, err
	}
	if s.far != nil {
		return s.far.Service, nil
	}
	return api.NewLocal(s.memory, &api.LocalOptions{
		Project: s.config.Project, Session: s.config.Session,
		Budget: s.config.Budget, Threshold: s.config.SemanticThreshold,
		Progress: s.progress, Warn: s.warn,
	}), nil
}

// load reads the configuration.
func (s *session) load() (err error) {
	if s.config, err = config.Load(nil, s.flags, ""); err != nil {
		return misuse{err}
	}
	for _, p := range s.config.Problems {
		s.say("%s", p)
	}
	s.sayHere()
	return nil
}

// sayHere prints which folder is the memex if it was inferred and is not obvious: a parent
// folder, or one without a memory yet.
func (s *session) sayHere() {
	if !s.config.Here {
		return
	}
	dir, err := os.Getwd()
	if err != nil || dir != s.config.Memex {
		s.say("the memex is %s, which this folder belongs to", s.config.Memex)
	} else if !config.HasMemory(s.config.StateDir) {
		s.say("the memex is this folder, %s; a memory of it begins", s.config.Memex)
	}
}

// open opens the memory in this process; with may change the options.
func (s *session) open(ctx context.Context, wait time.Duration, with func(*fovea.Options)) (err error) {
	keys := s.config.Keys(nil)
	if keys.Problem != "" && !s.opened {
		s.say("%s", keys.Problem)
	}
	s.opened = true
	s.letGrow(growBriefly)
	opts := &fovea.Options{
		StateDir: s.config.StateDir, Actor: author.Actor{Session: s.config.Session},
		SkillsDir: s.config.SkillsDir, Opaque: s.config.Opaque, Projects: s.config.Projects,
		ElsewhereID: s.elsewhere, Command: "fovea", Wait: wait, Adopt: s.adopt, Anew: s.anew, Stores: storesDir(), Log: s.log(),
		Signer: keys.Signer, Verifiers: keys.Verifiers, Relaxed: time.Duration(s.config.RelaxedMs) * time.Millisecond,
		Org: s.config.Org, HistoryWarn: int64(s.config.HistoryWarnMb) << 20, Guard: s.config.Guard,
		Alert: s.alert,
	}
	if w := s.config.Witness(nil); w != nil { // without a key too: it remembers signed histories
		opts.Witness = w
	}
	with(opts)
	if s.memory, err = fovea.Open(ctx, s.config.Memex, opts); err != nil {
		s.memory = nil
		return err
	}
	s.startAlerts(opts.Log)
	st := s.memory.Status()
	if st.Kin != "" {
		s.say("%s", st.Kin)
	}
	if st.Recovered != "" {
		s.say("recovered: %s", st.Recovered)
	}
	switch {
	case st.ReadOnly == "":
	case errors.Is(s.memory.Writable(), store.ErrCorrupt):
		s.say("read-only: %s; see fovea verify, then fovea repair", st.ReadOnly)
	default:
		s.say("read-only: %s", st.ReadOnly)
	}
	if st.Signature != "" {
		s.say("signature: %s", st.Signature)
	}
	return nil
}

// elsewhere reports whether Emacs has seen an id outside the memex. It reads the list at the
// first link to an unknown id.
func (s *session) elsewhere(id string) bool {
	if s.ids == nil {
		s.ids = s.config.KnownIDs(nil)
	}
	file, known := s.ids[id]
	rel, err := filepath.Rel(s.config.Memex, file)
	return known && (err != nil || !filepath.IsLocal(rel))
}

// ask calls an operation and prints the answer: as JSON, or with show.
func ask[Q, A any](s *session, c *cobra.Command, op api.Op[Q, A], req Q, show func(A)) error {
	answer, err := call(s, c, op, req)
	if err != nil {
		return err
	}
	return s.give(answer, func() { show(answer) })
}

// call opens the memory and calls an operation as the owner, in the name that --agent gives,
// if any.
func call[Q, A any](s *session, c *cobra.Command, op api.Op[Q, A], req Q) (answer A, err error) {
	out, err := callAny(s, c, op.Operation, req)
	if err != nil {
		return answer, err
	}
	return out.(A), nil
}

// callAny is call for types known only at run time.
func callAny(s *session, c *cobra.Command, op *api.Operation, req any) (any, error) {
	defer s.working()()
	svc, err := s.service(c.Context())
	if err != nil {
		return nil, err
	}
	return svc(api.WithGrant(c.Context(), api.Grant{Agent: s.config.Agent, Role: api.Owner}), api.Call{Op: op, Request: req})
}

// give prints an answer: as JSON, or with show.
func (s *session) give(answer any, show func()) error {
	if s.json {
		return s.print(answer)
	}
	show()
	return nil
}

// close ends the run. Everything acknowledged is already on disk.
func (s *session) close() error {
	if s.far != nil {
		s.far.Close()
	}
	if s.memory == nil {
		return nil
	}
	s.endAlerts() // before another process can open the memory
	return s.memory.Close()
}

// print writes a value as JSON.
func (s *session) print(v any) error {
	return s.out.json(v)
}
