// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"iter"
	"time"
)

// Candidate is one node as a query sees it. Callers must not change or retain the results
// of its methods. A Matcher calls only the methods that the query needs, cheap ones first.
type Candidate interface {
	// ID returns the node's stable identity.
	ID() string
	// Type returns document, headline, or the type of an element.
	Type() string
	// Todo returns the keyword, or "" if there is none.
	Todo() string
	// Done reports whether the keyword is one of the finished states.
	Done() bool
	// Blocked reports whether the entry must wait for other unfinished entries.
	Blocked() bool
	// Priority returns the letter or number of the priority cookie, or "".
	Priority() string
	// Level returns the number of stars, 0 for a document.
	Level() int

	// Tags returns the node's own and inherited tags.
	Tags() []string
	// LocalTags returns the node's own tags.
	LocalTags() []string
	// InheritedTags returns the tags of all ancestors, including any that the node
	// also has itself.
	InheritedTags() []string
	// InGroup reports whether the tag is a member, at any depth, of the group tag in
	// the node's document.
	InGroup(tag, group string) bool

	// Property returns the node's own values of a property, or none. The candidate
	// decides how keys compare; Org ignores case.
	Property(key string) []string
	// InheritedProperty returns the values of a property in force: the node's own or
	// the values of the nearest ancestor that has it.
	InheritedProperty(key string) []string
	// Category returns the category in force.
	Category() string

	// Heading returns the title without keyword, priority and tags.
	Heading() string
	// OutlinePath returns the headings from the top of the document to the node's own.
	OutlinePath() []string
	// Text returns the whole entry, from its heading up to the next heading.
	Text() string
	// Path returns the path of the node's document inside the memex, or "" if the node
	// is not in a file.
	Path() string

	// Times returns the timestamps of a kind.
	Times(kind TimeKind) []Time
	// Links returns the links of the entry.
	Links() []Link
	// Sources returns the source blocks of the entry.
	Sources() []Source

	// HasDigest reports whether the own digest, as printed or in hexadecimal, starts
	// with prefix.
	HasDigest(prefix string) bool
	// Modified returns when the entry's own text last changed.
	Modified() time.Time

	// Parent returns the parent, or false for a document. The result is valid until the
	// next call of Parent; a value yielded by Children is valid until the next one.
	Parent() (Candidate, bool)
	// Children yields the child nodes, in order.
	Children() iter.Seq[Candidate]
}

// TimeKind selects timestamps of an entry.
type TimeKind int

// The kinds of timestamps. AnyTime includes all timestamps of the entry.
const (
	AnyTime TimeKind = iota
	Scheduled
	Deadline
	Closed
	Clocked // finished clock entries; a running one has no end to compare
)

// Time is a timestamp or a time range. Org has no time zones: the times are UTC with
// the digits as written. Start equals End if it is not a range.
type Time struct {
	Start, End time.Time
	Active     bool
	// Warning is the number of days before a deadline from which Org shows it.
	Warning int
}

// Link is a link of an entry. Target is the address as written.
type Link struct{ Target, Description string }

// Source is a source block: its language and its lines.
type Source struct{ Language, Body string }
