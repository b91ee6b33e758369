// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package stores

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// witnessFile records the folder that a store was last used with, see
// doc/format/state-folder.md.
const witnessFile = "cache/folder"

// witnessForm is the content of that file.
const witnessForm = "fovea folder 0\ndevice %d\ninode %d\ngit %q\n"

// gitLog is the log of git whose first line identifies a repository.
const gitLog = ".git/logs/HEAD"

// witness identifies a folder independently of its path.
type witness struct {
	device, inode uint64
	git           string // SHA-256 of the first line of its git log, or ""
}

// sameInode reports whether two witnesses are of folders with the same inode.
func (w witness) sameInode(other witness) bool {
	return w.inode != 0 && w.device == other.device && w.inode == other.inode
}

// witnessOf returns the witness of a folder, without parts that cannot be read.
func witnessOf(in vfs.FS) (w witness) {
	if info, err := in.Stat("."); err == nil {
		id, _ := vfs.IdentityOf(info)
		w.device, w.inode = id.Device, id.Inode
	}
	if info, err := in.Stat(gitLog); err == nil && info.Mode().IsRegular() {
		log, _ := in.ReadFile(gitLog)
		first, _, _ := bytes.Cut(log, []byte("\n"))
		w.git = fmt.Sprintf("%x", sha256.Sum256(first))
	}
	return w
}

// Mark records in a store which folder its memex is. It writes only if that changed.
func Mark(store vfs.FS, memex string) error {
	in, err := vfs.Dir(memex)
	if err != nil {
		return err
	}
	defer in.Close()
	w := witnessOf(in)
	text := fmt.Appendf(nil, witnessForm, w.device, w.inode, w.git)
	if have, err := vfs.Plain(store).ReadFile(witnessFile); err == nil && bytes.Equal(have, text) {
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
	text, err := vfs.Plain(store).ReadFile(witnessFile)
	if err != nil {
		return w
	}
	if _, err := fmt.Sscanf(string(text), witnessForm, &w.device, &w.inode, &w.git); err != nil {
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
	return witnessOf(in).identity()
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

// scanned returns the files of a memex as last scanned: its file table, behind the root of
// its state.
func scanned(store vfs.FS) (files []corpus.Entry) {
	b, err := vfs.Plain(store).ReadFile("cache/files")
	if err != nil || len(b) < sha256.Size {
		return nil
	}
	var t corpus.Table
	if t.UnmarshalBinary(b[sha256.Size:]) != nil {
		return nil
	}
	return slices.Collect(t.All())
}
