// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
)

// Memory is one memex and its history. It is safe for concurrent use: readers take a View
// without a lock, writers run one at a time.
type Memory struct {
	opts  Options
	dir   string // absolute path of the memex
	kin   string // see Status.Kin
	state string // the state folder, "" when Options.Store was given
	root  *corpus.Root
	fs    vfs.FS
	lock  *vfs.FileLock // the memex's; covers its scopes

	unwritable error // why the state folder cannot be written, or nil; it may then be unlocked

	parent *Memory // of a scope: the memex's Memory
	scope  string  // memex, project/NAME or session/ID
	scopes scopes  // of a memex
	family *family // the open scopes of the memex, shared by all

	overlays overlays                      // of a memex
	policy   *guard.Policy                 // which files are protected
	watched  atomic.Pointer[protectedDocs] // of the last state asked for
	cleared  atomic.Pointer[guardedView]   // the last guarded view

	chain         *chain.Chain
	drifts        chain.Slot[map[string]merkle.Digest]
	trusts        chain.Slot[trust]
	snapshotSlot  chain.Slot[*snapshots]
	tombstoneSlot chain.Slot[tombstones]
	scanned       atomic.Pointer[scanned] // for Status

	removals removals

	openedGuard func(scope string) *Memory                              // of a scope that is open, or nil
	openCopy    func(in vfs.FS, name string) (*chain.Chain, error)      // loads the chain of this scope from the locked state folder of a copy
	reload      func(context.Context) error                             // loads the chain again, see recover
	reopen      func() (store.Store, error)                             // opens the store again
	allScopes   func() ([]string, error)                                // the names of all scopes of a memex
	openOther   func(ctx context.Context, name string) (*Memory, error) // opens a scope of a memex

	tokensOnce  sync.Once
	tokens      *token.Cache
	tokensSaved int

	notes noteQueue

	// The chain's writer guards what follows.
	closed    bool
	table     *corpus.Table
	tableOld  bool             // the table on disk is outdated
	problems  []corpus.Problem // of the last scan
	missing   []string         // files absent from it whose deletion is held back, sorted
	recovered string           // what recovery or repair did
	known     knownNotes
}

// Open opens the memory of a memex, and creates it if needed. It reads the store, not the
// folder: call Ingest for that. One process at a time can have a store open; another one
// waits for Options.Wait, then fails with Conflict, naming the holder. A store that cannot
// be written, such as on a read-only disk, is opened for reading; changes in the folder are
// then held in memory only. Errors: NotFound (no such folder), Conflict, Corrupt (the store
// has an unknown format or belongs to another folder), Held and Ambiguous (see
// Options.Stores), ReadOnly, Invalid (an unusable state folder).
func Open(ctx context.Context, dir string, opts *Options) (*Memory, error) {
	m := &Memory{opts: opts.defaults(), scope: scopeMemex, family: &family{}}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fail("open", dir, Invalid, err)
	}
	m.dir = abs
	if m.root, err = corpus.Open(abs, &corpus.Options{SkillsDir: m.opts.SkillsDir, Opaque: m.opts.Opaque, FS: m.opts.Folder}); err != nil {
		return nil, fail("open", dir, NotFound, m.withHistory(err))
	}
	if m.policy, err = policyOf(&m.opts, m.root.SkillsDir()); err != nil {
		return nil, fail("open", dir, Invalid, errors.Join(err, m.root.Close()))
	}
	if err := checkProjects(m.opts.Projects, m.root); err != nil {
		m.release()
		return nil, fail("open", dir, Invalid, err)
	}
	if len(m.opts.Projects) > 0 {
		m.root = m.root.Region(m.region(scopeMemex))
	}
	if err := m.openStore(ctx); err != nil {
		m.release()
		return nil, err
	}
	if err := m.recover(ctx); err != nil {
		m.release()
		return nil, fail("open", m.state, openKind(err), err)
	}
	m.loadTable()
	m.publishStatus()
	m.openProjects(ctx)
	m.markFolder()
	v := m.View()
	m.opts.Log.Info("opened", "memex", m.dir, "commit", v.commit.Seq, "nodes", v.Len())
	return m, nil
}

// openStore takes the lock and opens the journal and the images.
func (m *Memory) openStore(ctx context.Context) error {
	m.fs = m.opts.Store
	if m.fs == nil {
		if m.opts.StateDir == "" {
			return fail("open", m.dir, Invalid, errors.New("no state folder: set Options.StateDir"))
		}
		m.state = m.opts.StateDir
		if err := m.findHistory(); err != nil {
			return err
		}
		folder, err := disk.OpenFolder(m.state)
		if vfs.Unwritable(err) {
			return fail("open", m.state, ReadOnly, fmt.Errorf("%w; let this user read and write there, or name another place with MEMORY_SNAPSHOT_PATH", err))
		}
		if err != nil {
			return fail("open", m.state, Invalid, err)
		}
		m.fs = folder
	}
	if err := m.checkKinds("open"); err != nil {
		return err
	}
	var err error
	if m.lock, err = m.takeLock(ctx, m.fs); err != nil && !vfs.Unwritable(err) {
		return fail("open", m.state, lockKind(err), err)
	}
	if err = cmp.Or(err, vfs.MayWrite(m.fs)); err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		m.unwritable = fmt.Errorf("the state folder cannot be written: %w; give this user the right to write there, or mount its disk for writing", err)
	}
	if m.opts.Adopt {
		if err := stores.Adopt(m.fs, m.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fail("open", m.state, openKind(err), err)
		}
	}
	opened, err := m.openHistory()
	if err != nil {
		if errors.Is(err, disk.ErrOtherMemex) {
			err = fmt.Errorf("%w; after moving the folder, run fovea adopt", err)
		}
		return fail("open", m.state, openKind(err), err)
	}
	m.chain = m.newChain(opened)
	return nil
}

// checkKinds rejects a state folder that contains anything but regular files and folders.
func (m *Memory) checkKinds(op string) error {
	return fail(op, m.state, Corrupt, disk.CheckKinds(m.fs))
}

// openHistory opens the store. Without the lock another process may be writing, and a
// half-written record looks like damage; opening is then retried.
func (m *Memory) openHistory() (store.Store, error) {
	const looks = 5
	for look := 1; ; look++ {
		s, err := m.opts.openStore(m.fs, m.storeOptions())
		if m.lock != nil || m.parent != nil || look == looks || err == nil && store.RecoveryOf(s).Corrupt == nil {
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

// openKind returns the Kind of an error from opening the store. If the system refuses a
// read, the store's contents are unknown: Other. A file in the place of a folder, or the
// reverse, is Corrupt.
func openKind(err error) Kind {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && errno != syscall.ENOTDIR && errno != syscall.EISDIR {
		return Other
	}
	return Corrupt
}

// lockKind returns the Kind of an error from taking the lock.
func lockKind(err error) Kind {
	if errors.Is(err, vfs.ErrNotRegular) {
		return Corrupt
	}
	return Conflict
}

// View returns an immutable view of the present state: one atomic load.
func (m *Memory) View() *View { return m.chain.Head().Derived.(*View) }

// Dir returns the memex folder.
func (m *Memory) Dir() string { return m.dir }

// Close saves the caches that speed up the next opening and releases the store; for a memex,
// it closes the scopes first. Acknowledged commits are already on disk. Closing twice is not
// an error.
func (m *Memory) Close() error {
	if m.parent != nil {
		m.parent.scopes.forget(m)
		return m.close()
	}
	return errors.Join(m.scopes.closeAll(), m.close())
}

func (m *Memory) close() error {
	defer m.chain.Begin().End()
	if m.closed {
		return nil
	}
	m.closed = true
	err := errors.Join(m.chain.Writer().Images().Finish(), m.saveTable(), m.saveTokens())
	return fail("close", m.state, Other, errors.Join(err, m.release()))
}

// release closes everything that is open, in reverse order of opening.
func (m *Memory) release() error {
	var errs []error
	if m.chain != nil {
		errs = append(errs, m.chain.Store().Close())
	}
	if m.parent != nil { // the memex owns the rest
		return errors.Join(errs...)
	}
	if m.fs != nil && m.opts.Store == nil {
		defer m.fs.Close()
	}
	if m.lock != nil {
		errs = append(errs, m.lock.Unlock())
	}
	if m.root != nil {
		errs = append(errs, m.root.Close())
	}
	return errors.Join(errs...)
}
