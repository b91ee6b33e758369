// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"path"
	"strings"
)

// Patterns are the patterns of one file, written as in gitignore(5), chained to those of the
// parent folders. A nil *Patterns matches nothing. Patterns are immutable and safe for
// concurrent use.
type Patterns struct {
	parent   *Patterns
	folder   string // folder of the file; "." for the root
	patterns []pattern
}

// pattern is one line of an ignore file.
type pattern struct {
	negated    bool // the line starts with !
	folderOnly bool // the line ends with /: it matches folders only
	anchored   bool // the line has another slash: it matches the path, not the name
	glob       glob
}

// ParsePatterns returns the patterns in text, a file in the given folder ("." is the
// root), which apply to all paths below it. parent may be nil; it holds the
// patterns of the folders above, which decide if no line of text matches.
// Lines that cannot match anything are dropped, any text is accepted. O(len(text)).
func ParsePatterns(parent *Patterns, folder, text string) *Patterns {
	r := &Patterns{parent: parent, folder: folder}
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if p, ok := parsePattern(strings.TrimSuffix(line, "\r")); ok {
			r.patterns = append(r.patterns, p)
		}
	}
	return r
}

// Excluded reports whether ignore files exclude a path without links. file is their name, and
// text returns their texts. An ignore file is excluded only together with its folder.
// O(folders of the path).
func Excluded(name, file string, text func(path string) (string, error)) (bool, error) {
	var in *Patterns
	folder := "."
	for rest := name; ; {
		patterns, err := text(path.Join(folder, file))
		if err != nil {
			return false, err
		}
		if patterns != "" {
			in = ParsePatterns(in, folder, patterns)
		}
		part, below, isFolder := strings.Cut(rest, "/")
		if !isFolder && part == file {
			return false, nil
		}
		folder, rest = path.Join(folder, part), below
		if in.Match(folder, isFolder) || !isFolder {
			return in.Match(folder, isFolder), nil
		}
	}
}

func parsePattern(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trimBlanks(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folderOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	p.glob, ok = globOf(strings.TrimPrefix(line, "/"))
	return p, ok
}

// trimBlanks removes trailing blanks, except one that a backslash escapes.
func trimBlanks(line string) string {
	trimmed := strings.TrimRight(line, " ")
	slashes := len(trimmed) - len(strings.TrimRight(trimmed, "\\"))
	if slashes%2 == 1 && len(trimmed) < len(line) {
		return line[:len(trimmed)+1]
	}
	return trimmed
}

// Match reports whether a path is ignored: whether the last pattern that
// matches it has no "!". The path has slashes and is inside the folder of the
// patterns. Match does not test the folders above the path; the caller must. It
// takes O(patterns x len(path)).
func (r *Patterns) Match(path string, isFolder bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for ; r != nil; r = r.parent {
		below := path
		if r.folder != "." {
			below = path[len(r.folder)+1:]
		}
		for i := len(r.patterns) - 1; i >= 0; i-- {
			p := &r.patterns[i]
			if p.folderOnly && !isFolder {
				continue
			}
			if p.anchored && p.glob.matches(below) || !p.anchored && p.glob.matches(name) {
				return !p.negated
			}
		}
	}
	return false
}

// Covers reports whether Match is true for a file or for a folder above it. It takes
// O(patterns x len(path)) for each folder.
func (r *Patterns) Covers(path string) bool {
	for i := range len(path) {
		if path[i] == '/' && r.Match(path[:i], true) {
			return true
		}
	}
	return r.Match(path, false)
}

// IsPattern reports whether a line is a pattern that can match a path.
func IsPattern(line string) bool {
	if strings.ContainsAny(line, "\n\r") {
		return false
	}
	_, ok := parsePattern(line)
	return ok
}
