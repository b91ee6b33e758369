// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
)

// Drift returns the files that differ from memory on purpose since a rollback of memory
// only: by path, the digest that the file had and that of its content in memory, zero for
// no file. A file that changed since stays in drift until it is read.
func (m *Memory) Drift() map[string][2]merkle.Digest {
	defer m.chain.Begin().End()
	out := map[string][2]merkle.Digest{}
	if m.hasFiles() {
		for path, seen := range m.drift() {
			out[path] = [2]merkle.Digest{fileDigest(seen), m.remembered(path)}
		}
	}
	return out
}

// absent is the digest of a missing file; no known bytes have it.
var absent = guard.Absent

// drift returns the drifting files by path, with the digest that each had. It must not be
// changed.
func (m *Memory) drift() map[string]merkle.Digest { return m.drifts.At(m.chain.Head()) }

// driftMarks returns the marks that set the drift of paths; a path without drift is in
// step again. Only changes need marks. In a scope without files, nil drift needs none:
// files that a session overlays keep their drift.
func (m *Memory) driftMarks(paths []string, drift map[string]merkle.Digest) [][]byte {
	if drift == nil && !m.hasFiles() {
		return nil
	}
	var marks [][]byte
	present := m.drift()
	for _, path := range paths {
		if digest := drift[path]; digest != present[path] {
			marks = append(marks, driftMark(path, digest))
		}
	}
	return marks
}

// driftLedger keeps the drifting files. Its marks are [name, path, digest]: the file
// drifts while it has this digest; null ends the drift.
type driftLedger struct{}

const driftName = "drift"

func (driftLedger) Name() string                    { return driftName }
func (driftLedger) Fields() int                     { return 2 }
func (driftLedger) Label() string                   { return "the path of a file" }
func (driftLedger) Empty() map[string]merkle.Digest { return nil }

func driftMark(path string, digest merkle.Digest) []byte {
	return merkle.AppendLink(merkle.AppendBytes(chain.NewMark(driftName, 2), path), digest)
}

// readDriftMark returns the drift that a mark sets for a path, false for any other mark.
func readDriftMark(mark []byte, path string) (merkle.Digest, bool) {
	r := merkle.NewReader(mark)
	if n, kind := r.List(), r.Text(); n != 3 || kind != driftName || string(r.Bytes()) != path {
		return merkle.Digest{}, false
	}
	d := r.Link()
	return d, r.Done() == nil && !d.IsZero()
}

func (driftLedger) Apply(v map[string]merkle.Digest, r *merkle.Reader, _ *chain.Moment) (map[string]merkle.Digest, error) {
	path, digest := string(r.Bytes()), r.Link()
	if r.Err() != nil {
		return v, nil
	}
	next := maps.Clone(v)
	switch {
	case digest.IsZero():
		delete(next, path)
	case next == nil:
		next = map[string]merkle.Digest{path: digest}
	default:
		next[path] = digest
	}
	return next, nil
}

func (driftLedger) Encode(v map[string]merkle.Digest) []byte {
	b := merkle.AppendList(nil, len(v))
	for _, path := range slices.Sorted(maps.Keys(v)) {
		b = merkle.AppendLink(merkle.AppendBytes(merkle.AppendList(b, 2), path), v[path])
	}
	return b
}

func (driftLedger) Decode(data []byte) (map[string]merkle.Digest, error) {
	v := map[string]merkle.Digest{}
	r := merkle.NewReader(data)
	for range r.List() {
		r.FixedList(2)
		path := string(r.Bytes())
		if v[path] = r.Link(); r.Err() != nil {
			break
		}
	}
	return v, r.Done()
}

// fileDigest returns the digest that a drifting file had; zero for no file.
func fileDigest(seen merkle.Digest) merkle.Digest {
	if seen == absent {
		return merkle.Digest{}
	}
	return seen
}

// remembered returns the digest of a file's content in memory, zero for none.
func (m *Memory) remembered(path string) merkle.Digest {
	text, ok := m.present().Text(path)
	if !ok {
		return merkle.Digest{}
	}
	return merkle.Sum([]byte(text))
}

// AdoptDrift ends the drift of files, of all if none is named: memory takes their
// content, as one commit after an automatic snapshot. It returns the commit, zero if
// nothing drifts, and the files. Errors: NotFound (a file does not drift), ReadOnly, and
// those of reading a file.
func (m *Memory) AdoptDrift(ctx context.Context, opts *WriteOptions, paths ...string) (Commit, []string, error) {
	defer m.chain.Begin().End()
	opts = opts.orZero()
	if first, err := m.repeated(ctx, opts, "drift", graph.KindIngest); first != nil || err != nil {
		var touched []string
		c := m.answered(first, func(first *graph.Commit) { touched = files(first) })
		return c, touched, err
	}
	paths, err := m.drifting(paths)
	if err != nil || len(paths) == 0 {
		return Commit{}, nil, err
	}
	head, now := m.chain.Head(), m.opts.Now().UnixMilli()
	draft := m.draft(now)
	for _, path := range paths {
		text, f, err := m.root.Read(path, 0)
		switch {
		case errors.Is(err, corpus.ErrVanished):
			draft.Drop(path)
		case err != nil:
			return Commit{}, nil, failWrite("drift", path, err)
		default:
			draft.Put(path, text, f.Opaque)
		}
	}
	m.dropUnusedSetups(head.State, draft)
	state, delta := draft.Seal()
	c := m.entry(ctx, opts.Key, graph.KindIngest, message(&delta), now)
	done, err := m.chain.Writer().Commit(context.WithoutCancel(ctx), state, &delta, c, m.driftMarks(paths, nil)...)
	return done, paths, err
}

// ApplyDrift ends the drift of files, of all if none is named: it writes their content in
// memory to them, all or none. It returns the files. It makes no commit: memory stays as
// it is. Errors: NotFound (a file does not drift), Conflict (a file changed since it was
// seen), Busy, ReadOnly.
func (m *Memory) ApplyDrift(ctx context.Context, paths ...string) ([]string, error) {
	defer m.chain.Begin().End()
	paths, err := m.drifting(paths)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	op := m.begin(ctx, "", "drift", graph.KindRollback, "files follow memory", m.opts.Now().UnixMilli())
	if err := op.sweep(paths); err != nil {
		return nil, err
	}
	head := m.chain.Head()
	for _, path := range paths {
		text, wanted := head.State.Text(path)
		w := fileWrite{path: path, base: fileDigest(m.drift()[path]), next: corpus.Next{Text: text, Gone: !wanted}}
		if w.base == m.remembered(path) {
			op.follow(path, w.base)
			continue
		}
		if err := op.stage(w); err != nil {
			return nil, errors.Join(op.fail(path, err), op.discard())
		}
	}
	_, err = op.run(ctx, head.State, &graph.Delta{Paths: paths})
	return paths, err
}

// drifting returns the named or all drifting files, sorted. The caller is the chain's writer.
func (m *Memory) drifting(paths []string) ([]string, error) {
	switch {
	case m.closed:
		return nil, fail("drift", m.dir, Invalid, errClosed)
	case !m.hasFiles():
		return nil, fail("drift", m.scope, Invalid, errors.New("a scope without files has no drift"))
	case m.chain.Store().Err() != nil:
		return nil, fail("drift", m.state, ReadOnly, m.chain.Store().Err())
	case len(paths) == 0:
		return slices.Sorted(maps.Keys(m.drift())), nil
	}
	for _, path := range paths {
		if _, ok := m.drift()[path]; !ok {
			return nil, fail("drift", path, NotFound, errors.New("this file does not drift; fovea drift lists those that do"))
		}
	}
	paths = slices.Clone(paths)
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
