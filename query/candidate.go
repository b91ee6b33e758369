// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"iter"
	"time"
)

// Candidate is one node as a query sees it. What its methods return is read
// and not kept. A Matcher asks only what the query needs, the cheap first.
type Candidate interface {
	// ID returns the node's stable identity.
	ID() string
	// Type returns what the node is: document, headline, or an element's type.
	Type() string
	// Todo returns the keyword, or "" when it has none.
	Todo() string
	// Done reports whether the keyword is one of the finished states.
	Done() bool
	// Blocked reports whether unfinished work stands before this entry's.
	Blocked() bool
	// Priority returns the letter or number of the cookie, or "" without one.
	Priority() string
	// Level returns the number of stars, 0 for a document.
	Level() int

	// Tags returns the node's own tags and those it inherits.
	Tags() []string
	// LocalTags returns the node's own tags.
	LocalTags() []string
	// InheritedTags returns the tags that stand above the node, whether or not
	// it has them itself.
	InheritedTags() []string
	// InGroup reports whether the tag is a member, at any depth, of the group
	// tag, as the node's document declares it.
	InGroup(tag, group string) bool

	// Property returns the node's own values of a property, none when it is
	// absent. How keys compare is up to the candidate; in Org case is ignored.
	Property(key string) []string
	// InheritedProperty returns the values of a property in force here: its own
	// or those of the nearest node above that has it.
	InheritedProperty(key string) []string
	// Category returns the category in force.
	Category() string

	// Heading returns the title without keyword, priority and tags.
	Heading() string
	// OutlinePath returns the headings from the top of the document down to the
	// node's own.
	OutlinePath() []string
	// Text returns the whole entry, from the start of its heading to the next
	// heading.
	Text() string
	// Path returns the path of the node's document inside the memex, or "" when
	// no file holds it.
	Path() string

	// Times returns the timestamps of a kind.
	Times(kind TimeKind) []Time
	// Links returns the links of the entry.
	Links() []Link
	// Sources returns the source blocks of the entry.
	Sources() []Source

	// HasDigest reports whether the own digest begins so, as it is printed or in
	// hexadecimal digits.
	HasDigest(prefix string) bool
	// Modified returns when the entry's own text last changed.
	Modified() time.Time

	// Parent returns the node above; false for a document. What it returns is
	// good until the next call, what Children yields until the next of them.
	Parent() (Candidate, bool)
	// Children yields the nodes right below, in order.
	Children() iter.Seq[Candidate]
}

// TimeKind says which timestamps of an entry are meant.
type TimeKind int

// The kinds of timestamps. AnyTime is all of them, wherever they stand.
const (
	AnyTime TimeKind = iota
	Scheduled
	Deadline
	Closed
	Clocked // closed clock entries; one that still runs has no end to compare
)

// Time is a timestamp or a range of two, in UTC with the digits as they stand:
// Org knows no time zones. End equals Start when it is no range.
type Time struct {
	Start, End time.Time
	Active     bool
	// Warning is how many days before a deadline it begins to be shown.
	Warning int
}

// Link is a link of an entry. Target is the address as written.
type Link struct{ Target, Description string }

// Source is a source block: its language and the lines inside it.
type Source struct{ Language, Body string }
