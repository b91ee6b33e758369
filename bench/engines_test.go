// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble"
	bolt "go.etcd.io/bbolt"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// engine is one way to make records durable. Each is as its makers deliver it,
// but for what durability and its best rate ask for.
type engine struct {
	name string
	// put returns nil when the record is durable.
	put func(key uint64, data []byte) error
	// shared is put for many writers at a time; nil where there is none.
	shared func(key uint64, data []byte) error
	// ready comes before each put and is not timed; nil for nothing.
	ready func(key uint64) error
	// held counts the records that can be read back; nil where none can.
	held func() (int, error)
}

// engines opens one of each, for records of so many bytes.
func engines(tb testing.TB, size int) []*engine {
	return []*engine{openFloor(tb, size), openJournal(tb), openPebble(tb), openBolt(tb), openSQLite(tb), openMemory(tb)}
}

// stateFolder makes a folder that stays open until the test ends.
func stateFolder(tb testing.TB) vfs.FS {
	folder, err := disk.OpenFolder(tb.TempDir())
	must(tb, err)
	tb.Cleanup(func() { must(tb, folder.Close()) })
	return folder
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// key orders the peers' records as they were written: the best case of a tree.
func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// batchOf makes a journal's batch of one record.
func batchOf(data []byte) *store.Batch {
	var b store.Batch
	b.Add(store.Commit, data)
	return &b
}

// floorSize is what the floor's file takes; a full one is begun again.
const floorSize = 16 << 20

// openFloor writes what the journal would into a file that has its size, and
// syncs the data: the least there is to do for a record. It serves one writer.
func openFloor(tb testing.TB, size int) *engine {
	f, err := stateFolder(tb).OpenFile("floor", os.O_CREATE|os.O_RDWR, 0o600)
	must(tb, err)
	tb.Cleanup(func() { must(tb, f.Close()) })
	_, err = f.WriteAt(make([]byte, floorSize), 0)
	must(tb, err)
	must(tb, f.Sync())
	frame := make([]byte, batchOf(make([]byte, size)).Size())
	at := int64(0)
	return &engine{name: "floor", put: func(_ uint64, data []byte) error {
		copy(frame[len(frame)-len(data):], data)
		if at+int64(len(frame)) > floorSize {
			at = 0
		}
		_, err := f.WriteAt(frame, at)
		if err != nil {
			return err
		}
		at += int64(len(frame))
		return f.SyncData()
	}}
}

// openJournal opens Fovea's own store.
func openJournal(tb testing.TB) *engine {
	s, _, err := disk.Open(stateFolder(tb), nil)
	must(tb, err)
	tb.Cleanup(func() { must(tb, s.Close()) })
	put := func(_ uint64, data []byte) error {
		_, err := s.Append(context.Background(), batchOf(data))
		return err
	}
	return &engine{name: "journal", put: put, shared: put, held: func() (n int, err error) {
		err = s.Replay(store.Pos{}, func(store.Record) error { n++; return nil })
		return n, err
	}}
}

// silent drops what pebble says about its work.
type silent struct{}

func (silent) Infof(string, ...any)           {}
func (silent) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

func openPebble(tb testing.TB) *engine {
	db, err := pebble.Open(tb.TempDir(), &pebble.Options{Logger: silent{}})
	must(tb, err)
	tb.Cleanup(func() { must(tb, db.Close()) })
	put := func(n uint64, data []byte) error { return db.Set(key(n), data, pebble.Sync) }
	return &engine{name: "pebble", put: put, shared: put, held: func() (n int, err error) {
		all, err := db.NewIter(nil)
		if err != nil {
			return 0, err
		}
		for ok := all.First(); ok; ok = all.Next() {
			n++
		}
		return n, all.Close()
	}}
}

func openBolt(tb testing.TB) *engine {
	db, err := bolt.Open(filepath.Join(tb.TempDir(), "bolt"), 0o600, nil)
	must(tb, err)
	tb.Cleanup(func() { must(tb, db.Close()) })
	db.MaxBatchSize = writers // else each batch waits out its delay
	bucket := []byte("commits")
	must(tb, db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket(bucket)
		return err
	}))
	insert := func(n uint64, data []byte) func(*bolt.Tx) error {
		return func(tx *bolt.Tx) error { return tx.Bucket(bucket).Put(key(n), data) }
	}
	return &engine{
		name:   "bbolt",
		put:    func(n uint64, data []byte) error { return db.Update(insert(n, data)) },
		shared: func(n uint64, data []byte) error { return db.Batch(insert(n, data)) },
		held: func() (n int, err error) {
			err = db.View(func(tx *bolt.Tx) error {
				n = tx.Bucket(bucket).Stats().KeyN
				return nil
			})
			return n, err
		},
	}
}

// openSQLite has one connection: SQLite lets one writer in at a time, and turns
// taken in the pool cost less than its waiting for a lock.
func openSQLite(tb testing.TB) *engine {
	name := "file:" + filepath.Join(tb.TempDir(), "sqlite") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	db, err := sql.Open("sqlite", name)
	must(tb, err)
	tb.Cleanup(func() { must(tb, db.Close()) })
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	_, err = db.ExecContext(ctx, "CREATE TABLE commits (seq INTEGER PRIMARY KEY, data BLOB)")
	must(tb, err)
	insert, err := db.PrepareContext(ctx, "INSERT INTO commits VALUES (?, ?)")
	must(tb, err)
	tb.Cleanup(func() { must(tb, insert.Close()) })
	put := func(n uint64, data []byte) error {
		_, err := insert.ExecContext(ctx, int64(n), data)
		return err
	}
	return &engine{name: "sqlite", put: put, shared: put, held: func() (n int, err error) {
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM commits").Scan(&n)
		return n, err
	}}
}

// openMemory is the whole of Fovea over a folder of 100 files: each commit finds
// the one that changed, reads and parses it, and makes the difference durable.
func openMemory(tb testing.TB) *engine {
	dir := tb.TempDir()
	must(tb, foveatest.GenFiles(dir, 100, 10))
	m, err := fovea.Open(tb.Context(), dir, &fovea.Options{StateDir: tb.TempDir()})
	must(tb, err)
	tb.Cleanup(func() { must(tb, m.Close()) })
	must(tb, m.Ingest(tb.Context(), nil))
	first := m.View().Head().Seq
	name, text := filepath.Join(dir, "f00007.org"), foveatest.GenFile(7, 10)
	return &engine{
		name:  "memory",
		ready: func(n uint64) error { return os.WriteFile(name, fmt.Appendf(nil, "%sline %d\n", text, n), 0o600) },
		put:   func(uint64, []byte) error { return m.Ingest(tb.Context(), nil) },
		held:  func() (int, error) { return int(m.View().Head().Seq - first), nil },
	}
}
