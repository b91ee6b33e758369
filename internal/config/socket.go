// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Socket returns the path of the daemon's socket: HASH.sock in the folder fovea below
// XDG_RUNTIME_DIR, else in fovea-UID below the folder for temporary files. HASH is that of
// the real paths of memex and state folder, so that every path to a memex leads to one
// daemon. env is os.Getenv if nil, as in Load. It creates nothing.
func (c *Config) Socket(env func(string) string) (string, error) {
	env = environmentOr(env)
	memex, _, err := realPath(c.Memex)
	if err != nil {
		return "", fmt.Errorf("config: socket: %w", err)
	}
	state, _, err := realPath(c.StateDir)
	if err != nil {
		return "", fmt.Errorf("config: socket: %w", err)
	}
	sum := sha256.Sum256([]byte(memex + "\x00" + state))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	folder := filepath.Join(env("XDG_RUNTIME_DIR"), "fovea")
	// XDG's standard ignores relative paths in its variables, and a socket's name must be
	// short.
	if !filepath.IsAbs(folder) || len(folder)+len(name) > maxSocketPath {
		folder = filepath.Join(os.TempDir(), fmt.Sprintf("fovea-%d", os.Getuid()))
	}
	if len(folder)+len(name) > maxSocketPath {
		folder = fmt.Sprintf("/tmp/fovea-%d", os.Getuid())
	}
	return filepath.Join(folder, name), nil
}

// maxSocketPath is the length of a socket path that every system accepts, without the
// slash and the terminating zero byte.
const maxSocketPath = 102
