// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

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

// listNumbered returns the numbers of the files in a folder, ascending, without files whose names are not
// exactly those that name returns. A missing folder has none.
func listNumbered(in vfs.FS, folder, suffix string, name func(uint64) string) ([]uint64, error) {
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
	entries, err := vfs.Entries(in, folder)
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	return names, err
}

// listPacks returns the names of the packs there are, as fileInfo.name makes them.
func listPacks(in vfs.FS) ([]string, error) { return listFiles(in, store.PackFolder, packSuffix) }

// listSegments returns the numbers of the segments there are, ascending.
func listSegments(in vfs.FS) ([]uint64, error) {
	numbers, err := listNumbered(in, store.JournalFolder, segmentSuffix, segmentName)
	if len(numbers) > 0 && numbers[0] == 0 {
		numbers = numbers[1:] // the first segment has the number 1
	}
	return numbers, err
}

// recordFiles returns the names of the packs and segments there are.
func recordFiles(in vfs.FS) ([]string, error) {
	names, err := listPacks(in)
	if err != nil {
		return nil, err
	}
	numbers, err := listSegments(in)
	for _, n := range numbers {
		names = append(names, segmentName(n))
	}
	return names, err
}

// historyFiles returns the names of the packs, segments and images there are.
func historyFiles(in vfs.FS) ([]string, error) {
	names, err := recordFiles(in)
	if err != nil {
		return nil, err
	}
	images, err := listImages(in)
	for _, seq := range images {
		names = append(names, store.ImageName(seq))
	}
	return names, err
}

// listImages returns the numbers of the images there are, newest first.
func listImages(in vfs.FS) ([]uint64, error) {
	seqs, err := listNumbered(in, store.ImageFolder, store.ImageSuffix, store.ImageName)
	slices.Reverse(seqs)
	return seqs, err
}

// notRegular returns a Corruption if err means that a file is not a regular one, else nil.
func notRegular(err error, file string) *store.Corruption {
	if !errors.Is(err, vfs.ErrNotRegular) {
		return nil
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return &store.Corruption{File: file, Reason: err.Error()}
}

// segmentDamage returns a Corruption of a segment at an offset.
func segmentDamage(number uint64, at int64, reason string) *store.Corruption {
	return &store.Corruption{File: segmentName(number), Segment: number, Offset: at, Reason: reason}
}

// socketFile is the socket of the daemon, the only one allowed.
const socketFile = "socket"

// CheckKinds returns an error that wraps vfs.ErrNotRegular if there is a link, a pipe, a socket or a device
// anywhere in a state folder. A folder with neither FORMAT nor a history may belong to another program and is
// left to Open. It opens no file and changes nothing. O(files).
func CheckKinds(in vfs.FS) error {
	if _, err := in.Lstat(store.FormatFile); errors.Is(err, fs.ErrNotExist) {
		if history, err := hasHistory(in); err != nil || !history {
			return nil // Open reports what it is
		}
	}
	return vfs.CheckKinds(in, socketFile)
}

var (
	// ErrOtherMemex is returned by Open when the folder belongs to another memex.
	// After a move of the memex, Adopt makes it the new one's.
	ErrOtherMemex = errors.New("state folder belongs to another memex")
	// ErrForeignFolder is returned by Open when the folder has files and none of
	// them is FORMAT. They are left as they are.
	ErrForeignFolder = errors.New("folder is in use for something else")
)
