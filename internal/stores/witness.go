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

// witnessFile says which folder a store was last used with, see doc/format/state-folder.md.
const witnessFile = "cache/folder"

// witness is what tells a folder from others, whatever its path is.
type witness struct {
	device, inode uint64
	git           string // the SHA-256 of the first line of its git log, "" for none
}

func (w witness) encode() []byte {
	return fmt.Appendf(nil, "fovea folder 0\ndevice %d\ninode %d\ngit %q\n", w.device, w.inode, w.git)
}

// look describes a folder now.
func look(in vfs.FS) (witness, error) {
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

// Mark notes in a store which folder its memex is. It writes only what changed.
func Mark(store vfs.FS, memex string) error {
	in, err := vfs.Dir(memex)
	if err != nil {
		return err
	}
	defer in.Close()
	w, err := look(in)
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

// noted reads what Mark wrote; the zero witness for nothing.
func noted(store vfs.FS) witness {
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

// Identity names the folder that a path leads to, by device and inode; "" where there is
// none, or the system does not tell. A process that has the folder open keeps the name
// from being given to another one.
func Identity(memex string) string {
	in, err := vfs.Dir(memex)
	if err != nil {
		return ""
	}
	defer in.Close()
	w, err := look(in)
	if err != nil {
		return ""
	}
	return w.identity()
}

// identity is that of the folder, "" for the zero witness.
func (w witness) identity() string {
	if w.inode == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d", w.device, w.inode)
}

// Of returns the state folders in base whose memex had an identity when it was last
// opened, whatever its path was then. O(stores), a small file of each.
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
		if noted(store).identity() == identity {
			dirs = append(dirs, filepath.Join(base, name))
		}
		store.Close()
	}
	return dirs
}

// readRegular reads a file, and never waits for one that is no regular file.
func readRegular(in vfs.FS, name string) ([]byte, error) {
	info, err := in.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	return in.ReadFile(name)
}

// known returns the files of a memex as the last scans saw them, those of its projects
// too.
func known(store vfs.FS) []corpus.Entry {
	entries := tableOf(store, "cache/files")
	for _, project := range projects(store) {
		entries = append(entries, tableOf(store, path.Join(project, "cache/files"))...)
	}
	return entries
}

// projects returns the folders of a store in which the histories of its projects are.
func projects(store vfs.FS) (folders []string) {
	scopes, _ := store.ReadDir("scopes")
	for _, s := range scopes {
		if s.IsDir() && strings.HasPrefix(s.Name(), "project") {
			folders = append(folders, path.Join("scopes", s.Name()))
		}
	}
	return folders
}

// tableOf reads a file table, which the root of its state goes before.
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
