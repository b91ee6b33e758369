// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
)

// The kinds of scopes, and the folder of the memex's store that holds projects and sessions. Each
// has its own journal, chain, snapshots and head, under the memex's lock.
const (
	Memex   = "memex"
	Project = "project"
	Session = "session"
	Folder  = "scopes"
)

// DefaultSkills is the default of SkillsDir.
const DefaultSkills = "skills"

// Memex returns the scope of the memex: s itself, or its parent.
func (s *Scope) Memex() *Scope {
	if s.Parent != nil {
		return s.Parent
	}
	return s
}

// HasFiles reports whether a scope holds files of the folder.
func (s *Scope) HasFiles() bool {
	project, ok := strings.CutPrefix(s.Name, Project+"/")
	_, configured := s.Options.Projects[project]
	return s.Parent == nil || ok && configured
}

// IsSession reports whether this is the memory of a session. Ingests into it make no snapshot.
func (s *Scope) IsSession() bool { return strings.HasPrefix(s.Name, Session+"/") }

// IsFile reports whether a document of this memory is a file, rather than a tree or the buffer of a
// file.
func (s *Scope) IsFile(path string) bool { return s.HasFiles() && !document.IsMemory(path) }

// maxNameBytes is the maximum length of NAME or ID in the name of a scope.
const maxNameBytes = 100

// CheckName returns an error if the name of a project or a session is invalid.
func CheckName(name string) error {
	kind, rest, _ := strings.Cut(name, "/")
	switch {
	case kind != Project && kind != Session:
		return errors.New("a scope is memex, project/NAME or session/ID")
	case rest == "" || len(rest) > maxNameBytes:
		return fmt.Errorf("the name after %s/ has %d bytes; it must have 1 to %d", kind, len(rest), maxNameBytes)
	case !utf8.ValidString(rest) || strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the name of a scope is UTF-8 without control characters")
	}
	return nil
}

// encoding is for names that a file system might fold or refuse.
var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// FolderOf names the folder of a project or a session below Folder: KIND-NAME if NAME has only plain
// characters, else KIND=BASE32.
func FolderOf(name string) string {
	kind, rest, _ := strings.Cut(name, "/")
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' }
	if strings.ContainsFunc(rest, func(r rune) bool { return !plain(r) }) {
		return kind + "=" + encoding.EncodeToString([]byte(rest))
	}
	return kind + "-" + rest
}

// NameOf returns the scope of a folder below Folder, false if it belongs to none.
func NameOf(folder string) (string, bool) {
	kind, rest, plain := strings.Cut(folder, "-")
	if k, code, ok := strings.Cut(folder, "="); ok {
		b, _ := encoding.DecodeString(code)
		kind, rest, plain = k, string(b), true
	}
	name := kind + "/" + rest
	return name, plain && CheckName(name) == nil && FolderOf(name) == folder
}
