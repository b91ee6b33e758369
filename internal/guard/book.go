// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/merkle"
)

// Book is what is known of the protected files of a memex. It is immutable; nil is
// the book of a memex that was never read under a policy.
type Book struct {
	policy    string // under which the baselines were taken, as Policy.String gives it
	baselines map[string]*Baseline
	told      map[string]merkle.Digest // of which change of a file its owner was told
}

// Begun reports whether baselines were taken at all.
func (b *Book) Begun() bool { return b != nil && b.policy != "" }

// Policy is the one that the baselines were taken under, as text.
func (b *Book) Policy() string {
	if b == nil {
		return ""
	}
	return b.policy
}

// Baseline returns that of a file, nil where there is none.
func (b *Book) Baseline(path string) *Baseline {
	if b == nil {
		return nil
	}
	return b.baselines[path]
}

// Paths lists the files that have a baseline, sorted.
func (b *Book) Paths() []string {
	if b == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(b.baselines))
}

// Told returns the change of a file that its owner was told of, by its digest;
// zero for none.
func (b *Book) Told(path string) merkle.Digest {
	if b == nil {
		return merkle.Digest{}
	}
	return b.told[path]
}

// ToldOf lists the files of which a change is told, sorted.
func (b *Book) ToldOf() []string {
	if b == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(b.told))
}

// Tellings is how many files there are of which a change is told.
func (b *Book) Tellings() int {
	if b == nil {
		return 0
	}
	return len(b.told)
}

func (b *Book) clone() *Book {
	if b == nil {
		return &Book{baselines: map[string]*Baseline{}, told: map[string]merkle.Digest{}}
	}
	return &Book{policy: b.policy, baselines: maps.Clone(b.baselines), told: maps.Clone(b.told)}
}

// Untold is the book of an owner who was told of nothing. O(told).
func (b *Book) Untold() *Book {
	if b == nil {
		return nil
	}
	return &Book{policy: b.policy, baselines: b.baselines, told: map[string]merkle.Digest{}}
}

// Digest is that of the policy and the baselines: what the owner trusts. What was
// told does not count. O(baselines).
func (b *Book) Digest() merkle.Digest {
	return b.digest(func(e Entry) bool { return e.Told == "" })
}

// DigestTold is that of what was told alone. O(baselines).
func (b *Book) DigestTold() merkle.Digest {
	return b.digest(func(e Entry) bool { return e.Told != "" })
}

func (b *Book) digest(counts func(Entry) bool) merkle.Digest {
	var text []byte
	for _, e := range b.Entries() {
		if counts(e) {
			text = e.Append(text)
		}
	}
	return merkle.Sum(text)
}

// Entry is one change of a Book, as it is written down: one of its fields is set.
type Entry struct {
	Anew     bool      // nothing that was known before counts
	Policy   string    // the baselines are those of this policy from now on
	Baseline *Baseline // of its file from now on
	Ended    string    // path of a file that has no baseline any more
	Told     string    // path of a file whose owner was told of File, zero: of nothing
	File     merkle.Digest
}

// With returns the book with entries taken into account, in order. A new baseline,
// or the end of one, ends what was told of the file. O(protected files).
func (b *Book) With(entries ...Entry) *Book {
	c := b.clone()
	for _, e := range entries {
		switch {
		case e.Anew:
			c = (*Book)(nil).clone()
		case e.Policy != "":
			c.policy = e.Policy
		case e.Baseline != nil:
			c.baselines[e.Baseline.Path] = e.Baseline
			delete(c.told, e.Baseline.Path)
		case e.Ended != "":
			delete(c.baselines, e.Ended)
			delete(c.told, e.Ended)
		case e.File.IsZero():
			delete(c.told, e.Told)
		default:
			c.told[e.Told] = e.File
		}
	}
	return c
}

// Entries are those that make the book from nothing, in a fixed order.
func (b *Book) Entries() []Entry {
	if b == nil {
		return nil
	}
	var out []Entry
	if b.policy != "" {
		out = append(out, Entry{Policy: b.policy})
	}
	for _, path := range b.Paths() {
		out = append(out, Entry{Baseline: b.baselines[path]})
	}
	for _, path := range slices.Sorted(maps.Keys(b.told)) {
		out = append(out, Entry{Told: path, File: b.told[path]})
	}
	return out
}
