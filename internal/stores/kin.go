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
	// sampled is how many files of a store are looked for in a folder.
	sampled = 64
	// telling is from how many bytes on a file tells one folder from another: many folders
	// have the same empty ones.
	telling = 16
	// readable bounds the bytes of a file that is compared.
	readable = 16 << 20
)

// Kin is a store that knows the notes of a folder which is not its memex.
type Kin struct {
	Store
	// Moved reports whether the folder took the place of the memex: nothing is at the
	// memex's path any more, or another folder, or this one by a link. Otherwise the
	// folder is a copy of it.
	Moved bool
	share float64 // of the files that were looked for, those that are there as they were
}

// Look returns the stores of base that know the notes of a folder, the likeliest first;
// own is the state folder that the folder has or would get. Only what the stores noted
// of their files is compared, by digest, 64 files of each that a scan saw and 64 that Fovea
// wrote at most. Stores that cannot be
// read, and those that were put aside, are passed over.
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

// kinAt compares one store with a folder.
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

// sameFolder reports whether a folder is what is at a path.
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

// standing says what is at the path of a store's memex.
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

// compare returns which share of the files that a store knows are in a folder, and
// whether that makes the folder its memex, at whatever path: half of them; one that is not
// even another file by inode and time where the folder has the same inode too, which alone
// would say little, since a new folder may get it; or none where the git history is the same.
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

// sample takes some of the files, evenly: those that tell one folder from another where
// there are any, which the second result says.
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
// whether it is the very file, which nobody wrote since.
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
