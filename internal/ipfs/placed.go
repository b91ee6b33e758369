// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// placedFile in the state folder lists everything put on IPFS: a CID in each line, oldest first.
const placedFile = "ipfs-cids"

// Record records in a state folder that a CID is on IPFS or will be, where a purge cannot remove it.
// The record is durable when Record returns. Only one caller may use a folder at a time. O(recorded
// CIDs).
func Record(state vfs.FS, d merkle.Digest) error {
	_, err := record(state, d)
	return err
}

// record is Record, and reports whether the CID is new.
func record(state vfs.FS, d merkle.Digest) (fresh bool, err error) {
	known, err := placed(state)
	if err != nil || slices.Contains(known, d) {
		return false, err
	}
	var text strings.Builder
	for _, one := range append(known, d) {
		text.WriteString(one.String() + "\n")
	}
	if err := vfs.WriteAtomic(state, placedFile, []byte(text.String()), 0o600); err != nil {
		return false, fmt.Errorf("ipfs: %w", err)
	}
	return true, nil
}

// Placed returns the recorded CIDs of a state folder, newest first: of everything that its memory has
// put on IPFS, was about to put there, or has read from there. It sends no request.
func Placed(state vfs.FS) ([]merkle.Digest, error) {
	all, err := placed(state)
	slices.Reverse(all)
	return all, err
}

// placed reads the file.
func placed(state vfs.FS) (all []merkle.Digest, err error) {
	text, err := state.ReadFile(placedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ipfs: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if d, err := ParseCID(strings.TrimSuffix(line, "\n")); err == nil { // earlier builds may have left an incomplete line
			all = append(all, d)
		}
	}
	return all, nil
}
