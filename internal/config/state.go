// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// maxNameBytes bounds the readable part of a state folder's name.
const maxNameBytes = 64

// Home returns the home folder of the user, "" if the environment names none.
func Home() string { return os.Getenv("HOME") }

// StateDir returns the absolute path of the state folder of the memex: MEMORY_SNAPSHOT_PATH
// itself, else state/fovea/NAME-HASH below SYSTEM_DIR, else fovea/NAME-HASH below
// XDG_STATE_HOME, by default ~/.local/state. NAME is the last part of the memex's real path,
// HASH the first 12 hexadecimal digits of that path's SHA-256: two paths to one memex share
// its state, and two memexes of one name do not.
//
// It creates nothing. It returns ErrStateFile if a file is in its place, ErrStateInside if the folder would be
// inside the memex, even through a link, and ErrNoHome.
func StateDir(memex string) (string, error) {
	return stateDirOf(memex, os.Getenv("MEMORY_SNAPSHOT_PATH"))
}

// StateDirOfOther is StateDir for a memex other than the configured one, to which
// MEMORY_SNAPSHOT_PATH does not apply.
func StateDirOfOther(memex string) (string, error) { return stateDirOf(memex, "") }

// stateDirOf implements StateDir; named is the folder that the environment names, "" for none.
func stateDirOf(memex, named string) (string, error) {
	real, _, err := realPath(memex)
	if err != nil {
		return "", fmt.Errorf("config: memex %s: %w", memex, err)
	}
	dir := vfs.Expand(named, os.Getenv)
	if dir == "" {
		sum := sha256.Sum256([]byte(real))
		dir, err = StoresDir()
		dir = filepath.Join(dir, shortName(real)+"-"+hex.EncodeToString(sum[:6]))
	}
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", fmt.Errorf("config: state of %s: %w", memex, err)
	}
	realState, standing, err := realPath(dir)
	var info os.FileInfo
	if err == nil {
		info, err = os.Stat(standing)
	}
	rel, outside := filepath.Rel(real, realState)
	switch {
	case err != nil:
	case !info.IsDir():
		err = fmt.Errorf("%s: %w", standing, ErrStateFile)
	case outside == nil && filepath.IsLocal(rel):
		err = ErrStateInside
	default:
		return dir, nil
	}
	return "", fmt.Errorf("config: state folder %s: %w", dir, err)
}

// StoresDir returns the absolute path of the folder of this user's state folders, except one
// that MEMORY_SNAPSHOT_PATH names: state/fovea below SYSTEM_DIR, else fovea below
// XDG_STATE_HOME or ~/.local/state. It returns ErrNoHome.
func StoresDir() (string, error) {
	if dir := vfs.Expand(os.Getenv("SYSTEM_DIR"), os.Getenv); dir != "" {
		return filepath.Abs(filepath.Join(dir, "state", "fovea"))
	}
	// XDG's standard ignores relative paths in its variables.
	if dir := vfs.Expand(os.Getenv("XDG_STATE_HOME"), os.Getenv); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fovea"), nil
	}
	if home := Home(); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "fovea"), nil
	}
	return "", ErrNoHome
}

// shortName returns the last part of a path, cut between two characters.
func shortName(path string) string {
	name := strings.Trim(filepath.Base(path), string(filepath.Separator))
	if name == "" {
		return "root"
	}
	if len(name) > maxNameBytes {
		name = strings.ToValidUTF8(name[:maxNameBytes], "")
	}
	return name
}

// RealPath returns path absolute and without links. It need not exist.
func RealPath(path string) (string, error) {
	real, _, err := realPath(path)
	return real, err
}

// realPath returns path absolute and with links followed as far as it exists. standing is the part that exists.
func realPath(path string) (real, standing string, err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", "", err
	}
	missing := ""
	for at := abs; ; at = filepath.Dir(at) {
		standing, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(standing, missing), standing, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) || at == filepath.Dir(at) {
			return "", "", err
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}

// Socket returns the path of the daemon's socket: HASH.sock in the folder fovea below
// XDG_RUNTIME_DIR, else in fovea-UID below the folder for temporary files. HASH is that of
// the real paths of memex and state folder, so that every path to a memex leads to one
// daemon. It creates nothing.
func (c *Config) Socket() (string, error) {
	memex, err := RealPath(c.Memex)
	state, stateErr := RealPath(c.StateDir)
	if err = cmp.Or(err, stateErr); err != nil {
		return "", fmt.Errorf("config: socket: %w", err)
	}
	sum := sha256.Sum256([]byte(memex + "\x00" + state))
	name, own := hex.EncodeToString(sum[:8])+".sock", fmt.Sprintf("fovea-%d", os.Getuid())
	// XDG's standard ignores relative paths in its variables, and a socket's name must be short.
	for _, folder := range []string{filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "fovea"), filepath.Join(os.TempDir(), own)} {
		if filepath.IsAbs(folder) && len(folder)+len(name) <= maxSocketPath {
			return filepath.Join(folder, name), nil
		}
	}
	return filepath.Join("/tmp", own, name), nil
}

// maxSocketPath is the length of a socket path that every system accepts, without the slash and the final zero.
const maxSocketPath = 102
