// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/org"
)

// Options says how a Memory is opened. The zero value is ready but for
// StateDir.
type Options struct {
	// StateDir is the folder of the store, outside the memex. It is made when
	// missing. Needed unless Store is set.
	StateDir string
	// Store replaces StateDir by another file system, for tests.
	Store vfs.FS
	// Folder replaces the folder of the memex by another file system, for tests.
	Folder vfs.FS
	// Actor performs the operations whose context names nobody, see WithActor; the owner
	// by default. Its Op does not count. Changes found in files are by the kind author.File,
	// whoever runs Fovea, and in its Session.
	Actor author.Actor
	// SkillsDir, relative to the memex or absolute, holds documents that need
	// not be Org; "skills" by default.
	SkillsDir string
	// Opaque lists more files, relative to the memex, that are kept unparsed.
	Opaque []string
	// Projects are scopes that hold files: each the files below its paths, absolute
	// or relative to the memex, which is then without them. Of nested paths the
	// longest counts. A name is as of Memory.Scope.
	Projects map[string][]string
	// Org are settings of the person's Emacs under which Org files are read and edited,
	// such as TODO keywords; a file's own lines go before them. What they change is derived:
	// no digest depends on them. It must not change. nil has none.
	Org *org.Defaults
	// ElsewhereID reports whether an id is that of a headline outside the memex:
	// a link to it is not broken. nil knows none.
	ElsewhereID func(id string) bool
	// Command is what this process was started as; another one that finds the
	// store taken is told.
	Command string
	// Wait is how long Open waits for another process to let go of the store.
	// 0 fails at once.
	Wait time.Duration
	// Stores is the folder that keeps the stores of all memexes of the user. Where this
	// one has none yet, those are asked whether one knows its notes: Open fails with Held
	// if the memex was moved here, and Status.Kin says so if it is a copy. "" asks nobody.
	Stores string
	// Adopt lets a store that belongs to another folder serve this one: after
	// the memex was moved. Of Stores it takes the one that knows these notes, or a copy
	// of it if its memex is still there.
	Adopt bool
	// Anew begins a new history though one of Stores knows these notes.
	Anew bool
	// Signer signs the head that each commit makes; without one commits are not
	// signed. Its key should be among Verifiers.
	Signer note.Signer
	// Verifiers are the keys whose signatures count. nil checks no signature.
	Verifiers note.Verifiers
	// Witness remembers, where the state folder is not, the newest signed head of each
	// store, as SignedHead returns it. nil remembers nothing: a state folder that was
	// removed is taken for a new one then. It is asked at opening, and told then of a store
	// that it does not know, at the first commit, and seldom after that. Several processes may use it at once, each for a store
	// of its own.
	Witness interface {
		// Signed returns what was remembered of a store, by the path of its state folder; ""
		// for nothing. A store that has no history is not begun where this fails.
		Signed(store string) (head string, err error)
		// Remember replaces what is remembered of a store, durably; an empty head forgets
		// it, since the store was moved or removed.
		Remember(store, memex, head string) error
	}
	// Relaxed, if not 0, lets a commit be told before it is on the disk, at most
	// for this time: power that is lost meanwhile loses it. A crash of the process
	// loses nothing, and neither do writes to the memex: they are synced at once.
	Relaxed time.Duration
	// HistoryWarn is how many bytes of history Status warns from; 1 GiB by default.
	HistoryWarn int64
	// Committed is told of each commit of the memex as it becomes durable, in
	// order, whoever made it. The writer waits meanwhile: it must be quick, and must not call the
	// Memory.
	Committed func(Commit)
	// Guard says what a change from outside leads to, by path. What it does not name
	// is locked down below SkillsDir (below skills where that lies outside the memex)
	// and in agents/*/ROM*, and trusted elsewhere.
	Guard guard.Rules
	// Alert is told when a protected file was changed from outside, once for each
	// change. Who reads the file waits meanwhile: it must be quick, and must not call
	// the Memory. Where it returns an error, the next process tells again.
	Alert func(guard.Alert) error
	// Now is the clock; time.Now by default.
	Now func() time.Time
	// Log receives what happened in the background; discarded by default.
	Log *slog.Logger

	openStore func(in vfs.FS, opts *disk.Options) (store.Store, error) // openDisk, or what a test puts in its place
}

// defaultSkills is the folder of skills where SkillsDir names none.
const defaultSkills = "skills"

func (o *Options) defaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.SkillsDir == "" {
		c.SkillsDir = defaultSkills
	}
	if c.HistoryWarn <= 0 {
		c.HistoryWarn = 1 << 30
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.openStore == nil {
		c.openStore = openDisk
	}
	return c
}

// openDisk opens the store on disk, whose Recovery it keeps.
func openDisk(in vfs.FS, opts *disk.Options) (store.Store, error) {
	s, _, err := disk.Open(in, opts)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// IngestOptions says how Ingest goes about it. nil means the zero value.
type IngestOptions struct {
	// AcceptDeletions lets a scan drop more than half of at least 20 documents.
	AcceptDeletions bool
	// Progress is told, from one goroutine, how many of the new and changed
	// files have been read.
	Progress func(done, total int)
	// Trusted is told of the protected files that were taken as they are, since no
	// baseline of them could be there.
	Trusted func(paths []string)
	// Committed is called after each commit has become durable, in order.
	Committed func(Commit)
}

// background is the context of work that must end what it has begun.
func background(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }
