// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"syscall"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/mend"
	"github.com/fovea-memory/fovea/internal/notes"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/options"
	"github.com/fovea-memory/fovea/org"
)

// withDefaults returns a copy of options, which may be nil, with the defaults filled in.
func withDefaults(o *Options) Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.SkillsDir = cmp.Or(c.SkillsDir, scope.DefaultSkills)
	if c.Formats == nil {
		c.Formats = document.Formats{org.Format{}}
	}
	if c.Owner == nil {
		c.Owner = options.Owner()
	}
	c.HistoryWarn = cmp.Or(max(c.HistoryWarn, 0), 1<<30)
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// openFolder takes the lock of a memex and opens its state folder.
func (x *memex) openFolder(ctx context.Context) (err error) {
	s := x.top.scope
	s.FS = s.Options.Store
	if s.FS == nil {
		if s.Options.StateDir == "" {
			return fail("open", s.Dir, Invalid, errors.New("no state folder: set Options.StateDir"))
		}
		s.StateDir = s.Options.StateDir
		if x.kin, err = scope.FindHistory(s); err != nil {
			return err
		}
		folder, err := disk.OpenFolder(s.StateDir)
		if vfs.Unwritable(err) {
			return fail("open", s.StateDir, ReadOnly, fmt.Errorf("%w; let this user read and write there, or name another place with MEMORY_SNAPSHOT_PATH", err))
		}
		if err != nil {
			return fail("open", s.StateDir, Invalid, err)
		}
		s.FS = folder
	}
	if err := s.CheckKinds("open"); err != nil {
		return err
	}
	if x.lock, err = scope.TakeLock(ctx, &s.Options, s.FS); err != nil && !vfs.Unwritable(err) {
		kind := Conflict
		if errors.Is(err, vfs.ErrNotRegular) {
			kind = Corrupt
		}
		return fail("open", s.StateDir, kind, err)
	}
	if err = cmp.Or(err, vfs.MayWrite(s.FS)); err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		s.Unwritable = fmt.Errorf("the state folder cannot be written: %w; give this user the right to write there, or mount its disk for writing", err)
	}
	if s.Options.Adopt {
		if err := stores.Adopt(s.FS, s.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fail("open", s.StateDir, openKind(err), err)
		}
	}
	return nil
}

// openChain opens the store of a scope and loads its chain.
func (x *memex) openChain(ctx context.Context, m *Memory) error {
	opened, err := x.openHistory(m.scope)
	if err != nil {
		if m.scope.Parent == nil && errors.Is(err, disk.ErrOtherMemex) {
			err = fmt.Errorf("%w; after moving the folder, run fovea adopt", err)
		}
		return err
	}
	m.scope.Chain = newChain(m, opened)
	if err := recoverChain(ctx, m); err != nil {
		return err
	}
	ingest.Load(m.folder)
	return nil
}

// openHistory opens the store. Without the lock another process may be writing, and a
// half-written record looks like damage; opening is then retried.
func (x *memex) openHistory(in *scope.Scope) (store.Store, error) {
	const looks = 5
	for look := 1; ; look++ {
		s, err := openStore(in, in.FS, storeOptions(in))
		if x.lock != nil || in.Parent != nil || look == looks || err == nil && s.Recovery().Corrupt == nil {
			return s, err
		}
		if err == nil {
			err = s.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// openStore opens the store in a state folder of a scope. The store keeps its Recovery.
func openStore(s *scope.Scope, in vfs.FS, opts *disk.Options) (store.Store, error) {
	if s.Options.OpenStore != nil {
		return s.Options.OpenStore(in)
	}
	opened, _, err := disk.Open(in, opts)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// storeOptions returns the options of the store of a memex, or of a scope, which shares the
// folder and the lock of its memex.
func storeOptions(s *scope.Scope) *disk.Options {
	opts := &disk.Options{Memex: s.Dir, InPlace: s.Root.InPlace, ReadOnly: s.Memex().Unwritable}
	if s.Parent != nil {
		opts.Owned = func() error { return s.Parent.Chain.Store().Owned() }
		opts.InPlace = func() error { return s.Parent.Chain.Store().InPlace() }
	}
	return opts
}

// releaseFolder closes what openFolder opened, and the folder.
func (x *memex) releaseFolder() error {
	s := x.top.scope
	if s.FS != nil && s.Options.Store == nil {
		defer s.FS.Close()
	}
	var err error
	if x.lock != nil {
		err = x.lock.Unlock()
	}
	return errors.Join(err, s.Root.Close())
}

// withHistory adds to the error of a missing memex folder how to restore its notes if the
// state folder has their history.
func withHistory(err error, state string) error {
	if !errors.Is(err, corpus.ErrNoFolder) || state == "" || !stores.Begun(state) {
		return err
	}
	return fmt.Errorf("%w; its history is kept: make the folder and run fovea restore --missing, or, if it was moved, run fovea adopt in its new place", err)
}

// ledgers registers the ledgers of a memory; one without rights is a copy that is only read.
// Marks and image sections depend on their order; do not change it. It also returns the slot
// of the handles.
func ledgers(m *Memory) (*chain.Ledgers, chain.Slot[view.Handles]) {
	l := &chain.Ledgers{}
	travel.Register(l, m.history)
	scope.Register(l, m.scope)
	scope.RegisterTrust(l, m.rights)
	notes.Register(l, m.notes)
	return l, view.RegisterHandles(l)
}

// newChain returns the chain of a memory over a store, not yet loaded.
func newChain(m *Memory, from store.Store) *chain.Chain {
	all, handles := ledgers(m)
	opts := chain.Options{
		Name: m.scope.StateDir, Log: m.scope.Options.Log, FS: m.scope.FS, Formats: m.scope.Options.Formats, Ledgers: all,
		Deriver: view.Deriver{Scope: m.scope.Name, Handles: handles, Owner: m.scope.Options.Owner, Serve: m.blocks.Files().Serve},
		Signer:  m.scope.Options.Signer, Verifiers: m.scope.Options.Verifiers, Committed: m.scope.Options.Committed,
		Lost:      func() string { return ingest.ScannedBefore(m.scope.FS) },
		Published: func(delta *graph.Delta) { notes.Follow(m.notes, delta) },
	}
	if s := m.scope; s.Options.Witness != nil && s.HasFiles() {
		opts.Witness = chain.Witness{
			Signed:   func() (string, error) { return s.Options.Witness.Signed(s.StateDir) },
			Remember: func(head string) error { return s.Options.Witness.Remember(s.StateDir, s.Dir, head) },
		}
	}
	return chain.New(from, opts)
}

// recoverChain loads the state, see chain.Tx.Load, then completes or drops the file operation
// that the journal ends with.
//
// If the journal is damaged, the memory is read-only at the last commit before the damage.
func recoverChain(ctx context.Context, m *Memory) error {
	tx := m.scope.Chain.Begin()
	defer tx.End()
	if err := load(ctx, tx, m); err != nil {
		return err
	}
	if m.scope.Chain.Store().Recovery().Corrupt == nil || m.scope.Chain.Head().Commit.Seq > 0 || m.scope.Memex().Unwritable != nil {
		return nil
	}
	began, err := mend.BeginChain(ctx, tx, m.mender)
	if err != nil {
		m.scope.Options.Log.Error("the damaged history cannot be read now; it is left unchanged", "error", err)
	} else if began {
		m.scope.Options.Log.Error("no part of the history verifies; it is in quarantine, and a new history begins")
	}
	return nil
}

// load is recoverChain without beginning a new chain.
func load(ctx context.Context, tx *chain.Tx, m *Memory) error {
	pending, err := read(tx, m)
	if errors.Is(err, store.ErrCorrupt) {
		m.scope.Options.Log.Error("the journal is damaged; the memory is read-only at the last good commit", "error", err)
		return nil
	}
	if err == nil {
		err = tx.Resume(context.WithoutCancel(ctx))
	}
	if err != nil || pending == nil || m.scope.Chain.Store().Err() != nil {
		return err
	}
	if err := m.writer.Settle(context.WithoutCancel(ctx), tx, pending); err != nil {
		m.scope.SetRecovered(tx, fmt.Sprintf("an operation on %s was interrupted and could not be completed: %v", write.PathsOf(pending), err))
	}
	m.scope.Options.Log.Warn("an operation was interrupted", "files", write.PathsOf(pending), "done", m.scope.Recovered())
	return nil
}

// read loads the chain and returns the pending file operation, or nil. It skips an operation
// of a later version of Fovea: the next scan reads its files.
func read(tx *chain.Tx, m *Memory) (*write.Intent, error) {
	pending, err := tx.Load()
	if err != nil || pending == nil {
		return nil, err
	}
	in, err := write.DecodeIntent(pending.Data, pending.Load)
	if errors.Is(err, write.ErrIntent) {
		m.scope.Options.Log.Warn("skipped", "what", err)
		return nil, nil
	}
	return in, err
}

// openCopy loads the chain of a scope from a locked state folder. The caller closes
// its store.
func openCopy(s *scope.Scope, in vfs.FS, name string) (*chain.Chain, error) {
	var err error
	if s.Parent != nil {
		folder := scope.Folder + "/" + scope.FolderOf(s.Name)
		if _, err = in.Stat(folder); err == nil {
			in, err = vfs.Sub(in, folder)
		}
	}
	if err == nil {
		_, err = in.Stat(store.FormatFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail("merge", name, NotFound, fmt.Errorf("it keeps no memory of the scope %s; name a state folder, see fovea status", s.Name))
	}
	if err != nil {
		return nil, fail("merge", name, Other, err)
	}
	if err := disk.CheckKinds(in); err != nil {
		return nil, fail("merge", name, Corrupt, err)
	}
	opened, err := openStore(s, in, nil)
	if err != nil {
		return nil, fail("merge", name, openKind(err), err)
	}
	aside := write.New(&scope.Scope{}, nil, nil) // the ledgers of a copy are read by merges alone
	all, handles := ledgers(&Memory{scope: aside.Scope(), history: travel.New(aside, nil, nil, nil), notes: notes.New(aside, nil)})
	other := chain.New(opened, chain.Options{
		Name: name, Log: s.Options.Log, FS: in, Formats: s.Options.Formats, Foreign: true,
		Ledgers: all, Deriver: view.Deriver{Scope: s.Name, Handles: handles},
	})
	tx := other.Begin()
	defer tx.End()
	if _, err = tx.Load(); err == nil {
		err = opened.Err()
	}
	if err != nil {
		return nil, fail("merge", name, openKind(err), errors.Join(err, opened.Close()))
	}
	if head := other.Head().Commit; head.Seq > 0 {
		opened.SetHead(store.Head{Seq: head.Seq, Commit: head.Digest})
	}
	return other, nil
}

// openKind returns the Kind of an error from opening the store. If the system refuses a
// read, the store's contents are unknown: Other. A file in the place of a folder, or the
// reverse, is Corrupt.
func openKind(err error) fault.Kind {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && errno != syscall.ENOTDIR && errno != syscall.EISDIR {
		return fault.Other
	}
	return fault.Corrupt
}
