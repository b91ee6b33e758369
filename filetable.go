// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// tableFile holds what the last scan saw. It is derived: without it, or when
// it is damaged, the next scan reads every file again.
const tableFile = "cache/files"

// loadTable reads what the last scan saw. A table of another state is dropped:
// it could call a file unchanged whose nodes this state does not have.
func (m *Memory) loadTable() {
	m.table = &corpus.Table{}
	b, err := m.fs.ReadFile(tableFile)
	if err != nil {
		return
	}
	root := m.View().Root()
	if len(b) < len(root) || merkle.Digest(b[:len(root)]) != root {
		m.opts.Log.Info("the file table belongs to another state; every file is read again")
		return
	}
	if err := m.table.UnmarshalBinary(b[len(root):]); err != nil {
		m.opts.Log.Warn("the file table is damaged; every file is read again", "error", err)
		m.table = &corpus.Table{}
	}
}

// saveTable keeps what the last scan saw, headed by the root it belongs to. The commits
// of that root are synced first: a table without its history witnesses a loss.
func (m *Memory) saveTable() error {
	if !m.tableOld || m.chain.Store().Err() != nil {
		return nil
	}
	if err := store.Sync(m.chain.Store()); err != nil {
		return err
	}
	b, err := m.table.MarshalBinary()
	if err != nil {
		return err
	}
	root := m.View().Root()
	if err := m.fs.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(m.fs, tableFile, append(root[:], b...), 0o600)
}
