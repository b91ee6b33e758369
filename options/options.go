// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Open configures fovea.Open. The zero value is usable except for StateDir.
type Open struct {
	// StateDir is the folder of the store, outside the memex; it is created if missing.
	// Required unless Store is set.
	StateDir string
	// Store is a file system to use instead of StateDir, for tests.
	Store vfs.FS
	// Folder is a file system to use instead of the memex folder, for tests.
	Folder vfs.FS
	// Actor is the author of operations whose context has none, see author.WithActor; by default the
	// owner. Changes found in files have the author kind author.File and the Session of Actor.
	Actor author.Actor
	// Owner lists the names by which notes may call the owner of the memory as a speaker or writer. A question of
	// the owner with I, my or we that names nobody prefers the owner's words to those of others in the same files;
	// in a question of an agent, I is that agent. nil means Owner().
	Owner []string
	// SkillsDir, relative to the memex or absolute, contains documents that need not be Org files; "skills" by
	// default. A folder outside the memex is only read, see corpus.Annex.
	SkillsDir string
	// Opaque lists additional files, relative to the memex, to keep unparsed.
	Opaque []string
	// Projects maps the names of scopes to paths, absolute or relative to the memex. A
	// project holds the files below its paths, and the memex excludes them. Of nested paths
	// the longest wins. fovea.Memory.Scope describes valid names.
	Projects map[string][]string
	// Formats are the formats of files that are parsed; nil means Org without settings of
	// the user's Emacs. Settings of a format affect derived data only, never a digest. The
	// value must not change.
	Formats document.Formats
	// ElsewhereID reports whether an id belongs to a headline outside the memex, so that
	// links to it are not reported as broken. nil knows none.
	ElsewhereID func(id string) bool
	// Command is the command line of this process, shown to a process that finds the store locked; by default the
	// name of this process.
	Command string
	// Wait is how long Open waits for another process to release the store. 0 fails at once.
	Wait time.Duration
	// Stores is the folder with the stores of all memexes of the user. If this memex has no
	// store yet, Open searches them for its notes: it fails with Held if the memex was moved
	// here, and sets fovea.Status.Kin if it is a copy. "" disables the search.
	Stores string
	// Adopt makes a store that belongs to another folder serve this one, after the memex was
	// moved. From Stores it takes the store that knows these notes, or a copy if its memex
	// still exists.
	Adopt bool
	// Anew begins a new history even if a store in Stores knows these notes.
	Anew bool
	// Signer signs the head after each commit; nil leaves commits unsigned. Its key should
	// be among Verifiers.
	Signer note.Signer
	// PublicKey is the key of Signer in the form in which other machines trust it; it is sent along to other
	// machines. "" sends none.
	PublicKey string
	// Verifiers are the trusted signature keys. nil checks no signature.
	Verifiers note.Verifiers
	// Witness stores the newest signed head of each store, as History.SignedHead returns it, outside
	// the state folder. With nil, a deleted state folder is mistaken for a new one. It is
	// read on opening, and written on opening for an unknown store, at the first commit, and
	// rarely after that. Several processes may use it at once, each for its own store.
	Witness interface {
		// Signed returns the remembered head of a store, by the path of its state folder, or
		// "". If it fails, no history is begun in an empty store.
		Signed(store string) (head string, err error)
		// Remember durably replaces the head of a store; an empty head forgets a store that
		// was moved or removed.
		Remember(store, memex, head string) error
	}
	// HistoryWarn is the size of the history in bytes above which Status warns; 1 GiB by
	// default.
	HistoryWarn int64
	// Committed is called for each commit of the memex as it becomes durable, in order,
	// whatever its author. It blocks the writer: it must be quick and must not call the
	// Memory.
	Committed func(history.Commit)
	// Buffers are the unsaved buffers of editors: Fovea does not write their files, and sessions see their texts.
	// nil means none.
	Buffers *corpus.Buffers
	// Guard sets how changes from outside are handled, by patterns in the syntax of
	// gitignore(5), relative to the memex; a pattern that matches a folder applies to all below
	// it. No reader gets a file in Lockdown before its owner has decided about the change; one
	// in Ask is served, marked as unreviewed. The strictest wins. By default files below
	// SkillsDir (below skills if SkillsDir is outside the memex) and in agents/*/ROM* are
	// locked down, and others trusted.
	Guard struct{ Lockdown, Ask, Trusted []string }
	// Alert is called once for each change of a protected file from outside, with the path of
	// the file below the memex, and a message to the owner: at most 3,500 bytes of text without
	// control characters other than newlines. It blocks the reader of the file: it must be
	// quick and must not call the Memory. After an error, the next process repeats the alert.
	Alert func(path, message string) error
	// Embedder connects to an embedder, such as embed.Ollama or one of the calling program; nil for none. After an
	// error it is called again. Vectors of a model are stored in the state folder under its Fingerprint;
	// Memory.ByMeaning ranks by them. RemoteSeesAll lets an embedder on another computer see nodes without the
	// property EMBED too.
	Embedder      func(context.Context) (embed.Embedder, error)
	RemoteSeesAll bool
	// OmitWindows disables the record of windows that agents are given.
	OmitWindows bool
	// OmitActions disables the blocks that actions of agents leave in their working memory.
	OmitActions bool
	// Reranker sorts the best hits of the searches of package api; nil for none.
	Reranker *embed.Reranking
	// Summarizer summarizes blocks that do not fit a window; nil for none.
	Summarizer *embed.Summarizing
	// Now is the clock; time.Now by default.
	Now func() time.Time
	// Log receives background events; discarded by default.
	Log *slog.Logger
	// OpenStore opens the history in a state folder; nil opens the store on disk.
	OpenStore func(state vfs.FS) (store.Store, error)
}

// Ingest configures Memory.Ingest. nil means the zero value.
type Ingest struct {
	// AcceptDeletions lets a scan delete more than half of at least 20 documents.
	AcceptDeletions bool
	// Progress is called from one goroutine with the number of new and changed files read.
	Progress func(done, total int)
	// Trusted is called with the protected files that were trusted unseen because no
	// baseline of them could exist.
	Trusted func(paths []string)
	// Committed is called after each commit has become durable, in order.
	Committed func(history.Commit)
}

// Owner returns the names that chats give to the person in them.
func Owner() []string { return []string{"user", "me", "human"} }
