// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"slices"
	"strconv"
	"strings"
)

// ParserVersion is the version of the derived fields. When a state derived by another
// version is opened, its fields are derived again from the bytes.
const ParserVersion = 3

// Derived are the fields that the parser reads from a node's bytes. They are stored with
// the node, so that opening an image needs no parsing, and are in no digest.
type Derived struct {
	Title      string
	Todo       string // keyword as the file declares it, "" for none
	Done       bool   // Todo is one of the file's done keywords
	Priority   string
	Level      int        // stars; 0 for a document
	Tags       []string   // own tags; a document's are its FILETAGS
	Properties []Property // for a document: its drawer, then the #+PROPERTY lines that the drawer does not override
	Links      []string   // targets as written, "id:x", "*title", "#custom", in order, without repeats
	Scheduled  string     // raw timestamps
	Deadline   string
	Closed     string
	Category   string // a document's #+CATEGORY
	DeclaredID string // the :ID: in the bytes, even if another node has it; "" if it is unusable
	BodyStart  int    // offset in Content where the body begins
	Commented  bool
	Archived   bool
	Opaque     bool // a file that is not parsed
	Encrypted  bool // has or inherits the tag crypt: only its own line is read

	TagGroups []TagGroup // a document's, by #+TAGS lines and those of its setup files
	Setup     []string   // sorted paths of the setup files that a document names, existing or not
}

// CryptTag is the tag of headlines that org-crypt encrypts.
const CryptTag = "crypt"

// Equal reports whether all fields are equal.
func (d *Derived) Equal(o *Derived) bool {
	return d.Title == o.Title && d.Todo == o.Todo && d.Done == o.Done && d.Priority == o.Priority && d.Level == o.Level &&
		d.Scheduled == o.Scheduled && d.Deadline == o.Deadline && d.Closed == o.Closed &&
		d.Category == o.Category && d.DeclaredID == o.DeclaredID && d.BodyStart == o.BodyStart &&
		d.Commented == o.Commented && d.Archived == o.Archived && d.Opaque == o.Opaque && d.Encrypted == o.Encrypted &&
		slices.Equal(d.Tags, o.Tags) && slices.Equal(d.Properties, o.Properties) &&
		slices.Equal(d.Links, o.Links) && slices.Equal(d.Setup, o.Setup) &&
		slices.EqualFunc(d.TagGroups, o.TagGroups, func(a, b TagGroup) bool {
			return a.Name == b.Name && a.Exclusive == b.Exclusive && slices.Equal(a.Members, b.Members)
		})
}

// Property returns the values of a property of the node itself: first the last KEY line,
// as in Org, then the KEY+ lines in file order. Case is ignored.
func (d *Derived) Property(key string) []string {
	var out, added []string
	for _, p := range d.Properties {
		name, adds := strings.CutSuffix(p.Key, "+")
		switch {
		case !strings.EqualFold(name, key):
		case adds:
			added = append(added, p.Value)
		default:
			out = append(out[:0], p.Value)
		}
	}
	return append(out, added...)
}

// PropertyLists returns the results of Property for all keys, by key in upper case. The
// caller owns the map. O(properties).
func (d *Derived) PropertyLists() map[string][]string {
	plain, added := map[string][]string{}, map[string][]string{}
	for _, p := range d.Properties {
		key, adds := strings.CutSuffix(strings.ToUpper(p.Key), "+")
		if adds {
			added[key] = append(added[key], p.Value)
		} else {
			plain[key] = []string{p.Value}
		}
	}
	for key, values := range added {
		plain[key] = append(plain[key], values...)
	}
	return plain
}

// Last returns the trimmed value of the last line of a property, which is the effective
// one.
func (d *Derived) Last(key string) string {
	for _, p := range slices.Backward(d.Properties) {
		if strings.EqualFold(p.Key, key) {
			return strings.TrimSpace(p.Value)
		}
	}
	return ""
}

// A TagGroup is a set of tags that #+TAGS lines declare between braces or brackets.
type TagGroup struct {
	// Name is the tag of the whole group, or "" for tags that only exclude each other.
	// Group names need not be unique.
	Name string
	// Members are the other tags, in order. A member in braces, {P@.+}, is a regular
	// expression. A member that names a group includes its members.
	Members []string
	// Exclusive is set for braces: a headline should have at most one of the members.
	Exclusive bool
}

// The properties of a task that an agent has claimed. They change together: the holder, the number of the claim,
// the end of the lease in RFC 3339, and t if a referee holds the claim, so that no other machine can take it, or
// nil if the referee did not answer the last renewal.
const (
	ClaimedBy    = "CLAIMED_BY"
	ClaimKey     = "CLAIM"
	LeaseUntil   = "LEASE_UNTIL"
	ClaimGranted = "CLAIM_GRANTED"
)

// maxClaim is the largest integer that every JSON reader represents exactly.
const maxClaim = 1<<53 - 1

// ClaimNumber parses the number of a claim; it returns 0 for any other text.
func ClaimNumber(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > maxClaim {
		return 0
	}
	return n
}
