// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package stores

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// MemexState describes what is at the path of a store's memex.
type MemexState string

// The values of MemexState.
const (
	There   MemexState = "there"
	Gone    MemexState = "gone"               // nothing is at the path
	Another MemexState = "another folder now" // the folder at the path has none of the notes
)

// Store describes one state folder. Its JSON is what "fovea status --all --json" prints.
type Store struct {
	Dir     string     `json:"store"`             // absolute
	Memex   string     `json:"memex"`             // path of the memex, "" if FORMAT cannot be read
	State   MemexState `json:"stands"`            // what is at Memex
	Commits uint64     `json:"commits"`           // at the last clean close, or in the newest image; 0 without either
	Size    int64      `json:"bytes"`             // of its files
	Used    time.Time  `json:"used"`              // time of the last write, in UTC
	Problem string     `json:"problem,omitempty"` // why it cannot be read, or ""
}

// List returns the stores in a folder by path, none if the folder does not exist. It skips
// everything else in it. O(files of the stores).
func List(base string) ([]Store, error) {
	names, err := folders(base)
	if err != nil {
		return nil, err
	}
	var list []Store
	for _, name := range names {
		s, err := Read(filepath.Join(base, name))
		if errors.Is(err, errNone) {
			continue
		}
		if err != nil {
			s.Problem = err.Error()
		}
		list = append(list, s)
	}
	return list, nil
}

// errNone is returned for a folder without FORMAT.
var errNone = errors.New("not a state folder of Fovea")

// folders lists the subfolders of a folder by name.
func folders(base string) ([]string, error) {
	in, err := vfs.Dir(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []fs.DirEntry
	if err == nil {
		defer in.Close()
		entries, err = in.ReadDir(".")
	}
	if err != nil {
		return nil, fmt.Errorf("list stores: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Read describes the store at a path. With an error, which is that of FORMAT or of the file
// system, it returns the fields that it could determine.
func Read(dir string) (Store, error) {
	s := Store{Dir: dir}
	in, err := vfs.Dir(dir)
	if err != nil {
		return s, fmt.Errorf("read store: %w", err)
	}
	defer in.Close()
	memex, seq, err := disk.Peek(in)
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("%s: %w", dir, errNone)
	}
	s.Memex, s.Commits = memex, seq
	walkErr := vfs.Walk(in, ".", func(_ string, info fs.FileInfo) error {
		s.Size += info.Size()
		if info.ModTime().After(s.Used) {
			s.Used = info.ModTime().UTC()
		}
		return nil
	})
	if memex != "" {
		s.State = stateOf(in, memex)
	}
	return s, cmp.Or(err, walkErr)
}

// Begun reports whether a path has a store, or cannot be listed.
func Begun(dir string) bool {
	in, err := vfs.Dir(dir)
	if err != nil {
		return false
	}
	defer in.Close()
	entries, err := in.ReadDir(".")
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.IsDir() && e.Name() == store.FormatFile || e.IsDir() && slices.Contains(store.HistoryFolders[:], e.Name())
	})
}

// Named finds a store by its path, its name in the folder of stores, or the path of its
// memex. It fails if there is none, or several of one memex.
func Named(base, name string) (Store, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return Store{}, err
	}
	list, err := List(base)
	if err != nil {
		return Store{}, err
	}
	var found []Store
	for _, s := range list {
		if s.Dir == abs || filepath.Base(s.Dir) == name {
			return s, nil
		}
		if s.Memex == abs {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		if s, err := Read(abs); err == nil {
			return s, nil
		}
		return Store{}, fmt.Errorf("%s is neither a store nor a memex with a store; fovea status --all lists the stores", name)
	case 1:
		return found[0], nil
	}
	dirs := make([]string, len(found))
	for i, s := range found {
		dirs[i] = s.Dir
	}
	return Store{}, fmt.Errorf("%s has several stores; name one: %s", name, strings.Join(dirs, ", "))
}
