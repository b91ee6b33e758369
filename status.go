// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/view"
)

// Status describes the state of a memory. Memory.Status leaves empty the fields that depend
// on the reader or take a pass over all nodes: WithoutID, Diagnostics, Lockdown and
// Unreviewed; package api fills them.
type Status struct {
	Memex             string             `json:"memex" jsonschema:"the folder"`
	StateDir          string             `json:"state_dir" jsonschema:"the folder that the memory is kept in"`
	Scope             string             `json:"scope" jsonschema:"memex, project/NAME or session/ID"`
	Scopes            []string           `json:"scopes,omitempty" jsonschema:"the other scopes"`
	Root              string             `json:"root" jsonschema:"the digest of the whole state"`
	Head              string             `json:"head" jsonschema:"the digest of the newest commit"`
	Seq               uint64             `json:"seq" jsonschema:"the number of the newest commit"`
	Nodes             int                `json:"nodes" jsonschema:"number of documents and headlines"`
	Documents         int                `json:"documents" jsonschema:"number of documents"`
	WithoutID         int                `json:"without_id" jsonschema:"headlines whose id is derived"`
	Diagnostics       int                `json:"diagnostics" jsonschema:"number of places that a person may want to check"`
	DiagnosticList    []document.Problem `json:"diagnostic_list,omitempty" jsonschema:"the places, if asked for"` // here: files and scopes that could not be read
	Drift             []string           `json:"drift" jsonschema:"files that differ from memory on purpose"`
	Missing           []string           `json:"missing,omitempty" jsonschema:"files that the folder has lost and memory keeps"`
	Lockdown          []string           `json:"lockdown" jsonschema:"protected files withheld because another program changed them"`
	Unreviewed        []string           `json:"unreviewed,omitempty" jsonschema:"protected files shown although another program changed them, not reviewed"`
	PendingEmbeddings int                `json:"pending_embeddings" jsonschema:"number of nodes whose text has no vector yet"`
	Embedder          string             `json:"embedder,omitempty" jsonschema:"the model that makes vectors, or why there is none"`
	ReadOnly          string             `json:"read_only,omitempty" jsonschema:"why nothing can be written"`
	Recovered         string             `json:"recovered,omitempty" jsonschema:"what was repaired at the last opening"`
	Kin               string             `json:"-"` // another store with these notes, how to adopt it, or ""
	History           int64              `json:"history" jsonschema:"bytes of journal and packs"`
	Large             string             `json:"large,omitempty" jsonschema:"a hint that history could be thinned"` // see Options.HistoryWarn
	SignedBy          string             `json:"signed_by,omitempty" jsonschema:"the known key that signed the head"`
	Signature         string             `json:"signature,omitempty" jsonschema:"why the newest signature does not vouch for the head"`
	Baselines         string             `json:"baselines,omitempty" jsonschema:"why the list of trusted protected files cannot be verified"`
	Configuration     string             `json:"configuration,omitempty" jsonschema:"why the configuration file has no effect, or which settings wait"`
}

// Status returns the status of the memory, at low cost. It does not wait for writers.
func (m *Memory) Status() Status {
	writable := m.Writable()
	defer m.scope.Chain.Reading()()
	at, t := m.scope.Chain.Head(), ingest.ReportOf(m.folder)
	v := at.Derived.(*view.View)
	s := Status{
		Memex: m.scope.Dir, StateDir: m.scope.StateDir, Scope: m.scope.Name, Root: v.Root().String(), Seq: v.Head().Seq,
		Nodes: v.Len(), Documents: v.DocumentCount(), Drift: slices.Sorted(maps.Keys(m.scope.DriftAt(at))),
		Missing: slices.Clone(t.Missing), Recovered: skippedOnOpen(m.scope),
	}
	if s.Seq > 0 {
		s.Head = v.Head().Digest.String()
	}
	for _, p := range t.Problems {
		s.DiagnosticList = append(s.DiagnosticList, document.Problem{Path: p.Path, Kind: string(p.Kind), Message: p.Err.Error()})
	}
	if m.scope.Parent == nil {
		s.Kin = m.memex.kin
		names, err := m.Scopes()
		if s.Scopes = names; err != nil {
			s.DiagnosticList = append(s.DiagnosticList, document.Problem{Path: scope.Folder, Kind: "scope", Message: err.Error()})
		}
	}
	s.SignedBy, s.Signature = m.scope.Chain.SignedBy(at)
	s.Baselines = m.rights.BaselineStatus()
	var err error
	if s.History, err = m.scope.Chain.Store().Size(); err == nil && s.History > m.scope.Options.HistoryWarn {
		s.Large = fmt.Sprintf("history takes %d MiB; all of it is kept; fovea retain thins it", s.History>>20)
	}
	if writable != nil {
		s.ReadOnly = writable.Error()
	}
	s.Embedder, s.PendingEmbeddings = m.memex.meaning.Status()
	return s
}

// skippedOnOpen describes the parts of the store that were skipped on opening, and what was
// repaired since, or "".
func skippedOnOpen(s *scope.Scope) string {
	var told []string
	r := s.Chain.Store().Recovery()
	if r.TornBytes > 0 {
		told = append(told, fmt.Sprintf("cut %d bytes of an unfinished write off the journal; nothing acknowledged was lost", r.TornBytes))
	}
	if n := len(r.DamagedImages); n > 0 {
		told = append(told, fmt.Sprintf("%s failed verification and was skipped; the rest was read, and fovea checkpoint writes a new image",
			strings.Join(r.DamagedImages, ", ")))
	}
	if mended := s.Recovered(); mended != "" {
		told = append(told, mended)
	}
	return strings.Join(told, "; ")
}

// Writable returns nil if the memory can be written, including the open scopes of a
// memex, or only the named scopes. Otherwise it returns the error of the store, or an error
// that names the scope, or the folder or file that is no longer where the memory opened it.
// After a write error the memory must be opened again; a moved folder can be put back until
// the next write. It costs a few system calls for each scope.
func (m *Memory) Writable(scopes ...string) error {
	if len(scopes) == 0 {
		s := m.scope.Chain.Store()
		if err := cmp.Or(s.Err(), s.InPlace()); err != nil || m.scope.Parent != nil {
			return err
		}
	}
	for _, s := range m.memex.list() {
		if len(scopes) > 0 && !slices.Contains(scopes, s.scope.Name) {
			continue
		}
		if err := s.Writable(); err != nil && !errors.Is(err, store.ErrClosed) {
			return fmt.Errorf("%s cannot be written: %w", s.scope.Name, err)
		}
	}
	return nil
}

// InPlace returns nil while the memex and the store are where they were opened. It is
// called before each response, because the owner sees the folder at the path of the
// memex. Errors: Conflict (the memex was moved or replaced, so the memory is that of
// another folder), ReadOnly (files of the store were moved or replaced; the memory is
// complete but cannot be written). It costs a few system calls.
func (m *Memory) InPlace() error {
	return cmp.Or(m.scope.InPlace("read"), storeInPlace(m.scope, "read"))
}

// storeInPlace is InPlace for the store alone.
func storeInPlace(s *scope.Scope, op string) error {
	err := s.Chain.Store().InPlace()
	if errors.Is(err, corpus.ErrReplaced) || errors.Is(err, store.ErrClosed) {
		return nil
	}
	return fail(op, s.StateDir, ReadOnly, err)
}

// unwritten returns the error that warns readers of a head that is held in memory only.
func unwritten(s *scope.Scope, op string) error {
	tx := s.Chain.Begin()
	defer tx.End()
	if tx.LastStored() == nil {
		return nil
	}
	return fail(op, s.StateDir, ReadOnly, fmt.Errorf("changes in the folder were read but could not be saved: %w", s.Chain.Store().Err()))
}
