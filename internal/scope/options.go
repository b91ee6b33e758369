// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/buffer"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Options configure a memory. They are fovea.Options, which documents them: the same fields in the
// same order, so that one converts to the other.
type Options struct {
	StateDir    string
	Store       vfs.FS
	Folder      vfs.FS
	Actor       author.Actor
	SkillsDir   string
	Opaque      []string
	Projects    map[string][]string
	Formats     document.Formats
	ElsewhereID func(id string) bool
	Command     string
	Wait        time.Duration
	Stores      string
	Adopt       bool
	Anew        bool
	Signer      note.Signer
	PublicKey   string
	Verifiers   note.Verifiers
	Witness     interface {
		Signed(store string) (head string, err error)
		Remember(store, memex, head string) error
	}
	Relaxed       time.Duration
	HistoryWarn   int64
	Committed     func(chain.Commit)
	Buffers       *buffer.Buffers
	Guard         struct{ Lockdown, Ask, Trusted []string }
	Alert         func(path, message string) error
	Embedder      func(context.Context) (embed.Embedder, error)
	RemoteSeesAll bool
	OmitWindows   bool
	OmitActions   bool
	Reranker      *embed.Reranking
	Summarizer    *embed.Summarizing
	Now           func() time.Time
	Log           *slog.Logger
	OpenStore     func(state vfs.FS) (store.Store, error)
}

// DefaultSkills is the default of SkillsDir.
const DefaultSkills = "skills"

// WriteOptions are the options of one write, see package history.
type WriteOptions = history.WriteOptions

// ActionOf returns the action of a write that can be a dry run, which repeats no earlier one.
func ActionOf(o *WriteOptions, name, kind string) Action {
	a := Action{Name: name, Kind: kind, Key: o.Key, DryRun: o.DryRun}
	if o.DryRun {
		a.Key = ""
	}
	return a
}
