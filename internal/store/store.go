// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"fmt"
	"path"

	"github.com/fovea-memory/fovea/merkle"
)

// Store keeps a history. All methods are safe for concurrent use.
type Store interface {
	// Append makes the batch durable and returns the position after it. Batches of
	// goroutines that call it at the same time may share one write, in the order of the
	// calls. An empty batch does nothing.
	//
	// If the context ends before the batch's turn, its error is returned and nothing was written; a write that
	// has begun is always completed. ErrKind and ErrTooLarge refuse only the batch. After any other error the
	// store is read-only (ErrReadOnly), and whether it has the batch shows when it is opened again. A closed
	// store returns ErrClosed.
	Append(ctx context.Context, b *Batch) (Pos, error)

	// Block returns the block or commit with the digest, hashed after it was read; the caller owns it. It
	// returns ErrNotFound if no record has it, a Purged if it was left out on purpose, and a Corruption if the
	// record is damaged.
	Block(d merkle.Digest) ([]byte, error)

	// Commits calls fn with the commits of the span in its order, verified. Commits are numbered from 1 in the
	// order of the history; numbers beyond its ends are skipped. An error of fn ends it and is returned
	// unchanged. Damage is a Corruption and makes the store read-only.
	Commits(ctx context.Context, span Span, fn func(Record) error) error

	// Replay calls fn with each record from a position up to the durable end at the time of the call, in order
	// and verified, whole batches only. The position is zero, the end of a batch as Append returned it, or an
	// Image's At; one past the end yields no record. Packing and rewriting keep positions. A batch may lack
	// blocks that occurred before: Block finds them. Intents that a later batch settled may be missing. An
	// error of fn ends it and is returned as it is. Damage is a Corruption and makes the store read-only.
	Replay(from Pos, fn func(Record) error) error

	// Sync makes everything durable that Append acknowledged before it was. After an error the store is
	// read-only. Errors: ErrReadOnly, ErrClosed.
	Sync() error

	// End returns the position after the last acknowledged batch.
	End() Pos

	// Size returns the size of the history in bytes.
	Size() (int64, error)

	// Head returns the head that SetHead set, else that of the last close; zero for a store that was never
	// closed.
	Head() Head

	// SetHead sets the newest commit for Close to keep. It is cheap; call it after each commit.
	SetHead(h Head)

	// LoadImage returns the newest image that verifies, or ErrNoImage. A derived section
	// that is damaged is left out. It returns ErrUnknownFormat for an image of a newer
	// version. The image is the caller's.
	LoadImage() (*Image, error)

	// WriteImage stores an image, durably and all or nothing, and keeps at least the one before it. img.At must
	// be durable: a result of Append. It returns ErrSection or ErrTooLarge for an invalid image, and
	// ErrReadOnly; any other error leaves the existing images, and the records, unchanged.
	WriteImage(img Image) error

	// Check reads everything again and calls fn with each defect, at most once for each file, in the order of
	// the history. It returns the number of records that verified. Damage makes the store read-only. Errors:
	// ErrClosed, that of the context, those of the file system. O(history).
	Check(ctx context.Context, fn func(Corruption)) (records uint64, err error)

	// Pack moves history that only Block and Commits still read to where it takes less space. Their results
	// stay the same. Appends and reads continue meanwhile. Errors: ErrReadOnly, ErrClosed, that of the context,
	// a Corruption of data to be moved, those of the file system.
	Pack(ctx context.Context) error

	// Packed reports whether some of the history was moved.
	Packed() bool

	// Rewrite rewrites all history without the blocks of gone, in one atomic step. From then on Block returns a
	// Purged for them, even for blocks that were never stored, with the commit of that number. They must not be
	// blocks that commits are made of. Commits, marks and the order of what stays do not change; the first of
	// equal blocks stays. Nothing appended meanwhile is dropped. Images are not changed: write an image after
	// this and call RemoveImages. Errors are those of Pack. O(history).
	Rewrite(ctx context.Context, gone map[merkle.Digest]uint64) error

	// Gone returns the blocks that were left out, each with the number of the commit. The
	// map is the caller's. O(blocks left out).
	Gone() (map[merkle.Digest]uint64, error)

	// RemoveImages removes the images of commits before seq, so that they do not keep what Rewrite left out.
	// Errors: ErrReadOnly, ErrClosed.
	RemoveImages(before uint64) error

	// Recovery returns what opening the store found and what reading it has found since.
	// The result shares nothing with the store.
	Recovery() Recovery

	// InPlace returns nil if a write would count: the store is where it was opened. Otherwise it returns the
	// error of a write, which wraps ErrReplaced if something was moved. It changes nothing: files that were
	// moved away can be put back. A store that is read-only for another reason may be in place. Errors:
	// ErrClosed.
	InPlace() error

	// Owned returns an error unless this process still has the lock that covers the store.
	Owned() error

	// Err returns why the store is read-only, an error that wraps ErrReadOnly and the
	// cause, or nil.
	Err() error

	// Stop makes the store read-only until it is opened again, as a write error does:
	// its owner has found that the store's assumptions no longer hold. The first
	// cause counts. A Corruption is also what the store's Recovery reports.
	Stop(cause error)

	// Close completes the writes that have begun and keeps the head. Waiting Appends get ErrClosed. A read-only
	// store is closed without a change. A second call does nothing.
	Close() error
}

// Span is a range of commits by number, both ends included.
type Span struct {
	From, To uint64
	// Backward gives the commit To first.
	Backward bool
}

// Head names the newest commit.
type Head struct {
	// Seq is the commit's number, 0 for none.
	Seq uint64
	// Commit is the commit's digest.
	Commit merkle.Digest
}

// Names in a state folder; see doc/format/state-folder.md.
const (
	// FormatFile has the format of the folder, and the path of its memex.
	FormatFile = "FORMAT"
	// LockFile is locked by the process that owns the folder.
	LockFile = "LOCK"
	// HeadFile has the head of the last clean close.
	HeadFile = "head"
	// JournalFolder has the segments of the journal.
	JournalFolder = "journal"
	// ImageFolder has the images.
	ImageFolder = "image"
	// PackFolder has the packs, and the manifest that names them.
	PackFolder = "packs"
	// Quarantine has damaged files, so that they are neither used nor lost.
	Quarantine = "quarantine"

	// ImageSuffix ends the names of images.
	ImageSuffix = ".img"
)

// HistoryFolders are the folders that hold the history.
var HistoryFolders = [...]string{JournalFolder, ImageFolder, PackFolder}

// The magic words at the beginning of files of a state folder, or of parts of them.
const (
	FormatMagic   = "fovea state"
	HeadMagic     = "FOVEAHED"
	SegmentMagic  = "FOVEAJNL"
	PackMagic     = "FOVEAPAK"
	PackEndMagic  = "FOVEAPEN"
	ManifestMagic = "FOVEAPKS"
	ImageMagic    = "FOVEAIMG"
	ImageEndMagic = "FOVEAEND"
)

// Magics are all magic words.
var Magics = [...]string{FormatMagic, HeadMagic, SegmentMagic, PackMagic, PackEndMagic, ManifestMagic, ImageMagic, ImageEndMagic}

// ImageName returns the name, within the state folder, of the image of the commit with a number.
func ImageName(seq uint64) string {
	return path.Join(ImageFolder, fmt.Sprintf("%012d%s", seq, ImageSuffix))
}
