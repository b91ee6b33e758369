// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Into returns the store to which the history of a scope is appended, nil to skip the scope. If the
// store has a part of the history, only the rest is appended: the store's head must be a commit of
// the bundle, or the one that the bundle continues from.
type Into func(Scope) (store.Store, error)

// ReadBundle appends the histories of a bundle to stores, in the batches in which they were written,
// and syncs them. After an error the stores hold a part, and the next reading continues from it. It
// does not prove that commits follow one another or lead to their states: loading the stores does.
// Errors: an *Error with ErrBundle, ErrOrder, ErrTruncated, merkle.ErrDigest and others of a stream and
// of package merkle; those of the stores and of r; that of the context.
func ReadBundle(ctx context.Context, r io.Reader, into Into) (Header, error) {
	b := &reader{ctx: ctx}
	err := b.open(r)
	for i := 0; err == nil && i < len(b.header.Scopes); i++ {
		err = b.scope(b.header.Scopes[i], into)
	}
	if err == nil {
		if _, err = b.next(); err == nil {
			err = b.wrongf("the bundle continues after its end: %w", ErrOrder)
		} else if errors.Is(err, ErrTruncated) && b.ended {
			err = nil
		}
	}
	if err != nil {
		return b.header, fmt.Errorf("read bundle: %w", err)
	}
	return b.header, nil
}

// PeekBundle reads only the header of a bundle.
func PeekBundle(r io.Reader) (Header, error) {
	b := &reader{ctx: context.Background()}
	if err := b.open(r); err != nil {
		return Header{}, fmt.Errorf("read bundle: %w", err)
	}
	return b.header, nil
}

// reader reads the control blocks of a bundle and the blocks they announce.
type reader struct {
	ctx    context.Context
	in     *Reader
	at     Block // the last one read
	ended  bool  // nothing followed it
	header Header
	sum    merkle.Digest
	// of the scope
	to    store.Store // nil for a skipped scope
	last  merkle.Digest
	seq   uint64
	batch *store.Batch
	skip  merkle.Digest // the store's head, until its batch has passed; else zero
	found bool          // skip is in the present batch
	gone  map[merkle.Digest]uint64
	parts map[merkle.Digest][]byte // parts of marks of the next control block
	held  int                      // bytes in parts
}

func (b *reader) open(r io.Reader) (err error) {
	if b.in, err = NewReader(r); err != nil {
		return err
	}
	block, err := b.next()
	if err != nil {
		return err
	}
	if b.header, err = decodeHeader(block); err != nil {
		return b.wrong(err)
	}
	if len(b.header.Scopes) == 0 || !slices.Equal(b.header.roots(), b.in.Roots()) {
		return b.wrongf("the roots are not the heads of the scopes: %w", ErrBundle)
	}
	b.sum = chained(b.sum, block)
	return nil
}

// next returns the next block. At the end it returns ErrTruncated: the caller decides whether more
// must follow.
func (b *reader) next() ([]byte, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	at, err := b.in.Next()
	if err == io.EOF {
		b.ended = true
		return nil, &Error{Block: b.at.Number + 1, Offset: b.at.Offset, Err: ErrTruncated}
	}
	if err != nil {
		return nil, err
	}
	b.at = at
	return at.Data, nil
}

// wrong adds the present block to an error.
func (b *reader) wrong(err error) error {
	return &Error{Block: b.at.Number, Digest: b.at.Digest, Offset: b.at.Offset, Err: err}
}

func (b *reader) wrongf(format string, a ...any) error { return b.wrong(fmt.Errorf(format, a...)) }

// scope reads the history of one scope up to its end.
func (b *reader) scope(s Scope, into Into) (err error) {
	if b.to, err = into(s); err != nil {
		return err
	}
	b.last, b.seq, b.batch, b.gone = s.Since, s.SinceSeq, &store.Batch{}, map[merkle.Digest]uint64{}
	b.parts, b.held = map[merkle.Digest][]byte{}, 0
	if err := b.goOn(s); err != nil {
		return err
	}
	for done := false; err == nil && !done; {
		done, err = b.control(s)
	}
	if err != nil || b.to == nil {
		return err
	}
	if !b.skip.IsZero() {
		return fmt.Errorf("%s: commit %s is not in the bundle: %w", s.Name, b.skip, ErrFork)
	}
	if err := b.to.Sync(); err != nil {
		return err
	}
	return b.leave()
}

// goOn finds the commit of the bundle that a store continues with.
func (b *reader) goOn(s Scope) error {
	b.skip, b.found = merkle.Digest{}, false
	if b.to == nil {
		return nil
	}
	head := b.to.Head()
	switch {
	case head.Seq < s.SinceSeq:
		return fmt.Errorf("%s: the bundle continues from commit %d: %w", s.Name, s.SinceSeq, ErrBehind)
	case head.Seq == s.SinceSeq && head.Commit != s.Since:
		return fmt.Errorf("%s: commit %d differs: %w", s.Name, s.SinceSeq, ErrFork)
	case head.Seq > s.SinceSeq:
		b.skip = head.Commit
	}
	return nil
}

// leave removes purged blocks from the store. Most bundles have none that the store still holds.
func (b *reader) leave() error {
	known, err := b.to.Gone()
	if err != nil {
		return err
	}
	for d := range b.gone {
		if known[d] > 0 {
			if _, err := b.to.Block(d); errors.Is(err, store.ErrPurged) {
				delete(b.gone, d)
			}
		}
	}
	if len(b.gone) == 0 {
		return nil
	}
	return b.to.Rewrite(b.ctx, b.gone)
}

// control reads a control block and the blocks that it announces. It reports whether the scope ends.
func (b *reader) control(s Scope) (done bool, err error) {
	block, err := b.next()
	if err != nil {
		return false, err
	}
	c := &merkle.Codec{In: merkle.NewReader(block), Load: b.partOf}
	if c.In.Peek() != merkle.KindList {
		return false, b.part(block)
	}
	n, word := c.Size(0), ""
	if c.In.Peek() == merkle.KindText {
		c.Fields(&word)
	}
	switch {
	case word == wordBatch && n == 3:
		err = b.announced(c)
	case word == wordGone && n == 2:
		err = b.left(c)
	case word == wordEnd && n == 3:
		return true, b.end(c, s)
	default:
		return false, b.part(block)
	}
	return false, err
}

// part keeps a block that is a part of a mark in a later control block.
func (b *reader) part(block []byte) error {
	if b.held += len(block); b.held > MaxBatch {
		return b.wrongf("parts of marks: %w", ErrTooLarge)
	}
	b.parts[merkle.Sum(block)] = slices.Clone(block)
	return nil
}

// announced reads a control block of a batch and the blocks that it announces.
func (b *reader) announced(c *merkle.Codec) error {
	block := b.at.Data
	var more bool
	var entries []entry
	c.Fields(&more, merkle.ListTo(perControl, &entries, (*entry).code))
	if err := c.Done(); err != nil {
		return b.wrong(err)
	}
	if len(b.parts) > 0 {
		return b.wrongf("a block that was not announced: %w", ErrOrder)
	}
	b.sum = chained(b.sum, block)
	for _, e := range entries {
		if err := b.take(e); err != nil {
			return err
		}
	}
	if more {
		return nil
	}
	return b.append()
}

// partOf returns a part of a mark, and forgets it.
func (b *reader) partOf(d merkle.Digest) ([]byte, error) {
	part, ok := b.parts[d]
	if !ok {
		return nil, fmt.Errorf("a part of a mark: %w", store.ErrNotFound)
	}
	delete(b.parts, d)
	b.held -= len(part)
	return part, nil
}

// take adds an announced record to the batch.
func (b *reader) take(e entry) error {
	data := []byte(e.mark)
	if e.kind != store.Mark {
		block, err := b.next()
		if err != nil {
			return err
		}
		if b.at.Digest != e.digest {
			return b.wrongf("block %s was announced: %w", e.digest, ErrOrder)
		}
		data = block
	}
	if e.kind == store.Commit {
		seq, err := graph.CommitSeq(data)
		if err != nil {
			return b.wrong(err)
		}
		if seq != b.seq+1 {
			return b.wrongf("commit %d after commit %d: %w", seq, b.seq, ErrOrder)
		}
		b.seq, b.last = seq, e.digest
	}
	if b.batch.Size()+int64(len(data)) > MaxBatch {
		return b.wrongf("a batch of more than %d bytes: %w", MaxBatch, ErrTooLarge)
	}
	if e.kind == store.Commit && e.digest == b.skip {
		b.found = true
	}
	if b.to != nil && b.skip.IsZero() {
		b.batch.Add(e.kind, data)
	}
	return nil
}

// append appends a complete batch to the store.
func (b *reader) append() error {
	batch := b.batch
	b.batch = &store.Batch{}
	if b.found {
		b.skip, b.found = merkle.Digest{}, false
	}
	if b.to == nil || batch.Len() == 0 {
		return nil
	}
	batch.Defer()
	_, err := b.to.Append(b.ctx, batch)
	if err == nil {
		b.to.SetHead(store.Head{Seq: b.seq, Commit: b.last}) // an interrupted reading continues from here
	}
	return err
}

// left reads the digests of purged blocks.
func (b *reader) left(c *merkle.Codec) error {
	c.Fields(merkle.Entries(b.gone, merkle.Digest.Compare, func(d *merkle.Digest, by *uint64, c *merkle.Codec) {
		if c.Record(d, by); *by == 0 {
			c.Fail(ErrBundle)
		}
	}))
	if err := c.Done(); err != nil {
		return b.wrong(err)
	}
	b.sum = chained(b.sum, b.at.Data)
	return nil
}

// end checks that the scope is complete.
func (b *reader) end(c *merkle.Codec, s Scope) error {
	name, sum := "", merkle.Digest{}
	c.Fields(&name, &sum)
	err := c.Done()
	switch {
	case err != nil:
	case name != s.Name || sum != b.sum || b.batch.Len() > 0 || len(b.parts) > 0:
		err = fmt.Errorf("this is the end of another scope or another bundle: %w", ErrOrder)
	case b.seq != s.Seq || b.last != s.Head:
		err = fmt.Errorf("%s ends with commit %d and not with %d: %w", s.Name, b.seq, s.Seq, ErrOrder)
	default:
		return nil
	}
	return b.wrong(err)
}
