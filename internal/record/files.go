// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// ListNumbered returns the numbers of a folder's files, ascending: those whose
// names are just what name makes of the number. A missing folder has none.
func ListNumbered(in vfs.FS, folder, suffix string, name func(uint64) string) ([]uint64, error) {
	names, err := listFiles(in, folder, suffix)
	var numbers []uint64
	for _, file := range names {
		number, err := strconv.ParseUint(strings.TrimSuffix(path.Base(file), suffix), 10, 64)
		if err == nil && path.Base(name(number)) == path.Base(file) {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// listFiles returns the names of a folder's files with a suffix. A missing folder has none.
func listFiles(in vfs.FS, folder, suffix string) ([]string, error) {
	entries, err := in.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	return names, err
}

// NotRegular returns a Corruption where an error says that something else than a regular
// file is in the place of one, else nil.
func NotRegular(err error, file string) *store.Corruption {
	if !errors.Is(err, vfs.ErrNotRegular) {
		return nil
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return &store.Corruption{File: file, Reason: err.Error()}
}

// Magics are the words that the files and their parts begin with.
var Magics = [...]string{segmentMagic, packMagic, packFooterMagic, manifestMagic}
