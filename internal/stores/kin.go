// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package stores

import (
	"cmp"
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/vfs"
)

const (
	// sampled is the maximum number of files compared per store.
	sampled = 64
	// telling is the minimum size in bytes of a file that distinguishes folders: many have
	// the same empty files.
	telling = 16
	// readable is the maximum size in bytes of a file to compare.
	readable = 16 << 20
)

// Kin is a store that knows the notes of a folder other than its memex.
type Kin struct {
	Store
	// Moved reports whether the folder replaced the memex: the memex's path leads to
	// nothing, to another folder, or by a link to this one. Otherwise the folder is a copy.
	Moved bool
	share float64 // of the compared files, those with unchanged contents
}

// Look returns the stores in base that know the notes of a folder, most likely first; own is
// the folder's own state folder, present or future. It compares files only by the digests in
// the stores: of each at most 64 scanned files and 64 written by Fovea. It skips unreadable
// stores and those set aside.
func Look(base, memex, own string) ([]Kin, error) {
	names, err := folders(base)
	if err != nil {
		return nil, err
	}
	in, err := vfs.Dir(memex)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	now, err := look(in)
	if err != nil {
		return nil, err
	}
	var kin []Kin
	for _, name := range names {
		if dir := filepath.Join(base, name); dir != own && !strings.Contains(name, asideMark) {
			if k, ok := kinAt(dir, in, now); ok {
				kin = append(kin, k)
			}
		}
	}
	slices.SortStableFunc(kin, func(a, b Kin) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(b.share, a.share), b.Used.Compare(a.Used))
	})
	return kin, nil
}

func rank(k Kin) int {
	if k.Moved {
		return 1
	}
	return 0
}

// kinAt compares a store with a folder.
func kinAt(dir string, in vfs.FS, now witness) (Kin, bool) {
	store, err := vfs.Dir(dir)
	if err != nil {
		return Kin{}, false
	}
	defer store.Close()
	memex, seq, err := disk.Peek(store)
	if err != nil || memex == "" {
		return Kin{}, false
	}
	share, alike := compare(store, in, now)
	if !alike {
		return Kin{}, false
	}
	s, err := Read(dir)
	if err != nil {
		return Kin{}, false
	}
	s.Commits = max(s.Commits, seq)
	return Kin{Store: s, Moved: s.Stands != There || sameFolder(in, memex), share: share}, true
}

// sameFolder reports whether a folder is the one at a path.
func sameFolder(in vfs.FS, path string) bool {
	other, err := vfs.Dir(path)
	if err != nil {
		return false
	}
	defer other.Close()
	a, err := in.Stat(".")
	b, err2 := other.Stat(".")
	return err == nil && err2 == nil && vfs.Same(a, b)
}

// standing describes what is at the path of a store's memex.
func standing(store vfs.FS, memex string) Standing {
	in, err := vfs.Dir(memex)
	if err != nil {
		return Gone
	}
	defer in.Close()
	now, err := look(in)
	if err != nil {
		return Gone
	}
	then := noted(store)
	if _, alike := compare(store, in, now); alike || len(known(store)) == 0 || then.inode != 0 && then.device == now.device && then.inode == now.inode {
		return There
	}
	return Another
}

// compare returns the share of a store's files that a folder has, and whether the folder is
// its memex, at any path: half of the distinguishing files match; or the folder's inode
// does, and as a new folder may get an old one, a file's inode and time too; or the git
// history is the same. An inode is enough if there are no files to compare or no scan.
func compare(store, in vfs.FS, now witness) (share float64, alike bool) {
	then := noted(store)
	scanned := known(store)
	entries, telling := sample(asWritten(store, in, scanned))
	same, untouched := 0, false
	for _, e := range entries {
		if is, very := holds(in, e); is {
			same++
			untouched = untouched || very
		}
	}
	if len(entries) > 0 {
		share = float64(same) / float64(len(entries))
	}
	inode := then.inode != 0 && then.device == now.device && then.inode == now.inode
	git := then.git != "" && then.git == now.git
	return share, git || inode && (untouched || len(entries) == 0 || len(scanned) == 0) || telling && same > 0 && 2*same >= len(entries)
}

// sample selects files evenly and reports whether they distinguish folders; it selects
// others only if none do.
func sample(entries []corpus.Entry) ([]corpus.Entry, bool) {
	least := func(size int64) []corpus.Entry {
		return slices.DeleteFunc(slices.Clone(entries), func(e corpus.Entry) bool { return e.Size < size || e.Size > readable })
	}
	tells := true
	chosen := least(telling)
	if len(chosen) == 0 {
		chosen, tells = least(1), false
	}
	if len(chosen) > sampled {
		some := make([]corpus.Entry, sampled)
		for i := range some {
			some[i] = chosen[i*len(chosen)/sampled]
		}
		chosen = some
	}
	return chosen, tells
}

// holds reports whether a folder has a file with the bytes of an entry at its path, and
// whether it is the same file, not written since.
func holds(in vfs.FS, e corpus.Entry) (same, very bool) {
	info, err := in.Stat(e.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != e.Size {
		return false, false
	}
	text, err := readRegular(in, e.Path)
	same = err == nil && sha256.Sum256(text) == e.Digest
	id, ok := vfs.IdentityOf(info)
	return same, same && ok && e.Inode != 0 && id.Inode == e.Inode && info.ModTime().UnixNano() == e.MTime
}
