// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// ReadArchive fetches the packs of an archive and hands the bundle of each, in order, to read,
// which must read it to its end. Errors: that of read, ErrOrder, ErrOther, place.ErrTooLarge,
// place.ErrSeal, those of a call.
func (c *Client) ReadArchive(ctx context.Context, m *Manifest, key place.Identity, read func(bundle io.Reader) error) error {
	for i := range m.Packs {
		if err := c.readPack(ctx, m, &m.Packs[i], key, read); err != nil {
			return fmt.Errorf("pack %d of %d: %w", i+1, len(m.Packs), err)
		}
	}
	return nil
}

func (c *Client) readPack(ctx context.Context, m *Manifest, p *Pack, key place.Identity, read func(io.Reader) error) error {
	from, to := io.Pipe()
	var fetchErr error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if fetchErr = c.fetch(ctx, m, p, to); fetchErr == nil {
			fetchErr = io.EOF
		}
		_ = to.CloseWithError(fetchErr) // it returns nil
	}()
	in, err := io.Reader(from), error(nil)
	if m.Sealed {
		in, err = place.Unseal(from, key)
	}
	if err == nil {
		err = read(in)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, in) // to the end of the seal
	}
	_ = from.CloseWithError(errStopped)
	<-ended
	if fetchErr != io.EOF && !errors.Is(fetchErr, errStopped) {
		return fetchErr
	}
	return err
}

// fetch writes the bundle of a pack, as it is sealed, to w.
func (c *Client) fetch(ctx context.Context, m *Manifest, p *Pack, w io.Writer) error {
	a, err := c.export(ctx, p.List)
	if err != nil {
		return err
	}
	defer a.Close()
	in, err := place.NewMixedReader(a)
	if err != nil {
		return unwrapped(err)
	}
	f := &fetcher{c: c, ctx: ctx, in: in, seen: map[merkle.Digest]bool{}, left: p.Size}
	var out *place.Writer
	if m.Sealed {
		f.take = func(piece []byte) error {
			_, err := w.Write(piece)
			return err
		}
	} else {
		if out, err = place.NewWriter(w, p.roots()...); err != nil {
			return err
		}
		f.take = func(piece []byte) error {
			_, err := out.Put(piece)
			return err
		}
	}
	if err := f.list(p.List, 0); err != nil {
		return err
	}
	if f.left > 0 {
		return fmt.Errorf("a pack that lacks %d bytes: %w", f.left, ErrOrder)
	}
	if out != nil {
		err = out.Close()
	}
	return err
}

// unwrapped is what ended a stream: rather what the daemon said than where it ended.
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

// fetcher reads the pieces that a list names from an export, which has each block once, in the
// order in which it is first named.
type fetcher struct {
	c     *Client
	ctx   context.Context
	in    *place.Reader
	seen  map[merkle.Digest]bool
	left  uint64 // bytes of pieces that are to come
	count int
	take  func(piece []byte) error
}

// maxDepth is how many lists stand above one another: 1024 links each, for MaxPieces.
const maxDepth = 3

func (f *fetcher) list(d merkle.Digest, depth int) error {
	if depth >= maxDepth {
		return fmt.Errorf("lists within lists: %w", ErrOther)
	}
	block, err := f.next(d)
	if err != nil {
		return err
	}
	links, raw, err := readList(block)
	if err != nil {
		return fmt.Errorf("%s: %w", d, err)
	}
	for _, link := range links {
		if !raw {
			err = f.list(link, depth+1)
		} else {
			err = f.piece(link)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *fetcher) piece(d merkle.Digest) error {
	piece, err := f.next(d)
	if err != nil {
		return err
	}
	if f.count++; len(piece) == 0 || uint64(len(piece)) > f.left || f.count > MaxPieces {
		return fmt.Errorf("block %s: more than the archive says that it has: %w", d, place.ErrTooLarge)
	}
	f.left -= uint64(len(piece))
	return f.take(piece)
}

// next returns a block: the next one of the export, or one that was there before.
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
