// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package stores

import (
	"cmp"
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/corpus"
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

// Match is a store with the notes of a folder other than its memex.
type Match struct {
	Store
	// Moved reports whether the folder replaced the memex: the memex's path leads to
	// nothing, to another folder, or by a link to this one. Otherwise the folder is a copy.
	Moved bool
}

// Find returns the stores in base that have the notes of a folder: first those whose memex it replaced, the
// last used first. own is the folder's own state folder, present or future. It compares at most 64 files of
// each store, by their digests in the last scan, and skips unreadable stores and those set aside.
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
	var matches []Match
	for _, name := range names {
		if dir := filepath.Join(base, name); dir != own && !strings.Contains(name, asideMark) {
			if k, ok := matchAt(dir, in); ok {
				matches = append(matches, k)
			}
		}
	}
	rank := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Or(rank[a.Moved]-rank[b.Moved], b.Used.Compare(a.Used)) })
	return matches, nil
}

// matchAt compares a store with a folder.
func matchAt(dir string, in vfs.FS) (Match, bool) {
	store, err := vfs.Dir(dir)
	if err != nil {
		return Match{}, false
	}
	defer store.Close()
	if !knows(store, in) {
		return Match{}, false
	}
	s, err := Read(dir)
	replaced := s.State != There || Identity(s.Memex) == witnessOf(in).identity()
	return Match{Store: s, Moved: replaced}, err == nil
}

// stateOf describes what is at the path of a store's memex.
func stateOf(store vfs.FS, memex string) MemexState {
	in, err := vfs.Dir(memex)
	if err != nil {
		return Gone
	}
	defer in.Close()
	if knows(store, in) || len(scanned(store)) == 0 || recordedWitness(store).sameInode(witnessOf(in)) {
		return There
	}
	return Another
}

// knows reports whether a folder is the memex of a store, at any path: it has half of the distinctive files
// that were scanned, with their bytes; or its git history is the same; or its inode is, and because a new
// folder may get an old inode, also the inode and time of a scanned file, if there are any.
func knows(store, in vfs.FS) bool {
	then, now := recordedWitness(store), witnessOf(in)
	files := scanned(store)
	distinctive, same, isUntouched := 0, 0, len(files) == 0
	for _, e := range sample(files) {
		hasBytes, isSameFile := compare(in, e)
		isUntouched = isUntouched || isSameFile
		if e.Size >= minDistinctive {
			distinctive++
			if hasBytes {
				same++
			}
		}
	}
	return then.git != "" && then.git == now.git || isUntouched && then.sameInode(now) || same > 0 && 2*same >= distinctive
}

// sample selects comparable files evenly.
func sample(files []corpus.Entry) []corpus.Entry {
	files = slices.DeleteFunc(files, func(e corpus.Entry) bool { return e.Size == 0 || e.Size > maxCompared })
	if len(files) <= maxSampled {
		return files
	}
	some := make([]corpus.Entry, maxSampled)
	for i := range some {
		some[i] = files[i*len(files)/maxSampled]
	}
	return some
}

// compare reports whether a folder has a file with the bytes of an entry at its path, and
// whether it is the same file, not written since.
func compare(in vfs.FS, e corpus.Entry) (hasBytes, isSameFile bool) {
	info, err := in.Stat(e.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != e.Size {
		return false, false
	}
	text, err := in.ReadFile(e.Path)
	hasBytes = err == nil && sha256.Sum256(text) == e.Digest
	id, ok := vfs.IdentityOf(info)
	return hasBytes, hasBytes && ok && e.Inode != 0 && id.Inode == e.Inode && info.ModTime().UnixNano() == e.MTime
}
