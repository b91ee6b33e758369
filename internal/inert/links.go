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
	case (l.Type == "file" || l.Type == "doi") && strings.ContainsAny(l.Raw, unquoted):
		return "with characters that an export does not quote"
	case l.Type == "file" && scheme.MatchString(l.Path):
		return "to a file that a browser takes for a program"
	case l.Description == "" && badPicture(l.Raw), shownAddress.MatchString(l.Description) && badPicture(l.Description):
		return "to a picture that an export fetches or runs; write a description"
	case l.Type == "id" && known != nil && !known(l.Path):
		return "to an id that no note bears"
	}
	return ""
}

// unquoted are characters that end an address in HTML or TeX.
const unquoted = "\"<>\\{}`\t\n"

// scheme is what a browser reads as the type of an address: javascript:x. A letter alone
// is a drive.
var scheme = regexp.MustCompile(`^[^/:]{2,}:|^[^/]*&[#\w]+;`)

// shownAddress is a description that is an address: an export shows what is there.
var shownAddress = regexp.MustCompile(`(?i)^\s*(?:file:|https?:|\.{0,2}/|~/)`)

// picture is an address of a picture; drawing is one that TeX reads or has another program
// convert.
var (
	picture = regexp.MustCompile(`(?i)\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|x[bp]m|p[bgp]m|pdf|e?ps)\b`)
	drawing = regexp.MustCompile(`(?i)\.(?:tikz|pgf|svgz?)\b`)
	afar    = regexp.MustCompile(`(?i)^\s*https?:`)
)

// badPicture reports an address that an export shows as a picture and does more than
// that: Org 9.8 fetches one from afar, asking first; TeX reads a drawing as TeX, and the
// name of each.
func badPicture(address string) bool {
	switch {
	case drawing.MatchString(address):
		return true
	case picture.MatchString(address):
		return afar.MatchString(address) || strings.ContainsAny(address, `%#$&~\{}`) || strings.Contains(address, "^^")
	}
	return false
}

func kindOfLink(l org.Link) string {
	switch l.Type {
	case "fuzzy", "custom-id", "coderef":
		return "by a name, which an export may not find; link by id"
	}
	return "of type " + l.Type
}
