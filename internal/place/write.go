// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Source is a history to write, as of the moment when it was taken.
type Source struct {
	Scope
	Store store.Store
	// Signer is the public key with which the machine signs this history, "" for none. The
	// header has the key of the first source.
	Signer string
	// From is the end of a batch with the commit Since and only marks after it. If it is the
	// zero Pos, WriteBundle finds that commit.
	From store.Pos
	// End is the end of the last batch to write.
	End store.Pos
	// State is the state of the newest commit, nil if unknown. WriteBundle does not use it.
	State *graph.State
}

// Summary describes a written bundle.
type Summary struct {
	Header
	Bytes  int64 // of the archive before it is sealed
	Blocks int
}

// WriteBundle writes a bundle of some scopes. Others may append to the stores meanwhile: it stops at
// the End of each source. Errors: ErrNothing, store.ErrCorrupt and others of
// the stores, that of the context, those of w. O(records between From and End).
func WriteBundle(ctx context.Context, w io.Writer, sources []Source) (Summary, error) {
	h, err := headerOf(sources)
	var out *Writer
	if err == nil {
		out, err = NewWriter(w, h.roots()...)
	}
	if err == nil {
		err = WriteBlocks(ctx, sources, out.Put)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return Summary{}, fmt.Errorf("write bundle: %w", err)
	}
	return Summary{h, out.Size(), out.Blocks()}, nil
}

// WriteBlocks passes the blocks of a bundle to put, in order; put must not retain them. The roots of
// the archive are the heads of the scopes. Errors: those of WriteBundle and of put.
func WriteBlocks(ctx context.Context, sources []Source, put func(block []byte) (merkle.Digest, error)) error {
	h, err := headerOf(sources)
	if err != nil {
		return err
	}
	w := &writer{ctx: ctx, to: put}
	w.control(merkle.Encode(h.code))
	for _, s := range sources {
		if err := w.scope(s); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

func headerOf(sources []Source) (h Header, err error) {
	if len(sources) == 0 {
		return h, ErrNothing
	}
	for _, s := range sources {
		h.Scopes = append(h.Scopes, s.Scope)
	}
	h.Signer = sources[0].Signer
	return h, nil
}

// writer writes the control blocks of a bundle and the blocks that they announce.
type writer struct {
	ctx context.Context
	to  func(block []byte) (merkle.Digest, error)
	err error         // the first one of to
	sum merkle.Digest // of the control blocks so far
	// of the scope
	done map[merkle.Digest]bool // written blocks
	// of the present control block
	entries []entry
	data    [][]byte // of entries that are blocks
	size    int
	batch   uint64
}

// errEnd ends a replay.
var errEnd = errors.New("the end of the source")

// scope writes the batches of a history, the digests of its purged blocks, and its end.
func (w *writer) scope(s Source) error {
	w.done, w.batch = map[merkle.Digest]bool{}, 0
	if s.SinceSeq > 0 && s.From == (store.Pos{}) {
		var err error
		if s.From, err = s.behind(w.ctx, s.Since); err != nil {
			return err
		}
	}
	err := s.Store.Replay(s.From, func(r store.Record) error {
		if r.Pos.Compare(s.End) >= 0 {
			return errEnd
		}
		return w.record(r)
	})
	if err != nil && !errors.Is(err, errEnd) {
		return err
	}
	w.flush(false)
	gone, err := s.Store.Gone()
	if err != nil {
		return err
	}
	maps.DeleteFunc(gone, func(d merkle.Digest, _ uint64) bool { // restored blocks are not gone
		_, err := s.Store.Block(d)
		return !errors.Is(err, store.ErrPurged)
	})
	w.gone(gone)
	w.put(merkle.Encode(merkle.Record(wordEnd, s.Name, &w.sum)))
	return w.err
}

// put writes a block, unless there was an error.
func (w *writer) put(block []byte) {
	if w.err == nil {
		_, w.err = w.to(block)
	}
}

// record adds a record to the present batch.
func (w *writer) record(r store.Record) error {
	if r.Batch != w.batch {
		w.flush(false)
		w.batch = r.Batch
	} else if len(w.entries) >= perControl || w.size >= controlBytes {
		w.flush(true)
	}
	switch r.Kind {
	case store.Mark:
		w.entries = append(w.entries, entry{kind: r.Kind, mark: string(r.Data)})
		w.size += min(len(r.Data), merkle.ChunkSize)
	case store.Block, store.Commit:
		d := merkle.Sum(r.Data)
		if r.Kind == store.Block && w.done[d] {
			break
		}
		w.done[d] = true
		w.entries = append(w.entries, entry{kind: r.Kind, digest: d})
		w.data = append(w.data, slices.Clone(r.Data))
		w.size += merkle.DigestSize
	}
	return cmp.Or(w.err, w.ctx.Err())
}

// flush writes a control block and the blocks that it announces. more means that the batch continues.
func (w *writer) flush(more bool) {
	if len(w.entries) == 0 && !more {
		return
	}
	c := merkle.Codec{Emit: func(_ merkle.Digest, part []byte) error {
		w.put(part)
		return nil
	}}
	c.Record(wordBatch, &more, merkle.List(&w.entries, (*entry).code))
	w.control(c.Out)
	for _, block := range w.data {
		w.put(block)
	}
	w.entries, w.data, w.size = w.entries[:0], w.data[:0], 0
}

// gone writes the digests of purged blocks, sorted.
func (w *writer) gone(all map[merkle.Digest]uint64) {
	sorted := slices.SortedFunc(maps.Keys(all), merkle.Digest.Compare)
	for part := range slices.Chunk(sorted, perControl) {
		w.control(merkle.Encode(merkle.Record(wordGone, merkle.List(&part, func(d *merkle.Digest, c *merkle.Codec) {
			by := all[*d]
			c.Record(d, &by)
		}))))
	}
}

// control writes a control block.
func (w *writer) control(block []byte) {
	w.put(block)
	w.sum = chained(w.sum, block)
}

// chained returns the sum of the control blocks so far with one more.
func chained(sum merkle.Digest, block []byte) merkle.Digest {
	own := merkle.Sum(block)
	return merkle.Sum(append(sum[:], own[:]...))
}

// TakeSource returns the source of a scope: its history up to the newest commit. The caller must be
// the writer of the store. Errors: those of the store.
func TakeSource(name string, s store.Store, seq uint64, head, root merkle.Digest) (Source, error) {
	if err := s.Sync(); err != nil {
		return Source{}, err
	}
	out := Source{Scope: Scope{Name: name, Seq: seq, Head: head, Root: root}, Store: s, End: s.End()}
	err := s.Commits(context.Background(), store.Span{From: 1, To: 1}, func(r store.Record) error {
		out.First = merkle.Sum(r.Data)
		return nil
	})
	return out, err
}

// behind returns the end of the batch with a commit of the history. Errors: store.ErrNotFound,
// those of the store. O(records up to there).
func (s *Source) behind(ctx context.Context, commit merkle.Digest) (store.Pos, error) {
	end, found, batch := s.End, false, uint64(0)
	err := s.Store.Replay(store.Pos{}, func(r store.Record) error {
		switch {
		case found && r.Batch != batch:
			end = r.Pos
			return errEnd
		case r.Kind == store.Commit && merkle.Sum(r.Data) == commit:
			found, batch = true, r.Batch
		}
		return ctx.Err()
	})
	if errors.Is(err, errEnd) {
		err = nil
	}
	if err == nil && !found {
		err = fmt.Errorf("%s has no commit %s: %w", s.Name, commit, store.ErrNotFound)
	}
	return end, err
}

// UpTo makes a source end after an earlier commit of its history and the marks of its batch.
// Errors: store.ErrNotFound, those of the store. O(records up to there).
func (s *Source) UpTo(ctx context.Context, commit merkle.Digest) error {
	end, err := s.behind(ctx, commit)
	if err != nil {
		return err
	}
	block, err := s.Store.Block(commit)
	if err != nil {
		return err
	}
	c, err := graph.DecodeCommit(block, s.Store.Block)
	if err == nil {
		s.End, s.Seq, s.Head, s.Root = end, c.Seq, commit, c.State
	}
	return err
}

// GoOn makes a source begin after a commit of its history. Errors: store.ErrNotFound if the history
// lacks the commit, those of the store.
func (s *Source) GoOn(ctx context.Context, since merkle.Digest) error {
	block, err := s.Store.Block(since)
	var seq uint64
	if err == nil {
		seq, err = graph.CommitSeq(block)
	}
	if err != nil {
		return fmt.Errorf("%s has no commit %s: %w", s.Name, since, errors.Join(store.ErrNotFound, err))
	}
	err = s.Store.Commits(ctx, store.Span{From: seq, To: seq}, func(r store.Record) error {
		if merkle.Sum(r.Data) == since {
			s.SinceSeq, s.Since = seq, since
		}
		return nil
	})
	if err == nil && s.Since != since {
		err = fmt.Errorf("%s has commit %s only from another copy: %w", s.Name, since, store.ErrNotFound)
	}
	return err
}
