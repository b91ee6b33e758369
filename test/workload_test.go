// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// workload uses a memory as a person and agents do, drawn from a seed: files
// are written beside it, and every operation that changes something is run.
type workload struct {
	t     *testing.T
	d     disks
	m     *fovea.Memory
	key   note.Signer
	keys  note.Verifiers
	rand  *rand.Rand
	told  ledger
	lines int   // texts have fewer
	n     int   // of texts written
	hour  int64 // of its clock: each step takes one

	fork *disks // another machine's copy, which has gone on, nil for none
}

// ledger is what a memory has told its user to be done.
type ledger struct {
	head    uint64
	commits map[uint64]merkle.Digest
	names   map[string]uint64 // of snapshots: the commit they keep
}

func newLedger() ledger {
	return ledger{commits: map[uint64]merkle.Digest{}, names: map[string]uint64{}}
}

func (l ledger) clone() ledger {
	return ledger{l.head, maps.Clone(l.commits), maps.Clone(l.names)}
}

// commit notes an acknowledged commit; the zero Commit is none.
func (l *ledger) commit(c fovea.Commit) {
	if c.Seq != 0 {
		l.commits[c.Seq] = c.Digest
		l.head = max(l.head, c.Seq)
	}
}

// missing says what a memory does not have of it, "" for nothing. A name may
// have moved on by a snapshot that was not told.
func (l ledger) missing(t *testing.T, m *fovea.Memory) string {
	t.Helper()
	log, err := m.History().Log(t.Context(), "", 0)
	if err != nil {
		return fmt.Sprintf("log: %v", err)
	}
	have := map[uint64]merkle.Digest{}
	for _, c := range log {
		have[c.Seq] = c.Digest
	}
	for seq, digest := range l.commits {
		if have[seq] != digest {
			return fmt.Sprintf("commit %d was told as %v; the log has %v", seq, digest, have[seq])
		}
	}
	named := map[string]uint64{}
	for _, s := range m.History().Snapshots() {
		named[s.Name] = s.Seq
	}
	for name, seq := range l.names {
		if named[name] < seq {
			return fmt.Sprintf("snapshot %s of commit %d was told; there is one of commit %d", name, seq, named[name])
		}
	}
	return ""
}

// step is one thing that is done with a memory. It notes in the ledger what it
// is told.
type step struct {
	name string
	do   func(*workload) error
}

var steps = []step{
	{"ingest", (*workload).ingest}, {"edit", (*workload).edit}, {"insert", (*workload).insert},
	{"refile", (*workload).refile}, {"archive", (*workload).archive}, {"assign ids", (*workload).assign},
	{"snapshot", (*workload).snapshot}, {"rollback", (*workload).rollback}, {"rollback of memory", (*workload).forgetful},
	{"tree", (*workload).tree}, {"edit of a tree", (*workload).editTree}, {"tree into a file", (*workload).file},
	{"restart", (*workload).restart}, {"checkpoint", (*workload).checkpoint}, {"restore", (*workload).restore}, {"pack", (*workload).pack},
	{"revert", (*workload).revert}, {"adopting drift", (*workload).adopt}, {"applying drift", (*workload).apply},
	{"purge", (*workload).purge}, {"merge", (*workload).merge}, {"retain", (*workload).retain}, {"repair", (*workload).repair},
}

// newWorkload opens a memory of a few files, of texts that are not longer than so
// many lines.
func newWorkload(t *testing.T, random *rand.Rand, d disks, lines int) *workload {
	t.Helper()
	w := &workload{t: t, d: d, rand: random, lines: lines, told: newLedger()}
	key, verifier := newKey(t, "machine")
	w.key, w.keys = key, note.VerifierList(verifier)
	for i := range 4 {
		w.save(i)
	}
	if err := w.open(); err != nil {
		t.Fatal(err)
	}
	return w
}

// open opens the memory of the disks; after an error there is none.
func (w *workload) open() (err error) {
	w.m, err = w.openOn(w.d)
	return err
}

// openOn opens what is on some disks, with the workload's key.
func (w *workload) openOn(d disks) (*fovea.Memory, error) {
	opts := &fovea.Options{
		Store: d.state, Actor: author.Actor{Author: author.Author{Kind: author.Fovea}}, Signer: w.key, Verifiers: w.keys,
		Now: func() time.Time { return time.UnixMilli(1_800_000_000_000).Add(time.Duration(w.hour) * time.Hour) },
	}
	opts.Folder = d.memex
	return fovea.Open(w.t.Context(), "/memex", opts)
}

// do does a step, an hour after the one before.
func (w *workload) do(s step) error {
	w.hour++
	return s.do(w)
}

// expected reports whether an operation may end so on a disk without a fault:
// the draw asked for what cannot be.
func expected(err error) bool {
	switch fovea.KindOf(err) {
	case fovea.NotFound, fovea.Invalid, fovea.Conflict:
		return true
	}
	return err == nil
}

// save writes a file beside the memory, as an editor does.
func (w *workload) save(i int) {
	w.t.Helper()
	var b strings.Builder
	for k := range 1 + w.rand.IntN(3) {
		w.n++
		fmt.Fprintf(&b, "* Text %d\n:PROPERTIES:\n:ID: n%d%d\n:END:\n%s** Below it\n", w.n, i, k, strings.Repeat(longBody, w.rand.IntN(w.lines)))
	}
	w.d.write(w.t, map[string]string{[]string{"a.org", "b.org", "sub/c.org", "sub/deep/d.org"}[i]: b.String()})
}

// drawn returns the id of a node that a file may hold.
func (w *workload) drawn() string { return fmt.Sprintf("n%d%d", w.rand.IntN(4), w.rand.IntN(2)) }

// ingest reads the folder. From the first state on there is another machine's copy.
func (w *workload) ingest() error {
	err := w.m.Ingest(w.t.Context(), &fovea.IngestOptions{Committed: w.told.commit})
	if err == nil && w.fork == nil {
		err = w.depart()
	}
	return err
}

func (w *workload) edit() error {
	w.n++
	edits := []document.Edit{document.SetTitle{Title: fmt.Sprintf("Title %d", w.n)}, document.AppendBody{Text: strings.Repeat(longBody, w.rand.IntN(w.lines))}}
	c, err := w.m.Notes().Edit(w.t.Context(), w.drawn(), nil, edits...)
	w.told.commit(c)
	return err
}

func (w *workload) insert() error {
	w.n++
	under := []string{w.drawn(), "inbox.org", "new/folder/x.org"}[w.rand.IntN(3)]
	c, _, err := w.m.Notes().Insert(w.t.Context(), under, document.InsertHeadline{Title: fmt.Sprintf("Inserted %d", w.n)}, nil)
	w.told.commit(c)
	return err
}

func (w *workload) refile() error {
	c, err := w.m.Notes().Refile(w.t.Context(), w.drawn(), w.drawn(), nil)
	w.told.commit(c)
	return err
}

// tree takes in a tree, which may be one that is there, or hang below another.
func (w *workload) tree() error {
	w.n++
	kid := func() string {
		return fmt.Sprintf(`{"type":"headline","properties":{"ID":%q,"N":%d},"raw-content":%q}`, w.drawnTree(), w.n, strings.Repeat(longBody, w.rand.IntN(w.lines)))
	}
	root := fmt.Sprintf(`{"type":"headline","properties":{"ID":%q,"TITLE":"Tree %d","TAGS":["a","b"]},"contents":[%s,{"type":"paragraph","raw-content":"p"}]}`,
		w.drawnTree(), w.n, kid())
	t, err := ast.DecodeTree([]byte(root))
	if err != nil { // the draw has an id twice
		return &fovea.Error{Op: "ingest", Kind: fovea.Invalid, Err: err}
	}
	parent := ""
	if w.rand.IntN(3) == 0 {
		parent = w.drawnTree()
	}
	_, _, c, err := w.m.IngestTree(w.t.Context(), t, parent, nil)
	w.told.commit(c)
	return err
}

// drawnTree returns the id of a node that may stand in no file.
func (w *workload) drawnTree() string { return fmt.Sprintf("t%d", w.rand.IntN(5)) }

func (w *workload) editTree() error {
	w.n++
	edits := []document.Edit{document.SetTodo{Keyword: "TODO"}, document.AddTag{Tag: "edited"}, document.AppendBody{Text: fmt.Sprintf("line %d\n", w.n)}}
	if w.rand.IntN(5) == 0 {
		edits = []document.Edit{document.Delete{}}
	}
	c, err := w.m.Notes().Edit(w.t.Context(), w.drawnTree(), nil, edits...)
	w.told.commit(c)
	return err
}

func (w *workload) file() error {
	c, err := w.m.Notes().Refile(w.t.Context(), w.drawnTree(), []string{w.drawn(), w.drawnTree()}[w.rand.IntN(2)], nil)
	w.told.commit(c)
	return err
}

func (w *workload) archive() error {
	c, err := w.m.Notes().Archive(w.t.Context(), w.drawn(), nil)
	w.told.commit(c)
	return err
}

func (w *workload) assign() error {
	var ids []string
	for n := range w.m.View().All() {
		if w.rand.IntN(6) == 0 {
			ids = append(ids, n.ID)
		}
	}
	slices.Sort(ids)
	c, _, err := w.m.Notes().AssignIDs(w.t.Context(), ids, nil)
	w.told.commit(c)
	return err
}

func (w *workload) snapshot() error {
	name := []string{"x", "y", "before the move"}[w.rand.IntN(3)]
	s, err := w.m.History().Snapshot(w.t.Context(), name)
	if err == nil {
		w.told.names[name] = s.Seq
	}
	return err
}

func (w *workload) rollback() error  { return w.back(nil) }
func (w *workload) forgetful() error { return w.back(&fovea.WriteOptions{MemoryOnly: true}) }

func (w *workload) back(opts *fovea.WriteOptions) error {
	c, _, err := w.m.History().Rollback(w.t.Context(), fmt.Sprintf("seq:%d", 1+w.rand.IntN(int(w.m.View().Head().Seq)+1)), opts)
	w.told.commit(c)
	return err
}

func (w *workload) restart() error { return w.reopen(w.m.Close()) }

// reopen opens the memory after closing it gave an error or nil.
func (w *workload) reopen(closed error) error {
	if err := w.open(); err != nil {
		return err
	}
	return closed
}

func (w *workload) checkpoint() error {
	s, _, err := w.m.History().Checkpoint(w.t.Context(), "checkpoint")
	if err == nil {
		w.told.names[s.Name] = s.Seq
	}
	return err
}

func (w *workload) restore() error {
	_, _, _, err := w.m.History().Restore(w.t.Context(), "", nil)
	return err
}

// pack moves what is old out of the journal while the memory is closed. So that
// there is something, each time begins a segment.
func (w *workload) pack() error {
	err := w.m.Close()
	if err == nil {
		err = packed(w.t, w.d)
	}
	return w.reopen(err)
}

// merge brings in what another machine has done to its copy, while this one went on;
// a copy of what came of it is the next.
func (w *workload) merge() error {
	if w.fork == nil {
		return nil
	}
	c, _, _, err := mergeStore(w.t.Context(), w.m, w.fork.state.Clone(), nil)
	w.told.commit(c)
	if err == nil {
		err = w.depart()
	}
	return err
}

// depart makes a copy and works on it.
func (w *workload) depart() error {
	there := w.d.clone()
	other, err := w.openOn(there)
	if err != nil {
		return err
	}
	here := w.workHere(other)
	for _, do := range []func(*workload) error{(*workload).edit, (*workload).insert, (*workload).tree} {
		if err := do(here); !expected(err) {
			return err
		}
	}
	w.n, w.fork = here.n, &there
	return other.Close()
}

// workHere returns a workload on another memory, which tells a ledger of its own.
func (w *workload) workHere(m *fovea.Memory) *workload {
	other := *w
	other.m, other.told = m, newLedger()
	return &other
}

// packed begins a segment of a store and packs those before it.
func packed(t testing.TB, d disks) error {
	s, _, err := disk.Open(d.state, &disk.Options{Memex: "/memex", SegmentMin: 256, SegmentMax: 512})
	if err != nil {
		return err
	}
	var b store.Batch
	b.Add(store.Block, []byte("nobody asks for this block"))
	if _, err = s.Append(t.Context(), &b); err == nil {
		err = s.Pack(t.Context())
	}
	if closeErr := s.Close(); err == nil {
		err = closeErr
	}
	return err
}
