// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build linux

package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// writeFloor prints what the disk alone takes for a write as durable as that of a note:
// the intent synced, the file of notes replaced by a synced one, its folder synced, the
// commit synced.
func writeFloor(t testing.TB, dir string) {
	t.Helper()
	const record, notes = 1 << 10, 64 << 10 // bytes; the notes of a run are that many in the middle
	journal, err := os.Create(filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	text := bytes.Repeat([]byte("* note\n"), notes/7)
	at := int64(0)
	put := func() error {
		_, err := journal.WriteAt(text[:record], at)
		at += record
		if err != nil {
			return err
		}
		return journal.Sync()
	}
	times(t, "floor of a write, syncs alone", calls(), func(int) error {
		for _, step := range []func() error{put, func() error { return replace(dir, text) }, put} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// replace replaces a file of the folder and syncs both.
func replace(dir string, text []byte) error {
	f, err := os.Create(filepath.Join(dir, "next"))
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, "notes.org"))
	}
	if err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
