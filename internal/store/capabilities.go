// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/merkle"
)

// Syncer is a store whose Append may return before the batch is durable.
type Syncer interface {
	// Sync makes everything durable that Append acknowledged. After an error the store is
	// read-only. Errors: ErrReadOnly, ErrClosed.
	Sync() error
}

// Recoverer is a store that can be opened after a crash, or with damage.
type Recoverer interface {
	// Recovery returns what opening the store found and what reading it has found since.
	// The result shares nothing with the store.
	Recovery() Recovery
}

// Placed is a store in a place that can be taken from it while it is open.
type Placed interface {
	// InPlace returns nil while a write would count: the store is where it was opened.
	// Otherwise the error is that of a write, and wraps ErrReplaced where something was
	// moved. It changes nothing: what was moved away can be put back. A store that is
	// read-only for another reason may be in place. Errors: ErrClosed.
	InPlace() error
	// Owned returns an error unless this process still has the lock that covers the store.
	Owned() error
}

// Checker is a store whose history can be damaged without its knowing.
type Checker interface {
	// Check reads everything again and calls fn with what is wrong, at most once for each
	// file, in the order of the history. It returns how many records verified. Damage
	// makes the store read-only. Errors: ErrClosed, that of the context, those of the
	// file system. O(history).
	Check(ctx context.Context, fn func(Corruption)) (records uint64, err error)
}

// Packer is a store that can move old history to where it takes less room.
type Packer interface {
	// Pack moves history that only Block and Commits still read. What they return stays
	// the same. Appends and reads go on meanwhile. Errors: ErrReadOnly, ErrClosed, that of
	// the context, a Corruption of what was to be moved, those of the file system.
	Pack(ctx context.Context) (Packed, error)
	// Packed reports whether some of the history was moved.
	Packed() bool
}

// Rewriter is a store that can leave blocks out of its history for good.
type Rewriter interface {
	// Rewrite writes all history anew without the blocks for which drop returns a number,
	// in one atomic step. From then on Block returns a Purged for them that names the
	// commit of that number, and for the blocks of gone, which need not have been here.
	// It is 0 for a block that stays. Commits, marks and the order of what stays do not change; of
	// equal blocks the first stays. Of what is appended meanwhile nothing is dropped.
	// drop is called with each Block record in order and keeps nothing of its data; it
	// must not choose blocks that commits are made of. Images are not looked at: write an
	// image after this and call RemoveImages. Errors are those of Pack. O(history).
	Rewrite(ctx context.Context, drop func(d merkle.Digest, data []byte) uint64, gone map[merkle.Digest]uint64) (Packed, error)
	// Gone returns the blocks that were left out, each with the number of the commit. The
	// map is the caller's. O(blocks left out).
	Gone() (map[merkle.Digest]uint64, error)
	// RemoveImages removes the images of commits before seq, so that nothing that Rewrite
	// dropped is left in them. Errors: ErrReadOnly, ErrClosed.
	RemoveImages(before uint64) error
}

// Sizer is a store that takes room somewhere.
type Sizer interface {
	// Size returns how many bytes the history takes.
	Size() (int64, error)
}

// Packed says what Pack or Rewrite did.
type Packed struct {
	// Segments counts the segments that are in packs now and were not before.
	Segments int
	// Packs counts the packs that were written.
	Packs int
	// Dropped counts the records of blocks that were left out for good.
	Dropped int
	// Before and After are the bytes of the files that were replaced, and of those in
	// their place.
	Before, After int64
}

// Sync is Syncer.Sync; a store without it has nothing to do.
func Sync(s Store) error {
	if s, ok := s.(Syncer); ok {
		return s.Sync()
	}
	return nil
}

// RecoveryOf is Recoverer.Recovery; a store without it found nothing.
func RecoveryOf(s Store) Recovery {
	if s, ok := s.(Recoverer); ok {
		return s.Recovery()
	}
	return Recovery{}
}

// InPlace is Placed.InPlace; a store without it cannot be moved.
func InPlace(s Store) error {
	if s, ok := s.(Placed); ok {
		return s.InPlace()
	}
	return nil
}

// Owned is Placed.Owned; a store without it belongs to this process alone.
func Owned(s Store) error {
	if s, ok := s.(Placed); ok {
		return s.Owned()
	}
	return nil
}

// Check is Checker.Check; a store without it has nothing to read again.
func Check(ctx context.Context, s Store, fn func(Corruption)) (records uint64, err error) {
	if s, ok := s.(Checker); ok {
		return s.Check(ctx, fn)
	}
	return 0, nil
}

// Pack is Packer.Pack; a store without it packs nothing.
func Pack(ctx context.Context, s Store) (Packed, error) {
	if s, ok := s.(Packer); ok {
		return s.Pack(ctx)
	}
	return Packed{}, nil
}

// IsPacked is Packer.Packed.
func IsPacked(s Store) bool {
	p, ok := s.(Packer)
	return ok && p.Packed()
}

// Rewrite is Rewriter.Rewrite, or errors.ErrUnsupported. by is the number of the commit that
// says why the blocks that drop chooses go.
func Rewrite(ctx context.Context, s Store, by uint64, drop func(d merkle.Digest, data []byte) bool) (Packed, error) {
	if s, ok := s.(Rewriter); ok {
		return s.Rewrite(ctx, func(d merkle.Digest, data []byte) uint64 {
			if drop != nil && drop(d, data) {
				return by
			}
			return 0
		}, nil)
	}
	return Packed{}, fmt.Errorf("rewrite history: %w", errors.ErrUnsupported)
}

// Leave makes a history do without the blocks that another one does without: Block returns a
// Purged for all of them, whether they were ever here or not. Errors: those of
// Rewriter.Rewrite, errors.ErrUnsupported. O(history), nothing where there are none.
func Leave(ctx context.Context, s Store, gone map[merkle.Digest]uint64) error {
	if len(gone) == 0 {
		return nil
	}
	if s, ok := s.(Rewriter); ok {
		_, err := s.Rewrite(ctx, func(d merkle.Digest, _ []byte) uint64 { return gone[d] }, gone)
		return err
	}
	return fmt.Errorf("leave blocks out: %w", errors.ErrUnsupported)
}

// RemoveImages is Rewriter.RemoveImages, or errors.ErrUnsupported.
func RemoveImages(s Store, before uint64) error {
	if s, ok := s.(Rewriter); ok {
		return s.RemoveImages(before)
	}
	return fmt.Errorf("remove images: %w", errors.ErrUnsupported)
}

// Gone is Rewriter.Gone; a store without it leaves nothing out.
func Gone(s Store) (map[merkle.Digest]uint64, error) {
	if s, ok := s.(Rewriter); ok {
		return s.Gone()
	}
	return nil, nil
}

// Size is Sizer.Size, 0 for a store without it.
func Size(s Store) (int64, error) {
	if s, ok := s.(Sizer); ok {
		return s.Size()
	}
	return 0, nil
}
