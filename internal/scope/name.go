// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// A scope is a separate memory in a folder of the memex's store, under the memex's lock. It
// has its own journal, chain, snapshots and head.
const (
	Memex         = "memex"
	Project       = "project"
	Session       = "session"
	Folder        = "scopes"
	maxScopeBytes = 100
)

// Memex returns the scope of the memex: s itself, or its parent.
func (s *Scope) Memex() *Scope {
	if s.Parent != nil {
		return s.Parent
	}
	return s
}

// Region returns the paths of the memex folder that a scope holds, as arguments of
// corpus.Root.Region. The paths of a project belong neither to the memex nor to an enclosing
// project.
func (s *Scope) Region(scope string) (within, without []string) {
	for project, paths := range s.Options.Projects {
		if Project+"/"+project == scope {
			within = append([]string{}, paths...)
		} else {
			without = append(without, paths...)
		}
	}
	if within == nil && scope != Memex {
		return nil, []string{"."}
	}
	return within, without
}

// HasFiles reports whether a scope holds files of the folder.
func (s *Scope) HasFiles() bool {
	project, ok := strings.CutPrefix(s.Name, Project+"/")
	_, configured := s.Options.Projects[project]
	return s.Parent == nil || ok && configured
}

// IsSession reports whether this is the memory of a session. Ingesting into a session takes
// no snapshot.
func (s *Scope) IsSession() bool { return strings.HasPrefix(s.Name, Session+"/") }

// IsFile reports whether a document of this memory is a file, rather than a tree or a buffer
// laid over a file.
func (s *Scope) IsFile(path string) bool { return s.HasFiles() && !document.IsMemory(path) }

// CheckProjects rejects invalid project names and paths.
func CheckProjects(projects map[string][]string, root *corpus.Root) error {
	owner := map[string]string{}
	for _, project := range slices.Sorted(maps.Keys(projects)) {
		if err := Check(Project + "/" + project); err != nil {
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

// Check returns an error if the name of a scope is invalid.
func Check(name string) error {
	kind, rest, _ := strings.Cut(name, "/")
	switch {
	case kind != Project && kind != Session:
		return errors.New("a scope is memex, project/NAME or session/ID")
	case rest == "" || len(rest) > maxScopeBytes:
		return fmt.Errorf("the name behind %s/ has %d bytes, 1 to %d are possible", kind, len(rest), maxScopeBytes)
	case !utf8.ValidString(rest) || strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the name of a scope is UTF-8 without control characters")
	}
	return nil
}

// coded encodes names that a file system might fold or refuse.
var coded = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// FolderOf names the folder of a scope: KIND-NAME if NAME has only plain characters, else
// KIND=BASE32.
func FolderOf(name string) string {
	kind, rest, _ := strings.Cut(name, "/")
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' }
	if strings.ContainsFunc(rest, func(r rune) bool { return !plain(r) }) {
		return kind + "=" + coded.EncodeToString([]byte(rest))
	}
	return kind + "-" + rest
}

// List lists the scopes with a store in a state folder.
func List(in vfs.FS) ([]string, error) {
	entries, err := in.ReadDir(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		kind, rest, plain := strings.Cut(e.Name(), "-")
		if k, code, ok := strings.Cut(e.Name(), "="); ok {
			b, _ := coded.DecodeString(code)
			kind, rest, plain = k, string(b), true
		}
		name := kind + "/" + rest
		if plain && Check(name) == nil && FolderOf(name) == e.Name() {
			names = append(names, name)
		}
	}
	return names, err
}
