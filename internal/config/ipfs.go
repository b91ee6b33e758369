// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// IPFS says where the daemon of IPFS is; the zero value names none.
type IPFS struct {
	// API is the URL of its RPC, "" where none is configured.
	API string
}

// ipfs parses the table, or what the environment has in its place.
func (v value) ipfs() (at IPFS, err error) {
	api := v
	if table, ok := v.raw.(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if key != "api" {
				return at, fmt.Errorf("unknown key %q; there is api", key)
			}
		}
		if len(table) == 0 {
			return at, nil
		}
		api = v.of(table["api"])
	} else if v.inFile {
		return at, fmt.Errorf("%v is not a table with api", v)
	}
	text, err := api.text()
	if err != nil {
		return at, fmt.Errorf("api: %w", err)
	}
	if at.API, err = ipfs.ParseAddress(text, true); err != nil {
		return IPFS{}, fmt.Errorf("api: %w", err)
	}
	return at, nil
}

// maxAddress bounds the file with the address of a daemon.
const maxAddress = 4 << 10

// Address returns the URL of the daemon's RPC: the configured one, else that in the file api of
// IPFS_PATH (~/.ipfs), which a running daemon writes, else the standard one. One that is not
// configured must be on this machine. env is os.Getenv if nil. Errors: ipfs.ErrAddress,
// ipfs.ErrFar, those of reading the file.
func (c IPFS) Address(env func(string) string) (string, error) {
	if c.API != "" {
		return c.API, nil
	}
	env = environmentOr(env)
	folder := env("IPFS_PATH")
	if home := Home(env); folder == "" && home != "" {
		folder = filepath.Join(home, ".ipfs")
	}
	if folder == "" {
		return ipfs.ParseAddress(ipfs.StandardAPI, false)
	}
	name := filepath.Join(folder, "api")
	f, err := vfs.OpenPlain(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return ipfs.ParseAddress(ipfs.StandardAPI, false)
	}
	if err != nil {
		return "", fmt.Errorf("config: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAddress))
	if err != nil {
		return "", fmt.Errorf("config: %s: %w", name, err)
	}
	address, err := ipfs.ParseAddress(string(text), false)
	if err != nil {
		return "", fmt.Errorf("config: %s: %w", name, err)
	}
	return address, nil
}
