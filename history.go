// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// History goes through the history of a memory: snapshots, earlier views, rollback, revert, merge.
// It is safe for concurrent use. What changes files changes all of them or none.
type History interface {
	// Snapshots lists the snapshots, newest first. It does not wait for writers.
	Snapshots() []history.Snapshot
	// Log lists commits, newest first, at most limit (0: all). With an id it lists those that
	// changed that node, through renames and moves; an earlier id works too, unless another
	// node has it now. Errors: NotFound (the history has no such node). O(commits listed);
	// with an id, a read for each commit.
	Log(ctx context.Context, id string, limit int) ([]Commit, error)
	// CommitsOf lists, oldest first, the commits of an author, of a session, or of the author
	// in the session if both are given; all of them, or those from the beginning of a date or
	// after a moment named as in Rollback. The first commit of a memory is never listed.
	// Errors: Invalid (neither is given), NotFound (the moment). O(commits).
	CommitsOf(ctx context.Context, by author.Author, session, since string) ([]Commit, error)
	// At returns the view of an earlier moment, named as in Rollback: a snapshot's index or
	// name, a commit, a date, or "head". It does not wait for writers. Errors: NotFound, also
	// if content of that moment was purged or thinned.
	At(ctx context.Context, ref string) (View, error)
	// Version returns an earlier version of a node by its own digest or version, with its id
	// and place at that time. Errors: NotFound.
	Version(ctx context.Context, id string, d merkle.Digest) (*node.Node, error)
	// Was returns the id that a present node had at an earlier moment, "" if it did not exist
	// then. Errors: Corrupt. Each commit since costs a read.
	Was(ctx context.Context, id string, at View) (string, error)
	// Blame returns the lines of a node's own text, each with its line end, and for each line
	// the commit that introduced it, following renames and moves of the node. A line that was
	// removed and restored, for instance by a rollback, belongs to the commit that introduced
	// it first. gone lists the commits whose text of the node was purged, thinned or lost;
	// their lines are attributed to the next commit. The text is that of v, the reader's view
	// of the present; nil is the whole present. Errors: NotFound (no such node in the view).
	// It costs a read for each commit and a comparison for each version of the node.
	Blame(ctx context.Context, v View, id string) (lines []string, by, gone []Commit, err error)
	// Resolve returns a reference that names the same commit after later commits: the index
	// of a snapshot grows as new ones are made.
	Resolve(ctx context.Context, ref string) (string, error)
	// Snapshot durably keeps the present state under a name; an empty name makes an automatic
	// snapshot. Errors: Conflict (the claim of the actor is not in force), Invalid (a name that
	// reads as an index, a date or a digest; an empty
	// memory), Denied (see author.Actor.Renames), ReadOnly.
	Snapshot(ctx context.Context, name string) (history.Snapshot, error)
	// Checkpoint writes an image of the present state, so that the next opening replays
	// nothing, and keeps the state under a name for Restore; the default name is checkpoint-
	// and the date. It returns the snapshot and the path of the image. If image and name
	// exist already, nothing is written. Errors: Conflict, Invalid and Denied as in Snapshot, ReadOnly,
	// Other (the image cannot be written). O(nodes).
	Checkpoint(ctx context.Context, name string) (s history.Snapshot, image string, err error)
	// Rollback makes an earlier state the present one, as a new commit after an automatic
	// snapshot, so two rollbacks to 0 cancel out. ref is a snapshot's index (0 is the newest)
	// or name, a commit (seq:N or its digest), or a date. Files follow in the same step: all
	// are checked first, and one that changed since it was read, or that an editor has
	// locked, stops the rollback. Files that are the same in both states but missing from the
	// folder are written too, which alone makes no commit. Ingest the folder just before, and
	// resolve ref before that, see Resolve. It returns the commit (the zero Commit if there
	// was nothing to change) and the files written or removed, or with MemoryOnly those that
	// now drift. Errors: NotFound, Conflict (the files are listed), Invalid, ReadOnly.
	Rollback(ctx context.Context, ref string, opts *WriteOptions) (Commit, []string, error)
	// Restore rolls back to a named snapshot, made by Checkpoint or Snapshot; an empty name
	// means that of the newest commit. Files follow as in Rollback, under the same
	// conditions: an error leaves memory and files unchanged. It returns the snapshot, and
	// commit and files as Rollback does. Errors: NotFound (no such name, or no named
	// snapshot), and those of Rollback.
	Restore(ctx context.Context, name string, opts *WriteOptions) (history.Snapshot, Commit, []string, error)
	// RestoreFiles writes files from memory, each in its newest version, or in the version at
	// a moment that at names as in Rollback. Without paths it restores the missing files.
	// Other files are unchanged. Conditions and results are those of Rollback; there is no
	// commit if memory already has the texts. Errors: NotFound (no version of a file), and
	// those of Rollback. Without at, finding a file that memory no longer has costs a walk
	// over the commits since its removal.
	RestoreFiles(ctx context.Context, paths []string, at string, opts *WriteOptions) (Commit, []string, error)
	// Revert undoes commits, given by number, and keeps later changes. It makes a new commit
	// after an automatic snapshot: rolling back to 0 undoes it. Fields, lines and notes that
	// nothing changed since are as they were before those commits. Later changes that build
	// on them stay, and the conflict is kept in the note: see document.Merging. Files follow as
	// in Rollback, all or none. It returns the commit (the zero Commit if there was nothing
	// to change), the files written or removed, and the conflicts, which a repeated op does
	// not return again. Errors: NotFound (a commit, or its content is no longer kept),
	// Conflict (the files are listed), Invalid (the first commit of the memory), ReadOnly.
	// O(commits since the oldest of them, and a merge for each run of them).
	Revert(ctx context.Context, commits []uint64, opts *WriteOptions) (Commit, []string, []document.Conflict, error)
	// Merge merges another copy of this memory: the one in the state folder of that path,
	// which must have this memory's scope. Nodes and fields that one side changed since the
	// merge base are taken from it. If both changed the same one, one value stays and the
	// other is kept in the note as a conflict; see document.Merging and ResolveConflicts. The
	// merge is a commit with two parents that depends on them alone, so every merge of the
	// two gets the same root; if this memory has no changes of its own, it is the other's
	// newest commit. The commit that Merge makes and returns follows that commit and the head
	// here: see Commit.Parents. The other side's history is imported, and what was forgotten
	// there stays forgotten here.
	//
	// Files follow as in Rollback, all or none; ingest both folders just before. Merge locks
	// the other state folder and writes nothing into it, except to clean up after a crash, as
	// opening does. It returns the commit (the zero Commit if the other has nothing new), the
	// files written or removed, and the conflicts, which a repeated op does not return again.
	// Errors: NotFound (no such state folder, no such scope in it, or content that the merge
	// needs was purged), Invalid (no commit in common, a session, Skip), Conflict (the files
	// are listed, or another process has the other memory open), Corrupt (the other memory),
	// ReadOnly. O(commits of both since the merge base, their changes, and reading the
	// other's newest image).
	Merge(ctx context.Context, state string, opts *WriteOptions) (Commit, []string, []document.Conflict, error)
	// Drift returns the files that differ from memory on purpose since a rollback of memory
	// only: by path, the digest that the file had and that of its content in memory, zero for
	// no file. A file that changed since stays in drift until it is read.
	Drift() map[string][2]merkle.Digest
	// AdoptDrift ends the drift of files, of all if none is named: memory takes their
	// content, as one commit after an automatic snapshot. It returns the commit, zero if
	// nothing drifts, and the files. Errors: NotFound (a file does not drift), ReadOnly, and
	// those of reading a file.
	AdoptDrift(ctx context.Context, opts *WriteOptions, paths ...string) (Commit, []string, error)
	// ApplyDrift ends the drift of files, of all but ignore files if none is named: it writes their
	// content in memory to them, all or none. It returns the files. It makes no commit: memory stays as
	// it is. Errors: NotFound (a file does not drift), Conflict (a file changed since it was
	// seen), Busy, ReadOnly.
	ApplyDrift(ctx context.Context, paths ...string) ([]string, error)
	// SignedHead returns the newest commit with a signed note of it, to keep elsewhere and
	// pass to Verify, which then reports whether the history still contains that commit. The
	// note is a function of the commit, the key and what is trusted
	// of protected files; if the commit came without a signature that counts here,
	// Options.Signer makes one. Errors: Invalid (an empty memory, no key to sign with),
	// Corrupt.
	SignedHead(ctx context.Context) (*history.Head, error)
	// Heartbeat must be called every minute by a process that keeps a memory open. It writes
	// an image if much of the journal is newer than the last one, so that the next opening
	// stays quick; everything acknowledged is durable without it. Otherwise it writes nothing
	// and costs a lookup. It does not read the folder. Errors: Invalid (closed), ReadOnly,
	// Other (the image cannot be written; the next call tries again).
	Heartbeat(ctx context.Context) error
}

// passage is the History of a scope; its views are those of a program.
type passage struct{ *travel.History }

// Inside is for travel.Of.
func (p passage) Inside() *travel.History { return p.History }

func (p passage) At(ctx context.Context, ref string) (View, error) {
	v, err := p.History.At(ctx, ref)
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (p passage) Blame(ctx context.Context, v View, id string) (lines []string, by, gone []Commit, err error) {
	if v == nil {
		return p.History.Blame(ctx, nil, id)
	}
	return p.History.Blame(ctx, view.Of(v), id)
}

func (p passage) Was(ctx context.Context, id string, at View) (string, error) {
	return p.History.Was(ctx, id, view.Of(at))
}
