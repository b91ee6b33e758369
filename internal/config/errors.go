// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import "errors"

// Errors of Load and StateDir. They come wrapped with the path concerned.
var (
	// ErrNoMemex is returned by Load if nothing names the memex.
	ErrNoMemex = errors.New("no memex is named; use --memex DIR, set FOVEA_MEMEX or MEMEX_ROOT, or write memex = \"DIR\" into the configuration " +
		"file; verbs also take the folder that you stand in, where it holds Org files")
	// ErrFile is returned by Load if the configuration file cannot be read or is not TOML.
	// Its policy is unknown then, so nothing may proceed.
	ErrFile = errors.New("the configuration file cannot be used")
	// ErrStateFile is returned if a file is in the place of the state folder, or of a folder
	// above it. The file is left alone.
	ErrStateFile = errors.New("a file is in the way and is left alone; move it, or name another folder in MEMORY_SNAPSHOT_PATH")
	// ErrStateInside is returned if the state folder would be inside the memex.
	ErrStateInside = errors.New("the state folder may not lie inside the memex; name one elsewhere in MEMORY_SNAPSHOT_PATH")
	// ErrNoHome is returned if nothing determines the state folder.
	ErrNoHome = errors.New("no place for the state folder; set HOME, XDG_STATE_HOME, SYSTEM_DIR or MEMORY_SNAPSHOT_PATH")
)
