// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"regexp"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// plainTypes are the types of links that an agent may write: what follows one shows a
// page, a file or a note, and runs nothing. Any other type is one of the many that a
// package of Emacs may define.
var plainTypes = map[string]bool{
	"http": true, "https": true, "ftp": true, "mailto": true, "news": true, "doi": true, "file": true, "id": true,
}

// program is an address of a file that Emacs reaches through a program: /ssh:host:/path,
// /-:host:/path, and what becomes one when its dots are followed: /tmp/../ssh:host:/path.
var program = regexp.MustCompile(`(?:^|\.)/+(?:-|[A-Za-z0-9-]{2,}):`)

// badLink says why a link is not one that an agent may write; "" for one that is. known
// may be nil; else it reports whether a node bears an id.
func badLink(l org.Link, known func(id string) bool) string {
	switch {
	case strings.Contains(l.Raw, "%("):
		return "by an abbreviation of the file that calls Lisp"
	case !plainTypes[l.Type] || strings.HasPrefix(strings.ToLower(l.Raw), "file+"):
		return kindOfLink(l)
	case strings.TrimSpace(l.Path) == "":
		return "without an address"
	case l.Type == "file" && l.Search != "", l.Type == "id" && strings.Contains(l.Path, "::"):
		return "to a place in a file, which an export may not find"
	case l.Type == "file" && program.MatchString(l.Path):
		return "to a file that a program would fetch"
	case l.Type == "id" && known != nil && !known(l.Path):
		return "to an id that no note bears"
	}
	return ""
}

func kindOfLink(l org.Link) string {
	switch l.Type {
	case "fuzzy", "custom-id", "coderef":
		return "by a name, which an export may not find; link by id"
	}
	return "of type " + l.Type
}
