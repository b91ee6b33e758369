// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// maxNameBytes bounds the part of a state folder's name that is for people.
const maxNameBytes = 64

// StateDir returns the absolute path of the folder that keeps the state of the
// memex: MEMORY_SNAPSHOT_PATH itself, else state/fovea/NAME-HASH below
// SYSTEM_DIR, else fovea/NAME-HASH below XDG_STATE_HOME, which is
// ~/.local/state where it is not set. NAME is the last part of the real path of
// the memex, HASH the first 12 hexadecimal digits of that path's SHA-256: two
// ways to one memex share its state, and two memexes of one name do not.
//
// env is os.Getenv if nil. Nothing is made. It returns ErrStateFile when a file is in the way,
// ErrStateInside when the folder would lie in the memex, be it by a link, and
// ErrNoHome.
func StateDir(env func(string) string, memex string) (string, error) {
	env = environmentOr(env)
	real, _, err := realPath(memex)
	if err != nil {
		return "", fmt.Errorf("config: memex %s: %w", memex, err)
	}
	dir, err := stateDir(env, real)
	if err != nil {
		return "", fmt.Errorf("config: state of %s: %w", memex, err)
	}
	realState, standing, err := realPath(dir)
	if err != nil {
		return "", fmt.Errorf("config: state folder %s: %w", dir, err)
	}
	info, err := os.Stat(standing)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: %w", standing, ErrStateFile)
	}
	if err != nil {
		return "", fmt.Errorf("config: state folder %s: %w", dir, err)
	}
	if rel, err := filepath.Rel(real, realState); err == nil && filepath.IsLocal(rel) {
		return "", fmt.Errorf("config: state folder %s: %w", dir, ErrStateInside)
	}
	return dir, nil
}

// StateDirOfOther is StateDir for another memex than the one that the environment is
// about: MEMORY_SNAPSHOT_PATH names the state of that one.
func StateDirOfOther(env func(string) string, memex string) (string, error) {
	env = environmentOr(env)
	return StateDir(func(name string) string {
		if name == "MEMORY_SNAPSHOT_PATH" {
			return ""
		}
		return env(name)
	}, memex)
}

func stateDir(env func(string) string, memex string) (string, error) {
	if dir := Expand(env("MEMORY_SNAPSHOT_PATH"), env); dir != "" {
		return filepath.Abs(dir)
	}
	sum := sha256.Sum256([]byte(memex))
	name := shortName(memex) + "-" + hex.EncodeToString(sum[:6])
	base, err := StoresDir(env)
	if err != nil {
		return "", err
	}
	return filepath.Join(base, name), nil
}

// StoresDir returns the absolute path of the folder that keeps the state folders of this
// user's memexes, but for one that MEMORY_SNAPSHOT_PATH names: state/fovea below
// SYSTEM_DIR, else fovea below XDG_STATE_HOME or ~/.local/state. env is os.Getenv if nil.
// It returns ErrNoHome.
func StoresDir(env func(string) string) (string, error) {
	env = environmentOr(env)
	if dir := Expand(env("SYSTEM_DIR"), env); dir != "" {
		return filepath.Abs(filepath.Join(dir, "state", "fovea"))
	}
	// A relative path in a variable of XDG counts as not set, by its standard.
	if dir := Expand(env("XDG_STATE_HOME"), env); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fovea"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "fovea"), nil
	}
	return "", ErrNoHome
}

// shortName is the last part of a path, cut between two characters.
func shortName(path string) string {
	name := strings.Trim(filepath.Base(path), string(filepath.Separator))
	if name == "" {
		return "root"
	}
	if len(name) > maxNameBytes {
		end := maxNameBytes
		for end > 0 && !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	return name
}

// RealPath returns the absolute path without links of what need not exist.
func RealPath(path string) (string, error) {
	real, _, err := realPath(path)
	return real, err
}

// realPath returns the absolute path without links of what need not exist: as
// far as it does exist, links are followed. standing is the part that exists.
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
