// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// idLocationsName is the file in which Emacs keeps where ids are.
const idLocationsName = ".org-id-locations"

// maxIDLocations bounds the file: a million ids take about 100 bytes each.
const maxIDLocations = 256 << 20

// idLocationFiles lists where Emacs looks for the file by default.
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

// KnownIDs reads where Emacs has seen ids: by id, the absolute path of the
// file. Files that are missing, unreadable or none of Emacs' count as empty. env
// is as in Load. They are never written. O(bytes).
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
			if file = Expand(file, env); !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(name), file)
			}
			out[id] = file
		}
	}
	return out
}

// errIDLocations is returned for a text that is no list of ids by file.
var errIDLocations = errors.New("not a list of ids by file, as org-id-locations")

// parseIDLocations reads the Lisp list (("file" "id" ...) ...) and returns the
// file of each id, as written; of two files with one id the first counts. After
// an error the map holds what came before it.
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

// lisp reads Lisp as Emacs prints it. text is what is left.
type lisp struct{ text string }

// skip passes over blanks and comments.
func (l *lisp) skip() {
	for {
		l.text = strings.TrimLeft(l.text, " \t\r\n\f")
		if !strings.HasPrefix(l.text, ";") {
			return
		}
		_, l.text, _ = strings.Cut(l.text, "\n")
	}
}

// take passes over a bracket if it is next.
func (l *lisp) take(bracket byte) bool {
	l.skip()
	if l.text == "" || l.text[0] != bracket {
		return false
	}
	l.text = l.text[1:]
	return true
}

// word reads a string between double quotes, in which a backslash makes the
// character behind it stand for itself.
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
