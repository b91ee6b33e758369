// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/working"
)

// Notes changes the notes of a memory. It writes only the affected lines of a file. It is safe for
// concurrent use. The author of a change is that of the context, see WithActor.
type Notes interface {
	// Remember saves a note as a headline of an Org file. under is a place as for Insert, or a
	// folder with a trailing slash: the note then goes to the folder's file of the month, such
	// as agents/ada/2026-11.org, or 2026-11-2.org once that has 256 KiB. Notes that arrive while
	// another note is written to the same file are written together, each as its own commit. The
	// note is durable when Remember returns.
	//
	// An agent's note is one whose author is not the owner, see WithActor. Its drawer records the
	// author, the session, the time, and that it is unreviewed. It is not written if a headline
	// has the same title and text, ignoring case, white space and Unicode form, or if another
	// author has forgotten an equal note.
	//
	// Remember returns the commit and the id of the headline; for a note that exists already, the
	// zero Commit and the id of the existing node. similar lists, for an agent's note, at most five
	// nodes with a similarity of at least SimilarFrom, most similar first.
	//
	// Errors are those of Insert; also Denied (another author has forgotten an equal note), and
	// Invalid for an agent's note over 64 KiB.
	Remember(ctx context.Context, under string, h document.InsertHeadline, opts *WriteOptions) (c Commit, id string,
		similar []string, err error)
	// Insert adds a headline as the last child of a node, or to an Org file, which is created if
	// it does not exist. The headline keeps its :ID: wherever it moves; if h has none, Insert
	// adds a random UUID. A child of a node without a file is in no file either. Insert returns
	// the id. Errors are those of Edit; Conflict also if another node has the id.
	Insert(ctx context.Context, under string, h document.InsertHeadline, opts *WriteOptions) (Commit, string, error)
	// Edit applies typed edits, in order, to a headline of an Org file, or to a document if the
	// edit applies to documents. For a node without a file they change the attributes and the
	// content. The file changes in the same step, and only in the affected lines. opts.Base
	// is the node's own digest as the caller read it. Edit reads the file first
	// and commits a change found there separately, by "file". It returns the zero Commit if
	// nothing changed. After any error the file is as it was. Errors: NotFound, Invalid (the
	// edit, or a file that is not Org), Conflict (Error.Mine and Error.Theirs hold both texts; or
	// an :ID: that is taken), Busy (an editor holds the file), ReadOnly (the file, its folder or
	// the store), Other. Complexity is that of reading and writing the file.
	Edit(ctx context.Context, id string, opts *WriteOptions, edits ...document.Edit) (Commit, error)
	// AssignIDs gives each node without an :ID: property a random UUID, which it keeps wherever it
	// moves. All files change in one step, or none does. AssignIDs returns the ids of the nodes
	// in the order of ids, and the zero Commit if all had one. Fovea adds ids to existing nodes of
	// files at no other time. Errors are those of Edit.
	AssignIDs(ctx context.Context, ids []string, opts *WriteOptions) (Commit, []string, error)
	// Refile moves a headline with its descendants to the end of the children of another headline
	// or document, in any file of the memex. Both files change in one step, or neither does. A
	// node without a file moves below another such node, or into a file, where it becomes a
	// headline with its attributes in the drawer. opts are those of Edit, with
	// the version of the node as Base. Errors are those of Edit; Invalid also for a node or a target of another scope.
	Refile(ctx context.Context, id, target string, opts *WriteOptions) (Commit, error)
	// Archive moves a headline with its descendants to the archive of its file, as Org does:
	// FILE_archive, or the file that #+ARCHIVE or the property ARCHIVE names. Both files change
	// in one step, or neither does. opts are those of Refile. Errors are those of Edit; Invalid also
	// for an archive that is not an Org file of the memex.
	Archive(ctx context.Context, id string, opts *WriteOptions) (Commit, error)
	// Forget deletes a node and its subtree from its file, and keeps agents from bringing it
	// back: Remember refuses a note with a forgotten title and text, except from the owner
	// and from the only agent that forgot it, whose note lifts the tombstone. Text that the
	// owner saves in a file is never refused. History keeps forgotten content until it is
	// purged, and a rollback to an earlier state lifts the tombstones. opts and errors are as
	// in Refile.
	Forget(ctx context.Context, id string, opts *WriteOptions) (Commit, error)
	// Forgotten reports whether a note of this title and text was forgotten and its tombstone
	// not lifted since, ignoring case, white space and Unicode form. Imports leave out such
	// notes.
	Forgotten(title, text string) bool
	// ResolveConflicts ends conflicts recorded in a node of an Org file, given by index in
	// document.Editor.Conflicts, or all of them if none is given. With take the version that lost
	// replaces the present one, otherwise the present one stays; taking a deletion deletes the
	// node. The drawer and the tag go with the last conflict. opts, the file, the result and the
	// errors are as for Edit. If the text to replace has changed since, the error is Conflict and
	// nothing changes.
	ResolveConflicts(ctx context.Context, id string, opts *WriteOptions, take bool, which ...int) (Commit, error)
	// Done reports whether an operation with the key has already made a commit of this kind, and
	// returns the node that it edited, by its id at the time: a retry cannot find a node by its
	// old title, or one that the operation removed. Errors: those of the operation, Conflict if
	// another operation has used the key.
	Done(ctx context.Context, key, kind string) (id string, done bool, err error)
}

// Blocks is the working memories of the agents in one session: the memory of a scope session/ID
// has it. It is safe for concurrent use. Memory.Over shows an agent its own blocks.
type Blocks interface {
	// Add completes blocks, reads their files once, and adds the valid ones, in one commit that
	// also sweeps. The problem of a block is in its Added; an error is about the whole request, or
	// about its only block: Invalid, NotFound, Denied, Locked, and those of Apply.
	Add(ctx context.Context, v View, r working.Request, opts *WriteOptions) ([]working.Added, Commit, error)
	// Apply makes the changes in one commit, none if nothing changes. Errors: Invalid (no
	// agent, no session, or too many blocks), NotFound, Denied, ReadOnly, and those of the
	// idempotency key.
	Apply(ctx context.Context, c working.Change, opts *WriteOptions) (Commit, error)
	// Get returns a block of an agent. The error is of kind NotFound.
	Get(agent, id string) (working.Block, error)
	// Of returns the blocks of an agent by their ids, as copies. O(documents of the session).
	Of(agent string) []working.Block
}

// desk is the Blocks of a session; it reads files through the views of a program.
type desk struct{ *minds.Blocks }

// Inside is for minds.BlocksOf.
func (d desk) Inside() *minds.Blocks { return d.Blocks }

func (d desk) Add(ctx context.Context, v View, r working.Request, opts *WriteOptions) ([]working.Added, Commit, error) {
	return d.Blocks.Add(ctx, view.Of(v), r, opts)
}
