// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// placedFile is where the state folder names what is on IPFS: a CID in each line, oldest first.
const placedFile = "ipfs-cids"

// Record notes in a state folder that what a CID names is on IPFS, or is about to be: a purge
// cannot reach it. It is durable when Record returns. The caller is the only one who calls it for
// that folder. O(CIDs noted).
func Record(state vfs.FS, d merkle.Digest) error {
	_, err := record(state, d)
	return err
}

// record is Record that reports whether the CID was not noted before.
func record(state vfs.FS, d merkle.Digest) (fresh bool, err error) {
	known, torn, err := placed(state)
	if err != nil || slices.Contains(known, d) {
		return false, err
	}
	f, err := state.OpenFile(placedFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return false, fmt.Errorf("ipfs: %w", err)
	}
	line := d.String() + "\n"
	if torn {
		line = "\n" + line
	}
	if _, err = f.Write([]byte(line)); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && len(known) == 0 {
		err = state.SyncDir(".")
	}
	if err != nil {
		return false, fmt.Errorf("ipfs: %w", err)
	}
	return true, nil
}

// Placed returns the CIDs of all that a memory with this state folder has put on IPFS, was about
// to put there, or has read from there, newest first. It sends no request.
func Placed(state vfs.FS) ([]merkle.Digest, error) {
	all, _, err := placed(state)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	return all, nil
}

// placed reads the file. torn says that its last line has no end: a crash cut it off.
func placed(state vfs.FS) (all []merkle.Digest, torn bool, err error) {
	text, err := state.ReadFile(placedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("ipfs: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if d, err := ParseCID(strings.TrimSuffix(line, "\n")); err == nil {
			all = append(all, d)
		}
	}
	return all, len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")), nil
}
