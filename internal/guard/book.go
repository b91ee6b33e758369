// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// Book records the baselines of the protected files of a memex, and the changes that the
// owner was notified of. It is immutable. The zero Book belongs to a memex that was never
// ingested under a policy.
type Book struct {
	policy    string // of the baselines, as returned by Policy.String
	baselines map[string]*Baseline
	notified  map[string]merkle.Digest // by path, the change that the owner was notified of
}

// Initialized reports whether the book has a policy.
func (b *Book) Initialized() bool { return b.policy != "" }

// Policy returns the policy of the baselines as text.
func (b *Book) Policy() string { return b.policy }

// Baseline returns the baseline of a file, nil if there is none.
func (b *Book) Baseline(path string) *Baseline { return b.baselines[path] }

// Paths lists the files with a baseline, sorted.
func (b *Book) Paths() []string { return slices.Sorted(maps.Keys(b.baselines)) }

// Notified returns the digest of the changed file that the owner was notified of; zero
// for none.
func (b *Book) Notified(path string) merkle.Digest { return b.notified[path] }

// NotifiedPaths lists the files with a change that the owner was notified of, sorted.
func (b *Book) NotifiedPaths() []string { return slices.Sorted(maps.Keys(b.notified)) }

// WithoutNotices returns the book without any notifications. O(1).
func (b *Book) WithoutNotices() *Book {
	return &Book{policy: b.policy, baselines: b.baselines}
}

// Digest returns the digest of the policy and the baselines, without the notifications.
// O(baselines).
func (b *Book) Digest() merkle.Digest {
	return b.digest(func(e Entry) bool { return e.Notified == "" })
}

// NoticeDigest returns the digest of the notifications alone. O(baselines).
func (b *Book) NoticeDigest() merkle.Digest {
	return b.digest(func(e Entry) bool { return e.Notified != "" })
}

func (b *Book) digest(counts func(Entry) bool) merkle.Digest {
	var c merkle.Codec
	for _, e := range b.Entries() {
		if counts(e) {
			e.Code(&c)
		}
	}
	return merkle.Sum(c.Out)
}

// Entry is a recorded change of a Book. Exactly one kind of change is set.
type Entry struct {
	Reset    bool      // discard everything recorded before
	Policy   string    // the new policy of the baselines
	Baseline *Baseline // the new baseline of its file
	Removed  string    // path of a file that no longer has a baseline
	Notified string    // path of a file whose owner was notified of File; zero withdraws it
	File     merkle.Digest
}

// With returns the book after applying entries in order. A new or removed baseline also
// removes the notification for the file. O(protected files).
func (b *Book) With(entries ...Entry) *Book {
	c := &Book{policy: b.policy, baselines: map[string]*Baseline{}, notified: map[string]merkle.Digest{}}
	maps.Copy(c.baselines, b.baselines)
	maps.Copy(c.notified, b.notified)
	for _, e := range entries {
		switch {
		case e.Reset:
			c = new(Book).With()
		case e.Policy != "":
			c.policy = e.Policy
		case e.Baseline != nil:
			c.baselines[e.Baseline.Path] = e.Baseline
			delete(c.notified, e.Baseline.Path)
		case e.Removed != "":
			delete(c.baselines, e.Removed)
			delete(c.notified, e.Removed)
		case e.File.IsZero():
			delete(c.notified, e.Notified)
		default:
			c.notified[e.Notified] = e.File
		}
	}
	return c
}

// Entries returns the entries that build the book from nothing, in a fixed order.
func (b *Book) Entries() []Entry {
	var out []Entry
	if b.policy != "" {
		out = append(out, Entry{Policy: b.policy})
	}
	for _, path := range b.Paths() {
		out = append(out, Entry{Baseline: b.baselines[path]})
	}
	for _, path := range b.NotifiedPaths() {
		out = append(out, Entry{Notified: path, File: b.notified[path]})
	}
	return out
}
