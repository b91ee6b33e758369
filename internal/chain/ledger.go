// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Ledger is a set of facts that is kept with the commits of a chain. Its value is immutable: each function that
// changes it reads it from a moment, by the Slot that Register returned, and returns a new one of the same
// type.
//
// A change is a mark of the journal, [name, field…]; the whole value is a section of an image under the same
// name. Functions up to Decode are required; the others may be nil.
type Ledger struct {
	// Name names the marks and the section of images. Fields is the number of fields of a mark,
	// without the name: a mark with another number is of a later version and is skipped.
	Name   string
	Fields int
	// Label names the text of a mark, such as "the name of a snapshot"; "" for a ledger whose marks have no
	// text by a person.
	Label string

	// Empty is the value of a chain without marks.
	Empty any
	// Apply reads the fields of a mark made at a moment and returns the next value, which is ignored if the
	// codec has an error.
	Apply func(at *Moment, c *merkle.Codec) any
	// Encode returns the section of an image.
	Encode func(at *Moment) []byte
	// Decode reads what Encode wrote; data is nil if an image lacks the section.
	Decode func(data []byte) (any, error)

	// Follow returns the value after a commit without its marks, live and on replay.
	Follow func(c *Change) any
	// Restore completes a value that Decode returned with the state of its image. A ledger with it is
	// permanent: its facts hold at every moment. Past moments have its present value, and it also follows
	// states that Hold makes, which have no commit.
	Restore func(at *Moment) any
	// Propose returns marks to add to a commit.
	Propose func(c *Change) [][]byte
	// Attest adds the ledger's statements to those of a signed head.
	Attest func(at *Moment, to *Statements)
	// Verify returns the loaded value compared with the statements of the newest signed
	// head, nil with a reason if that head does not count.
	Verify func(at *Moment, signed *Statements, reason string) any
	// Retains returns the numbers of the commits whose content must be kept.
	Retains func(at *Moment) []uint64
	// Held returns a state that is in memory and the number of its commit, nil for none. Release
	// returns the value without it.
	Held    func(at *Moment) (*graph.State, uint64)
	Release func(at *Moment) any
	// Revert returns the marks of a commit that makes earlier nodes the present ones.
	Revert func(at *Moment, delta *graph.Delta, by author.Author) [][]byte
	// Merge returns the marks for what another copy has and this one lacks.
	Merge func(ours, theirs *Moment) [][]byte
}

// Change is a commit on its way into the chain.
type Change struct {
	Before *Moment
	Commit *graph.Commit
	After  *graph.State
	Delta  *graph.Delta
	Marks  [][]byte // that the caller adds to the commit
}

// Ledgers is the registry of a chain's ledgers. Register them before Open.
type Ledgers struct {
	list []Ledger
}

// Slot reads the value of one ledger from moments.
type Slot[V any] struct{ index int }

// At returns the ledger's value at a moment of the chain's present. For a past moment it
// returns the zero value unless the ledger is permanent. O(1).
func (s Slot[V]) At(m *Moment) V {
	var v V
	if m.values != nil {
		v, _ = m.values[s.index].(V)
	}
	return v
}

// Register adds a ledger of values V. The order of registration is that of the marks a commit
// gets and of the sections.
func Register[V any](to *Ledgers, l Ledger) Slot[V] {
	to.list = append(to.list, l)
	return Slot[V]{len(to.list) - 1}
}

// permanent returns the values of permanent ledgers at a moment, nil for the others.
func (l *Ledgers) permanent(m *Moment) []any {
	values := make([]any, len(l.list))
	for i, e := range l.list {
		if e.Restore != nil {
			values[i] = m.values[i]
		}
	}
	return values
}

// NewMark returns a mark: the name of its ledger, and the fields, see merkle.Codec.Fields.
func NewMark(name string, fields ...any) []byte {
	return merkle.Encode(merkle.Record(append([]any{name}, fields...)...))
}

// ReadMark reads the fields of a mark. It reports whether all of it is of that form.
func ReadMark(data []byte, name string, fields ...any) bool {
	return merkle.Decode(data, merkle.Record(append([]any{name}, fields...)...)) == nil
}

// Names returns the names of marks and image sections, those of the chain included.
func (l *Ledgers) Names() []string {
	names := []string{markDropped, markHead, markRewriting, markRewritten, sectionNodes, sectionDerived, sectionIndex, sectionCommit, sectionLog}
	for _, e := range l.list {
		names = append(names, e.Name)
	}
	return names
}

// Label names the text that a mark may hold: one of a ledger with a label, or a head.
func (l *Ledgers) Label(name string) string {
	for _, e := range l.list {
		if e.Name == name && e.Label != "" {
			return e.Label
		}
	}
	if name == markHead {
		return "a signature, by chance,"
	}
	return "a mark of the journal"
}

// apply applies a mark to an unpublished moment. It reports false if no ledger has marks of this name and
// number of fields.
func (l *Ledgers) apply(at *Moment, name string, fields int, c *merkle.Codec) (known bool) {
	for i, e := range l.list {
		if e.Name != name || e.Fields != fields {
			continue
		}
		if v := e.Apply(at, c); !c.Fail(nil) {
			at.set(i, v)
		}
		return true
	}
	return false
}

// after returns a moment with marks applied that are not in the chain yet.
func (l *Ledgers) after(before *Moment, marks [][]byte) (*Moment, error) {
	at := *before
	for _, mark := range marks {
		c := merkle.Codec{In: merkle.NewReader(mark)}
		n, name := c.Size(0), ""
		c.Fields(&name)
		if l.apply(&at, name, n-1, &c); c.Err != nil {
			return nil, fmt.Errorf("mark %s: %w", name, c.Err)
		}
	}
	return &at, nil
}

// set changes the value of a ledger in an unpublished moment.
func (m *Moment) set(i int, v any) {
	m.values = slices.Clone(m.values)
	m.values[i] = v
}

// Revert returns the marks of all ledgers for a commit that makes earlier nodes the
// present ones.
func (l *Ledgers) Revert(m *Moment, delta *graph.Delta, by author.Author) (marks [][]byte) {
	for _, e := range l.list {
		if e.Revert != nil {
			marks = append(marks, e.Revert(m, delta, by)...)
		}
	}
	return marks
}

// Merge returns the marks that a merge of another copy adds. Both chains must have registered the same ledgers
// in the same order.
func (l *Ledgers) Merge(ours, theirs *Moment) (marks [][]byte) {
	for _, e := range l.list {
		if e.Merge != nil {
			marks = append(marks, e.Merge(ours, theirs)...)
		}
	}
	return marks
}

// Retained returns the numbers of the commits whose content a ledger needs.
func (l *Ledgers) Retained(m *Moment) (seqs []uint64) {
	for _, e := range l.list {
		if e.Retains != nil {
			seqs = append(seqs, e.Retains(m)...)
		}
	}
	return seqs
}
