// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// IPFS says where the daemon of IPFS is; the zero value names none.
type IPFS struct {
	// API is the URL of its RPC, "" where none is configured.
	API string `key:"api" as:"address"`
}

// ipfs parses the table, or what the environment has in its place.
func (v value) ipfs() (IPFS, error) {
	if _, isText := v.raw.(string); isText && !v.inFile {
		return tableOf[IPFS](v.of(map[string]any{"api": v.raw}))
	}
	return tableOf[IPFS](v)
}

// address returns the URL of the RPC of a daemon.
func (v value) address() (string, error) {
	text, err := v.text()
	if err != nil {
		return "", err
	}
	return ipfs.ParseAddress(text, true)
}

// maxAddress bounds the file with the address of a daemon.
const maxAddress = 4 << 10

// Address returns the URL of the daemon's RPC: the configured one, else that in the file api of
// IPFS_PATH (~/.ipfs), which a running daemon writes, else the standard one. One that is not
// configured must be on this machine. Errors: ipfs.ErrAddress, ipfs.ErrFar, those of reading the
// file.
func (c IPFS) Address() (string, error) {
	if c.API != "" {
		return c.API, nil
	}
	folder := os.Getenv("IPFS_PATH")
	if home := Home(); folder == "" && home != "" {
		folder = filepath.Join(home, ".ipfs")
	}
	if folder == "" {
		return ipfs.ParseAddress(ipfs.StandardAPI, false)
	}
	name := filepath.Join(folder, "api")
	text, err := vfs.ReadPlain(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ipfs.ParseAddress(ipfs.StandardAPI, false)
	}
	address := ""
	if err == nil {
		address, err = ipfs.ParseAddress(string(text[:min(len(text), maxAddress)]), false)
	}
	if err != nil {
		return "", fmt.Errorf("config: %s: %w", name, err)
	}
	return address, nil
}
