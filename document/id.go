// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxID is the maximum size of an id in bytes. A longer id is reported as a problem
	// and replaced by a derived one.
	MaxID = 1 << 10
	// DerivedPrefix marks an id that Fovea derived. It is never written into a
	// file, and an :ID: may not begin with it.
	DerivedPrefix = "~"
	// SearchMark separates an id from a place below it, as in Org's own links:
	// ID::#custom here, ID::type.N for spans. An :ID: may not contain it.
	SearchMark = "::"
)

// UnusableID returns why a declared id cannot be used, "" if it can.
func UnusableID(id string) string {
	switch {
	case !utf8.ValidString(id):
		return "an ID must be valid UTF-8"
	case len(id) > MaxID:
		return fmt.Sprintf("an ID of %d bytes is longer than %d", len(id), MaxID)
	case strings.HasPrefix(id, DerivedPrefix):
		return "an ID may not begin with " + DerivedPrefix + ", which marks derived ones"
	case IsOrgPath(id):
		return "an ID may not look like the path of an Org file"
	case strings.Contains(id, SearchMark):
		return "an ID may not contain " + SearchMark + ", which Org reads as a search"
	}
	return ""
}

// IsOrgPath reports whether a path ends in .org or .org_archive, ignoring case as Emacs
// does. No id may be such a path, whatever formats are in use: which ids are usable
// must not depend on the configuration.
func IsOrgPath(path string) bool {
	return hasSuffixFold(path, ".org") || hasSuffixFold(path, ".org_archive")
}

// hasSuffixFold is strings.HasSuffix for an ASCII suffix in any case.
func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// Quote quotes a name for a message. A name longer than MaxID is cut after a whole
// character, and the number of omitted bytes is added.
func Quote(v string) string {
	if len(v) <= MaxID {
		return strconv.Quote(v)
	}
	n := MaxID
	for n > MaxID-utf8.UTFMax && !utf8.RuneStart(v[n]) {
		n--
	}
	return fmt.Sprintf("%q and %d bytes more", v[:n], len(v)-n)
}
