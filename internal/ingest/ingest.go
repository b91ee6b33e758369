// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"context"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/options"
)

const (
	// Limits of one commit of an ingest, reached with whole documents: large enough to
	// amortize the fsync, small enough that a large first ingest becomes durable in steps.
	commitDocuments = 256
	commitBytes     = 4 << 20
	// A scan that drops more than half of at least heldFrom documents is held, because an
	// unmounted disk looks the same.
	heldFrom = 20
)

// Run ingests the folder of one scope.
func Run(ctx context.Context, r *Reader, opts *options.Ingest) error {
	tx := r.scope.Chain.Begin()
	defer tx.End()
	if r.scope.IsClosed(tx) {
		return fault.Wrap("ingest", r.scope.Dir, fault.Invalid, scope.ErrClosed)
	}
	return RunTx(ctx, tx, r, opts)
}

// RunTx is Run within a write of its caller.
func RunTx(ctx context.Context, tx *chain.Tx, r *Reader, opts *options.Ingest) error {
	if !r.scope.HasFiles() {
		return write.DropSavedBuffers(ctx, tx, r.scope)
	}
	now := r.scope.Options.Now()
	scan, err := r.scope.Root.Scan(ctx, r.table, now)
	if err != nil {
		return fault.Wrap("ingest", r.scope.Dir, fault.Other, err)
	}
	r.problems, r.missing = scan.Problems, nil
	begins := r.scope.Chain.Head().Commit.Seq == 0
	defer r.publish()
	in := newIngester(r, tx, opts, scan, now)
	in.total = len(scan.Changed)
	in.before = len(slices.DeleteFunc(slices.Clone(r.scope.Present().Paths()), document.IsMemory))
	in.next.draft = r.scope.Present().Edit(now.UnixMilli())
	in.next.draft.ReadCopies()
	in.takeSame(ctx)
	for i, f := range scan.Changed {
		if err := ctx.Err(); err != nil {
			return fault.Wrap("ingest", r.scope.Dir, fault.Other, err)
		}
		if opts.Progress != nil {
			opts.Progress(i, in.total)
		}
		if err := in.file(ctx, f.Path); err != nil {
			return err
		}
	}
	if err := in.refreshSetupFiles(ctx); err != nil {
		return err
	}
	held := in.drop()
	if err := in.commit(ctx); err != nil {
		return err
	}
	if opts.Progress != nil && in.total > 0 {
		opts.Progress(in.total, in.total)
	}
	if err := r.rights.InitBaselines(context.WithoutCancel(ctx), tx, opts.Trusted); err != nil {
		return err
	}
	if begins && r.scope.Chain.Head().Commit.Seq > 0 { // the file table then survives a killed process
		if err := Save(r); err != nil {
			r.scope.Options.Log.Warn("cannot save the file table", "error", err)
		}
	}
	return held
}

// portion is the content of one commit of an ingest.
type portion struct {
	draft     *graph.Draft
	documents int // in the draft
	bytes     int
	entries   []corpus.Entry // table entries to add once the draft is durable
	gone      []string
	settled   []string // changed files, whose drift ends with the commit
}

// ingester is one run of Ingest.
type ingester struct {
	reader *Reader
	tx     *chain.Tx
	opts   *options.Ingest
	scan   corpus.Scan
	now    time.Time
	op     string
	total  int

	before int     // number of file documents when the scan began
	next   portion // the next commit

	arrived map[merkle.Digest]bool // digests of the new texts, for drop

	listed  map[string]bool // files of the scan
	changed map[string]bool // listed files that must be read
	taken   map[string]bool // files already read
	setup   map[string]bool // setup files that the scan does not list: whether each exists
}

func newIngester(r *Reader, tx *chain.Tx, opts *options.Ingest, scan corpus.Scan, now time.Time) *ingester {
	in := &ingester{
		reader: r, tx: tx, opts: opts, scan: scan, now: now, op: scope.Operation(), arrived: map[merkle.Digest]bool{},
		listed: map[string]bool{}, changed: map[string]bool{}, taken: map[string]bool{}, setup: map[string]bool{},
	}
	for _, f := range scan.Files {
		in.listed[f.Path] = true
	}
	for _, f := range scan.Changed {
		in.changed[f.Path] = true
	}
	return in
}

// takeSame skips the files whose bytes memory already holds: only their times changed, so it only
// renews their table entries. It leaves drifting files to file.
func (in *ingester) takeSame(ctx context.Context) {
	state := in.reader.scope.Present()
	for _, e := range in.reader.scope.Root.ReadExpected(ctx, in.scan.Changed, in.now, func(f corpus.File) (merkle.Digest, bool) {
		if _, drifted := in.reader.scope.Drift()[f.Path]; drifted {
			return merkle.Digest{}, false
		}
		return heldAs(state, f)
	}) {
		in.taken[e.Path] = true
		in.next.entries = append(in.next.entries, e)
	}
}

// heldAs returns the digest of the document that a state holds for f, false if the document is
// missing or lost, or differs from f in size or opacity.
func heldAs(state *graph.State, f corpus.File) (merkle.Digest, bool) {
	nodes := state.Nodes(f.Path)
	if len(nodes) == 0 || scope.IsLost(nodes) || int64(state.Size(f.Path)) != f.Size || nodes[0].Derived.Opaque != f.Opaque {
		return merkle.Digest{}, false
	}
	text, _ := state.Text(f.Path)
	return merkle.SumText(text), true
}

// file reads one new or changed file into the draft, once.
func (in *ingester) file(ctx context.Context, path string) error {
	if in.taken[path] {
		return nil
	}
	in.taken[path] = true
	text, f, err := in.reader.scope.Root.Read(path, 0)
	if err != nil {
		in.reader.problems = append(in.reader.problems, corpus.ProblemOf(path, err))
		return nil // an unreadable file is not deleted: its nodes stay
	}
	digest := merkle.SumText(text)
	in.next.entries = append(in.next.entries, corpus.Entry{File: f, Digest: digest, Scanned: in.now.UnixNano()})
	if seen, drifted := in.reader.scope.Drift()[f.Path]; drifted {
		if seen == digest {
			return nil
		}
		in.next.settled = append(in.next.settled, f.Path)
	}
	state := in.reader.scope.Present()
	if d, ok := state.Document(f.Path); ok && d.Derived.Opaque == f.Opaque {
		if have, _ := state.Text(f.Path); have == text && !scope.IsLost(state.Nodes(f.Path)) {
			return nil // touched, or written by us
		}
	}
	in.next.draft.Put(f.Path, document.File(text, f.Opaque))
	in.arrived[digest] = true
	in.next.documents++
	in.next.bytes += len(text)
	if err := in.addSetupFiles(ctx, in.next.draft.Setup(f.Path)); err != nil {
		return err
	}
	if in.next.documents >= commitDocuments || in.next.bytes >= commitBytes {
		return in.commit(ctx)
	}
	return nil
}

// drop removes the documents of deleted files from the draft, unless too many are deleted.
func (in *ingester) drop() error {
	state := in.reader.scope.Present()
	unread := make(map[string]bool)
	for _, p := range in.scan.Problems {
		unread[p.Path] = true
	}
	missing := func(p string) bool {
		return !in.listed[p] && !in.setup[p] && !covered(unread, p) && !in.reader.scope.Drift().Removed(p) && !in.isNoLongerRead(state, p)
	}
	var gone []string
	for _, p := range state.Paths() {
		if !document.IsMemory(p) && missing(p) {
			gone = append(gone, p)
		}
	}
	lost := slices.DeleteFunc(slices.Clone(gone), func(p string) bool { return !in.isLost(state, p) })
	if n := in.before; n >= heldFrom && len(lost) > n/2 && !in.opts.AcceptDeletions {
		in.reader.missing = slices.DeleteFunc(gone, func(p string) bool { return !in.reader.scope.Root.InRegion(p) })
		return fault.Errorf("ingest", in.reader.scope.Dir, fault.Held, "more than half of the documents are gone from the folder (%d of %d: %s) "+
			"and kept in memory; fovea restore --missing writes them back, fovea ingest --accept-deletions lets them go",
			len(lost), n, scope.Abbreviate(in.reader.missing, ""))
	}
	in.reader.removals.add(lost, in.reader.scope.Chain.Head().Commit.Seq)
	for _, p := range gone {
		in.next.draft.Drop(p)
	}
	unasked := in.reader.scope.DropUnusedSetups(in.reader.scope.Present(), in.next.draft)
	in.next.gone = slices.Concat(in.next.gone, gone, unasked)
	for _, p := range slices.Sorted(maps.Keys(in.reader.scope.Drift())) {
		if missing(p) || slices.Contains(unasked, p) {
			in.next.settled = append(in.next.settled, p)
		}
	}
	return nil
}

// isLost reports whether the text of a deleted file did not reappear under another path in the same
// scan: renaming a folder loses nothing.
func (in *ingester) isLost(state *graph.State, path string) bool {
	if !in.reader.scope.Root.InRegion(path) {
		return false // it moved to or from a project
	}
	text, _ := state.Text(path)
	return !in.arrived[merkle.SumText(text)]
}

// isNoLongerRead reports whether a file exists, but the configuration now excludes it. That is not a
// deletion, which would be passed on to machines that read it.
func (in *ingester) isNoLongerRead(state *graph.State, path string) bool {
	root := in.reader.scope.Root
	return root.InRegion(path) && !root.Lists(path) && !state.Asked(path) && root.Exists(path)
}

// covered reports whether a path, or a folder above it, could not be read: the file may still exist.
func covered(unread map[string]bool, file string) bool {
	for ; !unread[file]; file = path.Dir(file) {
		if file == "." || file == "/" {
			return false
		}
	}
	return true
}

// commit makes the draft durable and begins the next one.
func (in *ingester) commit(ctx context.Context) error {
	state, delta := in.next.draft.Seal()
	marks := in.reader.scope.DriftMarks(in.next.settled, nil)
	if isHeadUnstored(in.reader.scope) {
		in.tx.Hold(state, &delta)
	} else if !delta.Empty() || len(delta.Reread) > 0 || len(marks) > 0 {
		c, err := write.Record(ctx, in.tx, state, &delta, graph.Commit{
			Kind: graph.KindIngest, Author: scope.ByFile, Session: in.reader.scope.Options.Actor.Session, Op: in.op,
			Time: in.now.UnixMilli(), Message: scope.Message(&delta),
		}, marks...)
		if err != nil {
			return err
		}
		if in.opts.Committed != nil && c.Seq != 0 {
			in.opts.Committed(c)
		}
	}
	in.remember()
	in.next = portion{draft: in.reader.scope.Present().Edit(in.now.UnixMilli())}
	return nil
}

// isHeadUnstored reports whether changes of the folder are held only in memory, because the store
// cannot be written or its history is missing.
func isHeadUnstored(s *scope.Scope) bool {
	return s.Chain.Store().Err() != nil && (s.Memex().Unwritable != nil || s.Chain.Head().Commit.Seq == 0)
}

// remember updates the file table after a commit.
func (in *ingester) remember() {
	if len(in.next.entries)+len(in.next.gone) == 0 {
		return
	}
	gone := make(map[string]bool, len(in.next.gone))
	for _, p := range in.next.gone {
		gone[p] = true
	}
	entries := make([]corpus.Entry, 0, in.reader.table.Len()+len(in.next.entries))
	for e := range in.reader.table.All() {
		if !gone[e.Path] {
			entries = append(entries, e)
		}
	}
	in.reader.table = corpus.NewTable(append(entries, in.next.entries...))
	in.reader.tableOld = true
}

// Refresh is that of write.Folder.
func (r *Reader) Refresh(ctx context.Context, tx *chain.Tx, a scope.Action, path string) (string, error) {
	text, same, err := r.Current(a, path)
	if same || err != nil {
		return text, err
	}
	in := newIngester(r, tx, &options.Ingest{}, corpus.Scan{}, a.Now)
	in.next.draft = r.scope.Present().Edit(a.Now.UnixMilli())
	if err := in.file(ctx, path); err != nil {
		return "", err
	}
	if err := in.commit(ctx); err != nil {
		return "", err
	}
	if text, _, err = r.Current(a, path); err == nil && !r.scope.Present().Holds(path, text) { // it was not read, or changed again
		err = scope.FailWrite(a.Name, path, corpus.ErrChanged)
	}
	return text, err
}

// Current is that of write.Folder.
func (r *Reader) Current(a scope.Action, path string) (text string, same bool, err error) {
	text, f, err := r.scope.Root.Read(path, 0)
	if err != nil {
		return "", false, scope.FailWrite(a.Name, path, err)
	}
	if _, drifted := r.scope.Drift()[path]; drifted && r.scope.Drift()[path] == merkle.SumText(text) {
		return "", false, fault.Errorf(a.Name, path, fault.Conflict, "the file differs from memory since a rollback of memory only; "+
			"change the file, or roll back with files")
	}
	state := r.scope.Present()
	doc, ok := state.Document(path)
	return text, ok && doc.Derived.Opaque == f.Opaque && state.Holds(path, text), nil
}
