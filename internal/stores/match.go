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
	// maxSampled is the maximum number of files compared per store.
	maxSampled = 64
	// minDistinctive is the minimum size in bytes of a file that distinguishes folders: many
	// have the same empty files.
	minDistinctive = 16
	// maxCompared is the maximum size in bytes of a file to compare.
	maxCompared = 16 << 20
)

// Match is a store that knows the notes of a folder other than its memex.
type Match struct {
	Store
	// Moved reports whether the folder replaced the memex: the memex's path leads to
	// nothing, to another folder, or by a link to this one. Otherwise the folder is a copy.
	Moved bool
	share float64 // of the compared files, those with unchanged contents
}

// Find returns the stores in base that know the notes of a folder, most likely first; own is
// the folder's own state folder, present or future. It compares files only by the digests in
// the stores: of each at most 64 scanned files and 64 written by Fovea. It skips unreadable
// stores and those set aside.
func Find(base, memex, own string) ([]Match, error) {
	names, err := folders(base)
	if err != nil {
		return nil, err
	}
	in, err := vfs.Dir(memex)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	now, err := witnessOf(in)
	if err != nil {
		return nil, err
	}
	var matches []Match
	for _, name := range names {
		if dir := filepath.Join(base, name); dir != own && !strings.Contains(name, asideMark) {
			if k, ok := matchAt(dir, in, now); ok {
				matches = append(matches, k)
			}
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(b.share, a.share), b.Used.Compare(a.Used))
	})
	return matches, nil
}

func rank(k Match) int {
	if k.Moved {
		return 1
	}
	return 0
}

// matchAt compares a store with a folder.
func matchAt(dir string, in vfs.FS, now witness) (Match, bool) {
	store, err := vfs.Dir(dir)
	if err != nil {
		return Match{}, false
	}
	defer store.Close()
	memex, seq, err := disk.Peek(store)
	if err != nil || memex == "" {
		return Match{}, false
	}
	share, alike := compare(store, in, now)
	if !alike {
		return Match{}, false
	}
	s, err := Read(dir)
	if err != nil {
		return Match{}, false
	}
	s.Commits = max(s.Commits, seq)
	return Match{Store: s, Moved: s.State != There || sameFolder(in, memex), share: share}, true
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

// stateOf describes what is at the path of a store's memex.
func stateOf(store vfs.FS, memex string) MemexState {
	in, err := vfs.Dir(memex)
	if err != nil {
		return Gone
	}
	defer in.Close()
	now, err := witnessOf(in)
	if err != nil {
		return Gone
	}
	then := recordedWitness(store)
	if _, alike := compare(store, in, now); alike || len(known(store)) == 0 || then.sameInode(now) {
		return There
	}
	return Another
}

// compare returns the share of a store's files that a folder has, and whether the folder is
// its memex, at any path: half of the distinguishing files match; or the folder's inode
// does, and as a new folder may get an old one, a file's inode and time too; or the git
// history is the same. An inode is enough if there are no files to compare or no scan.
func compare(store, in vfs.FS, now witness) (share float64, alike bool) {
	then := recordedWitness(store)
	scanned := known(store)
	entries, distinctive := sample(asWritten(store, in, scanned))
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
	inode := then.sameInode(now)
	git := then.git != "" && then.git == now.git
	return share, git || inode && (untouched || len(entries) == 0 || len(scanned) == 0) || distinctive && same > 0 && 2*same >= len(entries)
}

// sample selects files evenly and reports whether they distinguish folders; it selects
// others only if none do.
func sample(entries []corpus.Entry) ([]corpus.Entry, bool) {
	atLeast := func(size int64) []corpus.Entry {
		return slices.DeleteFunc(slices.Clone(entries), func(e corpus.Entry) bool { return e.Size < size || e.Size > maxCompared })
	}
	chosen, distinctive := atLeast(minDistinctive), true
	if len(chosen) == 0 {
		chosen, distinctive = atLeast(1), false
	}
	if len(chosen) > maxSampled {
		some := make([]corpus.Entry, maxSampled)
		for i := range some {
			some[i] = chosen[i*len(chosen)/maxSampled]
		}
		chosen = some
	}
	return chosen, distinctive
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
