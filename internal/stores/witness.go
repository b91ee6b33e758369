// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package stores

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// witnessFile records the folder that a store was last used with, see
// doc/format/state-folder.md.
const witnessFile = "cache/folder"

// witness identifies a folder independently of its path.
type witness struct {
	device, inode uint64
	git           string // SHA-256 of the first line of its git log, or ""
}

// sameInode reports whether two witnesses are of folders with the same inode.
func (w witness) sameInode(other witness) bool {
	return w.inode != 0 && w.device == other.device && w.inode == other.inode
}

func (w witness) encode() []byte {
	return fmt.Appendf(nil, "fovea folder 0\ndevice %d\ninode %d\ngit %q\n", w.device, w.inode, w.git)
}

// witnessOf returns the witness of a folder.
func witnessOf(in vfs.FS) (witness, error) {
	info, err := in.Stat(".")
	if err != nil {
		return witness{}, err
	}
	var w witness
	if id, ok := vfs.IdentityOf(info); ok {
		w.device, w.inode = id.Device, id.Inode
	}
	if log, err := readRegular(in, ".git/logs/HEAD"); err == nil {
		first, _, _ := bytes.Cut(log, []byte("\n"))
		w.git = fmt.Sprintf("%x", sha256.Sum256(first))
	}
	return w, nil
}

// Mark records in a store which folder its memex is. It writes only if that changed.
func Mark(store vfs.FS, memex string) error {
	in, err := vfs.Dir(memex)
	if err != nil {
		return err
	}
	defer in.Close()
	w, err := witnessOf(in)
	if err != nil {
		return err
	}
	text := w.encode()
	if have, err := readRegular(store, witnessFile); err == nil && bytes.Equal(have, text) {
		return nil
	}
	if err := store.MkdirAll(path.Dir(witnessFile), 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(store, witnessFile, text, 0o600)
}

// recordedWitness reads the witness that Mark wrote, or the zero witness.
func recordedWitness(store vfs.FS) witness {
	var w witness
	text, err := readRegular(store, witnessFile)
	if err != nil {
		return w
	}
	if _, err := fmt.Sscanf(string(text), "fovea folder 0\ndevice %d\ninode %d\ngit %q\n", &w.device, &w.inode, &w.git); err != nil {
		return witness{}
	}
	return w
}

// Identity returns the device and inode of the folder at a path; "" if there is none or the
// system has no such numbers. They are not reused while a process has the folder open.
func Identity(memex string) string {
	in, err := vfs.Dir(memex)
	if err != nil {
		return ""
	}
	defer in.Close()
	w, err := witnessOf(in)
	if err != nil {
		return ""
	}
	return w.identity()
}

// identity returns the folder's Identity, "" for the zero witness.
func (w witness) identity() string {
	if w.inode == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d", w.device, w.inode)
}

// Of returns the state folders in base whose memex had an identity when last opened, at any
// path. O(stores), one small file each.
func Of(base, identity string) []string {
	names, err := folders(base)
	if err != nil || identity == "" {
		return nil
	}
	var dirs []string
	for _, name := range names {
		store, err := vfs.Dir(filepath.Join(base, name))
		if err != nil {
			continue
		}
		if recordedWitness(store).identity() == identity {
			dirs = append(dirs, filepath.Join(base, name))
		}
		store.Close()
	}
	return dirs
}

// readRegular reads a regular file. It fails for any other file instead of blocking.
func readRegular(in vfs.FS, name string) ([]byte, error) {
	info, err := in.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return in.ReadFile(name)
}

// known returns the files of a memex and its projects, as last scanned.
func known(store vfs.FS) []corpus.Entry {
	entries := tableOf(store, "cache/files")
	for _, project := range projects(store) {
		entries = append(entries, tableOf(store, path.Join(project, "cache/files"))...)
	}
	return entries
}

// projects returns the folders of a store with the histories of its projects.
func projects(store vfs.FS) (folders []string) {
	scopes, _ := store.ReadDir("scopes")
	for _, s := range scopes {
		if s.IsDir() && strings.HasPrefix(s.Name(), "project") {
			folders = append(folders, path.Join("scopes", s.Name()))
		}
	}
	return folders
}

// tableOf reads a file table, skipping the root of its state.
func tableOf(store vfs.FS, name string) []corpus.Entry {
	b, err := readRegular(store, name)
	if err != nil || len(b) < sha256.Size {
		return nil
	}
	var t corpus.Table
	if t.UnmarshalBinary(b[sha256.Size:]) != nil {
		return nil
	}
	entries := make([]corpus.Entry, 0, t.Len())
	for e := range t.All() {
		entries = append(entries, e)
	}
	return entries
}
