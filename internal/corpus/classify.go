// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// class is the role of a path in a memex.
type class uint8

const (
	foreign class = iota // not part of the memex
	parsed               // of a format other than Opaque
	opaque               // stored without parsing
)

// classify derives the class of a file from its path alone.
func (s *selection) classify(file string) class {
	if !s.region.contains(file) {
		return foreign
	}
	name := file[strings.LastIndexByte(file, '/')+1:]
	if len(s.opaque) > 0 {
		if _, named := slices.BinarySearch(s.opaque, file); named {
			return opaque
		}
	}
	switch {
	case isHidden(name), isEditorsCopy(name):
		return foreign
	case s.parses(name):
		return parsed
	case strings.EqualFold(path.Ext(name), ".gpg") && s.parses(name[:len(name)-len(".gpg")]),
		s.skills != "" && isBelow(file, s.skills), isROM(file):
		return opaque
	}
	return foreign
}

func isHidden(name string) bool { return name[0] == '.' }

// hasHidden reports whether any name in the path is hidden.
func hasHidden(path string) bool {
	return isHidden(path) || strings.Contains(path, "/.")
}

// isEditorsCopy reports whether name is a backup (x~) or an auto-save file (#x#).
func isEditorsCopy(name string) bool {
	return strings.HasSuffix(name, "~") || len(name) > 1 && name[0] == '#' && name[len(name)-1] == '#'
}

// isBelow reports whether path is inside folder, at any depth.
func isBelow(path, folder string) bool {
	return len(path) > len(folder) && path[len(folder)] == '/' && path[:len(folder)] == folder
}

// isROM reports whether path has the form agents/NAME/ROM*.
func isROM(path string) bool {
	rest, ok := strings.CutPrefix(path, "agents/")
	if !ok {
		return false
	}
	_, name, ok := strings.Cut(rest, "/")
	return ok && strings.HasPrefix(name, "ROM") && !strings.Contains(name, "/")
}

// isUsable reports whether path can name a document: valid UTF-8, at most maxPath
// bytes, and no control characters, which would break lines of output.
func isUsable(path string) bool {
	if len(path) > maxPath || !utf8.ValidString(path) {
		return false
	}
	for i := range len(path) {
		if path[i] < ' ' || path[i] == 0x7f {
			return false
		}
	}
	return true
}
