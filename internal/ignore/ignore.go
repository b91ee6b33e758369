// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ignore

import "strings"

// Rules are the patterns of one file, chained to those of the folders above.
// nil matches nothing. They are immutable and safe for any number of readers.
type Rules struct {
	parent   *Rules
	folder   string // where the file stands, "." for the root
	patterns []pattern
}

// pattern is one line of an ignore file.
type pattern struct {
	negated    bool   // the line starts with !
	folderOnly bool   // the line ends with /: folders only
	anchored   bool   // a slash stands elsewhere: the path counts, not the name
	segments   []glob // between the slashes; one alone where not anchored
}

// anyDepth is the segment that stands for any number of folders.
const anyDepth = glob("**")

// Parse returns the rules in the text of a file that stands in a folder, "." for
// the root, and counts for all below it. above, which may be nil, are the rules of
// the folders above: they decide where no line of text does. Lines that can match
// nothing are dropped. Any text can be parsed. O(len(text)).
func Parse(parent *Rules, folder, text string) *Rules {
	r := &Rules{parent: parent, folder: folder}
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if p, ok := parsePattern(strings.TrimSuffix(line, "\r")); ok {
			r.patterns = append(r.patterns, p)
		}
	}
	return r
}

func parsePattern(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trimBlanks(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.folderOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	p.segments, ok = splitSegments(glob(line))
	return p, ok
}

// trimBlanks cuts the blanks at the end, but for one behind a backslash.
func trimBlanks(line string) string {
	trimmed := strings.TrimRight(line, " ")
	slashes := len(trimmed) - len(strings.TrimRight(trimmed, "\\"))
	if slashes%2 == 1 && len(trimmed) < len(line) {
		return line[:len(trimmed)+1]
	}
	return trimmed
}

// splitSegments splits at the slashes that do not stand in a set. It reports
// false where no path can match: an empty pattern, a set or an escape without
// an end.
func splitSegments(g glob) (segments []glob, ok bool) {
	if g == "" {
		return nil, false
	}
	start := 0
	for i := 0; i < len(g); i++ {
		switch g[i] {
		case '/':
			segments = append(segments, g[start:i])
			start = i + 1
		case '\\':
			i++
			switch {
			case i == len(g):
				return nil, false
			case g[i] == '/':
				segments = append(segments, g[start:i-1])
				start = i + 1
			}
		case '[':
			size := g[i:].setLen()
			if size == 0 {
				return nil, false
			}
			i += size - 1
		}
	}
	return append(segments, g[start:]), true
}

// Match reports whether the last pattern that matches a path is one without "!".
// The path, with slashes, lies in the folder of the rules or below. That a folder
// above it matches is for the caller to know. O(patterns x len(path)).
func (r *Rules) Match(path string, isFolder bool) bool {
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
			if p.anchored && matchSegments(p.segments, below) || !p.anchored && p.segments[0].matches(name) {
				return !p.negated
			}
		}
	}
	return false
}

// matchSegments matches a path with segments, of which ** matches any number of
// folders, and as the last one everything below, but not nothing.
func matchSegments(segments []glob, path string) bool {
	i, rest := 0, path
	star, retry := -1, ""
	for {
		if i < len(segments) && segments[i] == anyDepth {
			if i == len(segments)-1 {
				if rest != "" {
					return true
				}
			} else {
				star, retry = i, rest
				i++
				continue
			}
		} else if i < len(segments) && rest != "" {
			name, below, _ := strings.Cut(rest, "/")
			if segments[i].matches(name) {
				i, rest = i+1, below
				continue
			}
		}
		if i == len(segments) && rest == "" {
			return true
		}
		if star < 0 || retry == "" {
			return false
		}
		_, retry, _ = strings.Cut(retry, "/")
		i, rest = star+1, retry
	}
}

// Valid reports whether a line is a pattern that can match a path.
func Valid(line string) bool {
	if strings.ContainsAny(line, "\n\r") {
		return false
	}
	_, ok := parsePattern(line)
	return ok
}
