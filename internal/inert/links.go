// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"regexp"
	"strings"

	"github.com/fovea-memory/fovea/org"
)

// safeLinkTypes are the link types that an agent may write. Following such a link shows a
// page, file or note and executes nothing. Emacs packages may define any other type.
var safeLinkTypes = map[string]bool{
	"http": true, "https": true, "ftp": true, "mailto": true, "news": true, "doi": true, "file": true, "id": true,
}

// remotePath matches a file name that Emacs opens through another program, such as
// /ssh:host:/path or /-:host:/path, also after resolving dots: /tmp/../ssh:host:/path.
var remotePath = regexp.MustCompile(`(?:^|\.)/+(?:-|[A-Za-z0-9-]{2,}):`)

// linkProblem returns the reason why an agent may not write a link; "" if it may. known
// reports whether a node has an id; nil skips that check.
func linkProblem(l org.Link, known func(id string) bool) string {
	switch {
	case strings.Contains(l.Raw, "%("):
		return "by an abbreviation of the file that calls Lisp"
	case l.Type == "fuzzy", l.Type == "custom-id", l.Type == "coderef":
		return "by a name, which an export may not find; link by id"
	case !safeLinkTypes[l.Type], strings.HasPrefix(strings.ToLower(l.Raw), "file+"):
		return "of type " + l.Type
	case strings.TrimSpace(l.Path) == "":
		return "without an address"
	case l.Type == "file" && l.Search != "", l.Type == "id" && strings.Contains(l.Path, "::"):
		return "to a place in a file, which an export may not find"
	case l.Type == "file" && remotePath.MatchString(l.Path):
		return "to a file that a program would fetch"
	case (l.Type == "file" || l.Type == "doi") && strings.ContainsAny(l.Raw, unquoted):
		return "with characters that an export does not quote"
	case l.Type == "file" && scheme.MatchString(l.Path):
		return "to a file that a browser takes for a program"
	case l.Description == "" && isUnsafePicture(l.Raw), addressLabel.MatchString(l.Description) && isUnsafePicture(l.Description):
		return "to a picture that an export fetches or runs; write a description"
	case l.Type == "id" && known != nil && !known(l.Path):
		return "to an id that no note has"
	}
	return ""
}

// unquoted lists the characters that end an address in HTML or TeX.
const unquoted = "\"<>\\{}`\t\n"

// scheme matches the scheme of an address in a browser, such as javascript:x. A single
// letter is a drive.
var scheme = regexp.MustCompile(`^[^/:]{2,}:|^[^/]*&[#\w]+;`)

// addressLabel matches a description that is an address, whose target an export shows.
var addressLabel = regexp.MustCompile(`(?i)^\s*(?:file:|https?:|\.{0,2}/|~/)`)

// picture matches the address of a picture; drawing matches one that TeX reads or lets
// another program convert.
var (
	picture   = regexp.MustCompile(`(?i)\.(?:jpe?g|png|gif|webp|avif|bmp|tiff?|x[bp]m|p[bgp]m|pdf|e?ps)\b`)
	drawing   = regexp.MustCompile(`(?i)\.(?:tikz|pgf|svgz?)\b`)
	remoteURL = regexp.MustCompile(`(?i)^\s*https?:`)
)

// isUnsafePicture reports whether showing the picture at an address in an export has
// side effects: Org 9.8 fetches a remote one, after asking; TeX interprets a drawing, and
// the name of any picture.
func isUnsafePicture(address string) bool {
	switch {
	case drawing.MatchString(address):
		return true
	case picture.MatchString(address):
		return remoteURL.MatchString(address) || strings.ContainsAny(address, `%#$&~\{}`) || strings.Contains(address, "^^")
	}
	return false
}
