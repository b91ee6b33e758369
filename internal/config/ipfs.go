// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// IPFS is the address of the IPFS daemon; the zero value names none.
type IPFS struct {
	// API is the URL of its RPC, "" if none is configured.
	API string `key:"api" as:"address"`
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

// Address returns the URL of the daemon's RPC: the configured one, else the one in the file api of IPFS_PATH
// (~/.ipfs), which a running daemon writes, else the standard one. An address that is not configured must be on
// this machine. Errors: ipfs.ErrAddress, ipfs.ErrFar, those of reading the file.
func (c IPFS) Address() (string, error) {
	if c.API != "" {
		return c.API, nil
	}
	folder := os.Getenv("IPFS_PATH")
	if home := Home(); folder == "" && home != "" {
		folder = filepath.Join(home, ".ipfs")
	}
	name := filepath.Join(folder, "api")
	text, err := readUpTo(name, maxAddress, 0)
	if folder == "" || errors.Is(err, fs.ErrNotExist) {
		return ipfs.ParseAddress(ipfs.StandardAPI, false)
	}
	address := ""
	if err == nil {
		address, err = ipfs.ParseAddress(string(text), false)
	}
	if err != nil {
		return "", fmt.Errorf("config: %s: %w", name, err)
	}
	return address, nil
}

// readUpTo reads a plain file. A file with more than limit bytes, or with one of the denied permissions, is an
// error.
func readUpTo(name string, limit int64, denied fs.FileMode) ([]byte, error) {
	f, err := vfs.OpenPlain(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode(); mode&denied != 0 {
		return nil, fmt.Errorf("%s has mode %v, and others may have read it: chmod 600 it if none did, else move it away to get a new one", name, mode)
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	return text, err
}
