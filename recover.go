// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// register registers the ledgers of a scope.
func (m *Memory) register() *chain.Ledgers {
	l := &chain.Ledgers{}
	m.snapshotSlot = chain.Register(l, snapshotLedger{session: m.isSession()})
	m.drifts = chain.Register(l, driftLedger{})
	m.trusts = chain.Register(l, guardLedger{m: m})
	m.tombstoneSlot = chain.Register(l, tombstoneLedger{})
	return l
}

// copyLedgers registers the same ledgers for a copy that is only read.
func copyLedgers() *chain.Ledgers {
	l := &chain.Ledgers{}
	chain.Register(l, snapshotLedger{})
	chain.Register(l, driftLedger{})
	chain.Register(l, guardLedger{})
	chain.Register(l, tombstoneLedger{})
	return l
}

// newChain returns the chain of this memory over a store, not yet loaded.
func (m *Memory) newChain(from store.Store) *chain.Chain {
	m.openCopy, m.reload, m.allScopes, m.openOther = m.loadCopy, m.load, m.Scopes, m.Scope
	m.openedGuard = m.openedScope
	m.reopen = func() (store.Store, error) { return m.opts.openStore(m.fs, m.storeOptions()) }
	opts := chain.Options{
		Name: m.state, Log: m.opts.Log, FS: m.fs, Org: m.opts.Org, Ledgers: m.register(), Deriver: indexes{m.scope},
		Signer: m.opts.Signer, Verifiers: m.opts.Verifiers, Lost: m.scannedBefore, Committed: m.opts.Committed,
		Published: func(_ *chain.Moment, delta *graph.Delta) {
			m.followKnown(delta)
			m.followCommit()
		},
	}
	if m.opts.Witness != nil && m.hasFiles() {
		opts.Witness = witness{m}
	}
	return chain.New(from, opts)
}

// witness adapts Options.Witness to one store.
type witness struct{ m *Memory }

func (w witness) Signed() (string, error) { return w.m.opts.Witness.Signed(w.m.state) }

func (w witness) Remember(head string) error {
	return w.m.opts.Witness.Remember(w.m.state, w.m.dir, head)
}

// recover loads the state, see chain.Tx.Load, then completes or drops the file operation
// that the journal ends with.
//
// If the journal is damaged, the memory is read-only at the last commit before the damage.
func (m *Memory) recover(ctx context.Context) error {
	defer m.chain.Begin().End()
	if err := m.load(ctx); err != nil {
		return err
	}
	if store.RecoveryOf(m.chain.Store()).Corrupt == nil || m.chain.Head().Commit.Seq > 0 || m.memex().unwritable != nil {
		return nil
	}
	began, err := m.beginChain(ctx)
	if err != nil {
		m.opts.Log.Error("the damaged history cannot be read at the moment; it is left as it is", "error", err)
	} else if began {
		m.opts.Log.Error("nothing of the history verifies; it is in quarantine, and a new one begins")
	}
	return nil
}

// load is recover without beginning a new chain.
func (m *Memory) load(ctx context.Context) error {
	defer m.publishStatus()
	pending, err := m.read()
	if errors.Is(err, store.ErrCorrupt) {
		m.opts.Log.Error("the journal is damaged; the memory is read-only at the last good commit", "error", err)
		return nil
	}
	if err == nil {
		err = m.chain.Writer().Resume(context.WithoutCancel(ctx))
	}
	if err != nil || pending == nil || m.chain.Store().Err() != nil {
		return err
	}
	if err := m.settle(context.WithoutCancel(ctx), pending); err != nil {
		m.recovered = fmt.Sprintf("an operation on %s was cut short and could not be ended: %v", pathsOf(pending), err)
	}
	m.opts.Log.Warn("an operation was cut short", "files", pathsOf(pending), "done", m.recovered)
	return nil
}

// read loads the chain and returns the pending file operation, or nil. It skips one of a
// later version: the next scan reads its files.
func (m *Memory) read() (*intent, error) {
	m.forgetKnown()
	pending, err := m.chain.Writer().Load()
	if err != nil || pending == nil {
		return nil, err
	}
	in, err := decodeIntent(pending.Data, pending.Load)
	if errors.Is(err, errIntent) {
		m.opts.Log.Warn("passed over", "what", err)
		return nil, nil
	}
	return in, err
}

// scannedBefore returns an error text if the file table belongs to a state with documents,
// else "".
func (m *Memory) scannedBefore() string {
	b, err := m.fs.ReadFile(tableFile)
	empty := (&graph.State{}).Root()
	if err != nil || len(b) < len(empty) || merkle.Digest(b[:len(empty)]) == empty {
		return ""
	}
	return "the history is missing, of which " + tableFile + " knows; put a copy of the state folder back, or begin anew with fovea repair"
}

// loadCopy loads the chain of this scope from a locked state folder. The caller closes
// its store.
func (m *Memory) loadCopy(in vfs.FS, name string) (*chain.Chain, error) {
	var err error
	if m.parent != nil {
		folder := scopesFolder + "/" + scopeFolder(m.scope)
		if _, err = in.Stat(folder); err == nil {
			in, err = vfs.Sub(in, folder)
		}
	}
	if err == nil {
		_, err = in.Stat(disk.FormatFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail("merge", name, NotFound, fmt.Errorf("it keeps no memory of the scope %s; name a state folder, see fovea status", m.scope))
	}
	if err != nil {
		return nil, fail("merge", name, Other, err)
	}
	if err := disk.CheckKinds(in); err != nil {
		return nil, fail("merge", name, Corrupt, err)
	}
	opened, err := m.opts.openStore(in, nil)
	if err != nil {
		return nil, fail("merge", name, openKind(err), err)
	}
	other := chain.New(opened, chain.Options{
		Name: name, Log: m.opts.Log, FS: in, Org: m.opts.Org, Ledgers: copyLedgers(), Deriver: indexes{m.scope},
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
