// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package stores

import (
	"crypto/sha256"
	"slices"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// journalRead is the maximum number of journal bytes read per history.
const journalRead = 8 << 20

// written is a file that Fovea was about to write. It contains next after the write, and
// base if the write did not happen or was reverted.
type written struct {
	path       string
	base, next merkle.Digest // zero for no file
}

// asWritten updates the last scans with the later writes of Fovea itself. The intents in the
// journal name each file before it changes, so they also cover a process that was killed. A
// file that is in the folder as Fovea wrote it gets an entry as from a scan. O(journal bytes
// read, and bytes of 64 files).
func asWritten(store, in vfs.FS, scanned []corpus.Entry) []corpus.Entry {
	at := make(map[string]int, len(scanned))
	for i, e := range scanned {
		at[e.Path] = i
	}
	entries := slices.Clone(scanned)
	for _, w := range lastWritten(store) {
		i, known := at[w.path]
		have, ok := entryOf(in, w.path)
		digest := merkle.Digest(have.Digest)
		switch is := ok && (digest == w.next || digest == w.base); {
		case known && is && digest != merkle.Digest(entries[i].Digest):
			entries[i] = have
		case !known && is:
			entries = append(entries, have)
		case len(scanned) == 0 && !w.next.IsZero(): // only the journal has their number
			entries = append(entries, corpus.Entry{File: corpus.File{Path: w.path, Size: minDistinctive}, Digest: w.next})
		}
	}
	return entries
}

// entryOf describes a file as a scan does; false if the file is not comparable.
func entryOf(in vfs.FS, name string) (corpus.Entry, bool) {
	info, err := in.Stat(name)
	if err != nil || info.Size() > maxCompared {
		return corpus.Entry{}, false
	}
	text, err := readRegular(in, name)
	if err != nil {
		return corpus.Entry{}, false
	}
	f := corpus.File{Path: name, Size: int64(len(text)), MTime: info.ModTime().UnixNano()}
	if id, ok := vfs.IdentityOf(info); ok {
		f.Inode = id.Inode
	}
	return corpus.Entry{File: f, Digest: sha256.Sum256(text)}, true
}

// lastWritten returns the last write of each file in a store's journals, the 64 newest. It
// skips unreadable records.
func lastWritten(store vfs.FS) []written {
	last := map[string]int{} // index in all of a path's last write
	var all []written
	for _, folder := range histories(store) {
		_ = disk.PeekIntents(folder, journalRead, func(intent []byte) {
			for _, w := range writtenBy(intent) {
				last[w.path] = len(all)
				all = append(all, w)
			}
		})
	}
	var newest []written
	for i, w := range slices.Backward(all) {
		if last[w.path] == i && len(newest) < maxSampled {
			newest = append(newest, w)
		}
	}
	return newest
}

// histories returns the folders of a store that have a journal of files: its own and those
// of its projects.
func histories(store vfs.FS) []vfs.FS {
	folders := []vfs.FS{store}
	for _, name := range projects(store) {
		if project, err := vfs.Sub(store, name); err == nil {
			folders = append(folders, project)
		}
	}
	return folders
}

// writtenBy returns the files that an intent writes, see doc/format/journal.md; nil for
// other records.
func writtenBy(intent []byte) []written {
	r := merkle.NewReader(intent)
	const filesFirst = 4 // the format in which the files follow it
	r.List()
	if r.Uint() < filesFirst {
		for range 6 {
			r.Raw() // kind, author, session, operation, message, time
		}
	}
	var files []written
	for range r.List() {
		r.FixedList(6)
		w := written{path: string(r.Bytes()), base: r.Link(), next: r.Link()}
		r.Uint() // the mode
		r.Raw()  // the bytes of base
		r.Raw()  // the bytes of next
		if r.Err() != nil {
			return nil
		}
		files = append(files, w)
	}
	return files
}
