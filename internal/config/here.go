// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// formatFile is in every state folder that holds a memory.
const formatFile = "FORMAT"

// here infers the memex from the working folder dir: the nearest folder from dir upwards that has a memory, else
// dir itself if it contains an Org file, else "". It never returns the home folder or one above it. It creates
// nothing.
func here(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	tooMuch := above(os.Getenv("HOME"))
	for at := dir; ; at = filepath.Dir(at) {
		if at == filepath.Dir(at) || isOne(at, tooMuch) {
			break
		}
		state, err := StateDirOfOther(at)
		if err == nil && HasMemory(state) {
			return at
		}
	}
	if !isOne(dir, tooMuch) && holdsDocument(dir) {
		return dir
	}
	return ""
}

// HasMemory reports whether a state folder holds a memory.
func HasMemory(state string) bool {
	_, err := os.Stat(filepath.Join(state, formatFile))
	return err == nil
}

// above returns a folder and all folders above it, up to the root.
func above(dir string) (folders []os.FileInfo) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if !filepath.IsAbs(dir) {
		dir = string(filepath.Separator)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil {
			folders = append(folders, info)
		}
		if at == filepath.Dir(at) {
			return folders
		}
	}
}

// isOne reports whether a path leads to one of the folders; true if that is unknown.
func isOne(path string, folders []os.FileInfo) bool {
	info, err := os.Stat(path)
	return err != nil || slices.ContainsFunc(folders, func(f os.FileInfo) bool { return os.SameFile(f, info) })
}

// holdsDocument reports whether a folder contains a file of a parsed format that is not hidden.
func holdsDocument(dir string) bool {
	entries, err := os.ReadDir(dir)
	formats := (&Config{}).Formats()
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.Type().IsRegular() && formats.Owns(e.Name()) && !strings.HasPrefix(e.Name(), ".")
	})
}
