// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// tableFile holds the result of the last scan. It is derived: if it is missing or damaged,
// the next scan reads every file.
const tableFile = "cache/files"

// loadTable loads the result of the last scan. It drops a table of another state, which
// could call a file unchanged whose nodes this state lacks.
func (m *Memory) loadTable() {
	m.table = &corpus.Table{}
	b, err := m.fs.ReadFile(tableFile)
	if err != nil {
		return
	}
	root := m.present().Root()
	if len(b) < len(root) || merkle.Digest(b[:len(root)]) != root {
		m.opts.Log.Info("the file table belongs to another state; every file is read again")
		return
	}
	if err := m.table.UnmarshalBinary(b[len(root):]); err != nil {
		m.opts.Log.Warn("the file table is damaged; every file is read again", "error", err)
		m.table = &corpus.Table{}
	}
}

// saveTable saves the result of the last scan, prefixed with its root. It syncs the commits
// of that root first, because a table without its history is taken as evidence of a loss.
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
	root := m.present().Root()
	if err := m.fs.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(m.fs, tableFile, append(root[:], b...), 0o600)
}

// forgetTable makes the next scan read every file. The caller is the chain's writer.
func (m *Memory) forgetTable() { m.table, m.tableOld = &corpus.Table{}, true }

// followCommit publishes the status after a commit. The caller is the chain's writer.
func (m *Memory) followCommit() {
	m.tableOld = true // it names its root
	m.publishStatus()
}
