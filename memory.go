// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/token"
)

// Memory is one memex and the memory over it. It is safe for concurrent use:
// readers take a View and no lock, writers follow one another.
type Memory struct {
	opts  Options
	dir   string // the memex, as given, made absolute
	kin   string // see Status.Kin
	state string // the state folder, "" when Options.Store was given
	root  *corpus.Root
	fs    vfs.FS
	lock  *vfs.FileLock // of the memex; it covers the scopes

	unwritable error // why the state folder cannot be written, nil if it can; it is without a lock then

	parent *Memory // the memory of the memex, of a scope
	scope  string  // memex, project/NAME or session/ID
	scopes scopes  // of a memex

	overlays overlays // of a memex
	guard    guarding

	chain   *chain.Chain
	ledgers *ledgers
	scanned atomic.Pointer[scanned] // for Status

	removals removals

	tokensOnce  sync.Once
	tokens      *token.Cache
	tokensSaved int

	notes noteQueue

	// The chain's writer guards what follows.
	closed    bool
	table     *corpus.Table
	tableOld  bool             // the table on disk is not this one
	problems  []corpus.Problem // of the last scan
	missing   []string         // files that it did not find and whose deletion is held, sorted
	recovered string           // which operation opening has ended, and how
	known     knownNotes
}

// Open opens the memory of a memex, and makes it where there is none. It reads
// the store, not the folder: call Ingest for that. Only one process can have a
// store open; another one waits Options.Wait and then fails with Conflict,
// naming the holder. A store that cannot be written, as on a disk that is mounted
// read-only, is opened for reading: what changed in the folder since is then held in memory
// alone. Errors: NotFound (no such folder), Conflict, Corrupt (a
// store of an unknown format, or another folder's), Invalid (a state folder
// that cannot be one).
func Open(ctx context.Context, dir string, opts *Options) (*Memory, error) {
	m := &Memory{opts: opts.defaults(), scope: scopeMemex}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fail("open", dir, Invalid, err)
	}
	m.dir = abs
	if m.root, err = corpus.Open(abs, &corpus.Options{SkillsDir: m.opts.SkillsDir, Opaque: m.opts.Opaque, FS: m.opts.Folder}); err != nil {
		return nil, fail("open", dir, NotFound, m.withHistory(err))
	}
	if m.guard.policy, err = policyOf(&m.opts, m.root.SkillsDir()); err != nil {
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

// openStore takes the lock and opens journal and images.
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

// checkKinds refuses a state folder with something else than files and folders in it.
func (m *Memory) checkKinds(op string) error {
	return fail(op, m.state, Corrupt, disk.CheckKinds(m.fs))
}

// openHistory opens the store. Without the lock another process may be writing, and what
// is half written looks like damage: it is looked at again then.
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

// openKind is that of an error of opening the store: a system that refuses a read
// says nothing of what the store holds, unless it is that a file stands where a folder
// must be, or the other way round.
func openKind(err error) Kind {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && errno != syscall.ENOTDIR && errno != syscall.EISDIR {
		return Other
	}
	return Corrupt
}

// lockKind is that of an error of taking the lock.
func lockKind(err error) Kind {
	if errors.Is(err, vfs.ErrNotRegular) {
		return Corrupt
	}
	return Conflict
}

// takeLock makes this process the owner of a state folder. It asks again for
// as long as Options.Wait says; the error names the owner.
func (m *Memory) takeLock(ctx context.Context, in vfs.FS) (*vfs.FileLock, error) {
	holder := vfs.Holder{PID: os.Getpid(), Command: m.opts.Command, Since: m.opts.Now()}
	if m.opts.Wait <= 0 {
		return disk.TryLock(in, holder)
	}
	ctx, stop := context.WithTimeout(ctx, m.opts.Wait)
	defer stop()
	lock, err := disk.Lock(ctx, in, holder)
	if held, ok := errors.AsType[*vfs.HeldError](err); ok {
		err = held
	}
	return lock, err
}

// View returns what the memory holds now. It costs one atomic load; what it
// returns never changes.
func (m *Memory) View() *View { return m.chain.Head().Derived.(*View) }

// Dir returns the memex folder.
func (m *Memory) Dir() string { return m.dir }

// Close writes what makes the next opening quick and lets go of the store, and
// closes the scopes of a memex. Everything acknowledged is on disk before; closing
// twice is no error.
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
	err := errors.Join(m.chain.Held().Images().Finish(), m.saveTable(), m.saveTokens())
	return fail("close", m.state, Other, errors.Join(err, m.release()))
}

// release closes what is open, in the order it was opened backward.
func (m *Memory) release() error {
	var errs []error
	if m.chain != nil {
		errs = append(errs, m.chain.Store().Close())
	}
	if m.parent != nil { // the rest is the memex's
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
