// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// ReadArchive fetches the packs of an archive and passes the bundle of each, in order, to read,
// which must read it to its end. Errors: that of read, ErrOrder, ErrOther, place.ErrTooLarge,
// place.ErrSeal, those of a call.
func (c *Client) ReadArchive(ctx context.Context, m *place.Manifest, key place.Identity, read func(bundle io.Reader) error) error {
	for i, p := range m.Packs {
		if err := c.readPack(ctx, p, m.Sealed, key, read); err != nil {
			return fmt.Errorf("pack %d of %d: %w", i+1, len(m.Packs), err)
		}
	}
	return nil
}

func (c *Client) readPack(ctx context.Context, p place.Pack, sealed bool, key place.Identity, read func(io.Reader) error) error {
	a, err := c.export(ctx, p.List)
	if err != nil {
		return err
	}
	defer a.Close()
	f := &fetcher{c: c, ctx: ctx, seen: map[merkle.Digest]bool{}, left: p.Size}
	f.lists = walkOf(p.List, f.next)
	if f.in, err = place.NewMixedReader(a); err != nil {
		return unwrapped(err)
	}
	parts := &place.Joined{Next: f.piece}
	var in io.Reader
	if sealed {
		in, err = place.Unseal(parts, key)
	} else {
		var section []byte
		parts.Next = func() ([]byte, error) {
			piece, err := f.piece()
			section = place.AppendBlock(section[:0], piece)
			return section, err
		}
		in = io.MultiReader(bytes.NewReader(place.AppendHeader(nil, p.Roots())), parts)
	}
	if err == nil {
		err = read(in)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in) // to the end of the seal
	}
	if fetchErr := parts.Err(); fetchErr != nil { // it is the cause of the reader's error
		return fetchErr
	}
	return err
}

// unwrapped returns the cause of a stream's end: the daemon's message instead of the position.
func unwrapped(err error) error {
	for _, of := range []error{ErrDaemon, ErrSlow, ErrDown} {
		if errors.Is(err, of) {
			return err
		}
	}
	if errors.Is(err, place.ErrTruncated) || err == io.EOF {
		return fmt.Errorf("the daemon ends too early: %w", ErrAnswer)
	}
	return err
}

// fetcher reads the pieces of a list from an export, which has each block once, in the order of
// first use.
type fetcher struct {
	c     *Client
	ctx   context.Context
	in    *place.Reader
	lists *walk
	seen  map[merkle.Digest]bool
	left  uint64 // bytes of the remaining pieces
	count int
}

// piece returns the next piece, io.EOF after the last one.
func (f *fetcher) piece() ([]byte, error) {
	d, err := f.lists.next()
	if err == io.EOF && f.left > 0 {
		return nil, fmt.Errorf("a pack that lacks %d bytes: %w", f.left, ErrOrder)
	}
	if err != nil {
		return nil, err
	}
	piece, err := f.next(d)
	if err != nil {
		return nil, err
	}
	if f.count++; len(piece) == 0 || uint64(len(piece)) > f.left || f.count > MaxPieces {
		return nil, fmt.Errorf("block %s: more bytes than the archive declares: %w", d, place.ErrTooLarge)
	}
	f.left -= uint64(len(piece))
	return piece, nil
}

// next returns a block: the next one of the export, or one that came earlier.
func (f *fetcher) next(d merkle.Digest) ([]byte, error) {
	if f.seen[d] {
		return f.c.Block(f.ctx, d)
	}
	b, err := f.in.Next()
	if err != nil {
		return nil, fmt.Errorf("block %s: %w", d, unwrapped(err))
	}
	if b.Digest != d {
		return nil, fmt.Errorf("block %s instead of %s: %w", b.Digest, d, ErrOrder)
	}
	f.seen[d] = true
	return b.Data, nil
}
