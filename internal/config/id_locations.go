// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// idLocationsName is the file in which Emacs stores the locations of ids.
const idLocationsName = ".org-id-locations"

// maxIDLocations bounds the file: a million ids take about 100 bytes each.
const maxIDLocations = 256 << 20

// KnownIDs maps the ids that Emacs has seen to the absolute path of their file. Files that are missing, unreadable
// or in another format count as empty. It writes nothing. O(bytes).
func (c *Config) KnownIDs() map[string]string {
	files := []string{c.EmacsLocations}
	if c.EmacsLocations == "" { // Emacs' default paths
		files = []string{filepath.Join(Home(), ".emacs.d", idLocationsName), filepath.Join(configHome(), "emacs", idLocationsName)}
	}
	out := map[string]string{}
	for _, name := range slices.DeleteFunc(files, func(name string) bool { return !filepath.IsAbs(name) }) {
		text, err := readUpTo(name, maxIDLocations, 0)
		if err != nil {
			continue
		}
		found, _ := parseIDLocations(string(text))
		for id, file := range found {
			if file = vfs.Expand(file, os.Getenv); !filepath.IsAbs(file) {
				file = filepath.Join(filepath.Dir(name), file)
			}
			out[id] = file
		}
	}
	return out
}

// errIDLocations is returned for a text that is not a list of ids by file.
var errIDLocations = errors.New("not a list of ids by file, as org-id-locations")

// lispToken matches the first bracket or string of Lisp as Emacs prints it, with the blanks and
// comments before it.
var lispToken = regexp.MustCompile(`\A(?:[ \t\r\n\f]|;[^\n]*(?:\n|\z))*([()]|"(?:[^"\\]|(?s:\\.))*")`)

// lispEscape matches a backslash and the character that it quotes.
var lispEscape = regexp.MustCompile(`(?s)\\(.)`)

// parseIDLocations parses the Lisp list (("file" "id" ...) ...) and returns the file of each
// id, as written; the first file of an id counts. After an error the map holds the preceding
// ids.
func parseIDLocations(text string) (map[string]string, error) {
	out := map[string]string{}
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n\f"), "nil") {
		return out, nil
	}
	var file *string // of the open list, nil before the file is known
	for depth := 0; ; {
		found := lispToken.FindStringSubmatch(text)
		if found == nil {
			return out, errIDLocations
		}
		text = text[len(found[0]):]
		word := lispEscape.ReplaceAllString(strings.TrimSuffix(strings.TrimPrefix(found[1], `"`), `"`), "$1")
		switch token := found[1]; {
		case token == "(" && depth < 2:
			depth, file = depth+1, nil
		case token == ")" && depth == 1:
			return out, nil
		case token == ")" && file != nil:
			depth, file = 1, nil
		case depth != 2 || token == "(" || token == ")":
			return out, errIDLocations
		case file == nil:
			file = &word
		case out[word] == "":
			out[word] = *file
		}
	}
}
