// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// idLocationsName is the file in which Emacs stores the locations of ids.
const idLocationsName = ".org-id-locations"

// maxIDLocations bounds the file: a million ids take about 100 bytes each.
const maxIDLocations = 256 << 20

// idLocationFiles lists Emacs' default paths of the file.
func idLocationFiles(env func(string) string) []string {
	var out []string
	home := env("HOME")
	if filepath.IsAbs(home) {
		out = append(out, filepath.Join(home, ".emacs.d", idLocationsName))
	}
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		out = append(out, filepath.Join(dir, "emacs", idLocationsName))
	} else if filepath.IsAbs(home) {
		out = append(out, filepath.Join(home, ".config", "emacs", idLocationsName))
	}
	return out
}

// KnownIDs maps the ids that Emacs has seen to the absolute path of their file. Files that
// are missing, unreadable or in another format count as empty. env is as in Load. It writes
// nothing. O(bytes).
func (c *Config) KnownIDs(env func(string) string) map[string]string {
	env = environmentOr(env)
	files := []string{c.EmacsLocations}
	if c.EmacsLocations == "" {
		files = idLocationFiles(env)
	}
	out := map[string]string{}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxIDLocations {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		found, _ := parseIDLocations(string(text))
		for id, file := range found {
			if file = vfs.Expand(file, env); !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(name), file)
			}
			out[id] = file
		}
	}
	return out
}

// errIDLocations is returned for a text that is not a list of ids by file.
var errIDLocations = errors.New("not a list of ids by file, as org-id-locations")

// parseIDLocations parses the Lisp list (("file" "id" ...) ...) and returns the file of each
// id, as written; the first file of an id counts. After an error the map holds the preceding
// ids.
func parseIDLocations(text string) (map[string]string, error) {
	out := map[string]string{}
	l := lisp{text: text}
	if l.skip(); strings.HasPrefix(l.text, "nil") {
		return out, nil
	}
	if !l.take('(') {
		return out, errIDLocations
	}
	for !l.take(')') {
		file, ok := "", l.take('(')
		if ok {
			file, ok = l.word()
		}
		for ok && !l.take(')') {
			var id string
			if id, ok = l.word(); ok && out[id] == "" {
				out[id] = file
			}
		}
		if !ok {
			return out, errIDLocations
		}
	}
	return out, nil
}

// lisp parses Lisp as Emacs prints it. text is the unread rest.
type lisp struct{ text string }

// skip skips blanks and comments.
func (l *lisp) skip() {
	for {
		l.text = strings.TrimLeft(l.text, " \t\r\n\f")
		if !strings.HasPrefix(l.text, ";") {
			return
		}
		_, l.text, _ = strings.Cut(l.text, "\n")
	}
}

// take skips a bracket and reports whether it was next.
func (l *lisp) take(bracket byte) bool {
	l.skip()
	if l.text == "" || l.text[0] != bracket {
		return false
	}
	l.text = l.text[1:]
	return true
}

// word parses a double-quoted string; a backslash quotes the next character.
func (l *lisp) word() (string, bool) {
	if !l.take('"') {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(l.text); i++ {
		switch l.text[i] {
		case '"':
			l.text = l.text[i+1:]
			return b.String(), true
		case '\\':
			if i++; i == len(l.text) {
				return "", false
			}
		}
		b.WriteByte(l.text[i])
	}
	return "", false
}
