// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// maxScopeBytes is the maximum length of NAME or ID in the name of a scope.
const maxScopeBytes = 100

// checkProjects rejects invalid project names and paths.
func checkProjects(projects map[string][]string, root *corpus.Root) error {
	owner := map[string]string{}
	for _, project := range slices.Sorted(maps.Keys(projects)) {
		if err := checkScope(scope.Project + "/" + project); err != nil {
			return fmt.Errorf("project %q: %w", project, err)
		}
		for _, name := range projects[project] {
			rel, ok := root.Relative(name)
			if !ok {
				return fmt.Errorf("project %s: %s lies outside the memex", project, name)
			}
			if other, taken := owner[rel]; taken && other != project {
				return fmt.Errorf("project %s: %s is a path of project %s, too", project, name, other)
			}
			owner[rel] = project
		}
	}
	return nil
}

// regionOf returns the paths of the memex folder that a scope holds, as arguments of
// corpus.Root.Region. The paths of a project belong neither to the memex nor to an enclosing
// project.
func regionOf(projects map[string][]string, name string) (within, without []string) {
	for project, paths := range projects {
		if scope.Project+"/"+project == name {
			within = append([]string{}, paths...)
		} else {
			without = append(without, paths...)
		}
	}
	if within == nil && name != scope.Memex {
		return nil, []string{"."}
	}
	return within, without
}

// checkScope returns an error if the name of a scope is invalid.
func checkScope(name string) error {
	kind, rest, _ := strings.Cut(name, "/")
	switch {
	case kind != scope.Project && kind != scope.Session:
		return errors.New("a scope is memex, project/NAME or session/ID")
	case rest == "" || len(rest) > maxScopeBytes:
		return fmt.Errorf("the name behind %s/ has %d bytes, 1 to %d are possible", kind, len(rest), maxScopeBytes)
	case !utf8.ValidString(rest) || strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the name of a scope is UTF-8 without control characters")
	}
	return nil
}

// encoding is for names that a file system might fold or refuse.
var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// folderOf names the folder of a scope: KIND-NAME if NAME has only plain characters, else
// KIND=BASE32.
func folderOf(name string) string {
	kind, rest, _ := strings.Cut(name, "/")
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' }
	if strings.ContainsFunc(rest, func(r rune) bool { return !plain(r) }) {
		return kind + "=" + encoding.EncodeToString([]byte(rest))
	}
	return kind + "-" + rest
}

// listScopes lists the scopes with a store in a state folder.
func listScopes(in vfs.FS) ([]string, error) {
	entries, err := in.ReadDir(scope.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		kind, rest, plain := strings.Cut(e.Name(), "-")
		if k, code, ok := strings.Cut(e.Name(), "="); ok {
			b, _ := encoding.DecodeString(code)
			kind, rest, plain = k, string(b), true
		}
		name := kind + "/" + rest
		if plain && checkScope(name) == nil && folderOf(name) == e.Name() {
			names = append(names, name)
		}
	}
	return names, err
}
