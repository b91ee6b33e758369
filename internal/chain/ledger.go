// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Ledger is a set of facts that rides along with the commits of a chain. Its value V
// is immutable: each method that changes it returns another one.
//
// A change is a mark of the journal, [name, field…]; the whole value is a section of
// an image under the same name. A ledger takes part in more by implementing
// Follower, Permanent, Proposer, Attester, Retainer, Reverter, Merger or Labeler.
type Ledger[V any] interface {
	// Empty is the value of a chain without marks.
	Empty() V
	// Apply reads the fields of a mark made at a moment. The reader keeps the error of
	// reading; Apply returns others.
	Apply(v V, r *merkle.Reader, at *Moment) (V, error)
	// Encode returns the section of an image.
	Encode(v V) []byte
	// Decode reads what Encode wrote; data is nil if an image lacks the section.
	Decode(data []byte) (V, error)
}

// Change is a commit on its way into the chain.
type Change struct {
	Before *Moment
	Commit *graph.Commit
	After  *graph.State
	Delta  *graph.Delta
	Marks  [][]byte // that the caller adds to the commit
}

// Follower is a ledger that changes with each commit, live and on replay.
type Follower[V any] interface {
	// Follow returns the value after a commit, its marks not applied.
	Follow(v V, c *Change) V
}

// Permanent is a ledger of facts that hold at every moment. Past moments have its present
// value. It also follows states that Hold makes, which have no commit.
type Permanent[V any] interface {
	Follower[V]
	// Restore completes a value that Decode returned with the state of its image.
	Restore(v V, state *graph.State) V
}

// Proposer is a ledger that adds marks to a commit.
type Proposer[V any] interface {
	// Propose returns the marks to add.
	Propose(v V, c *Change) [][]byte
}

// Attester is a ledger that the signed head vouches for.
type Attester[V any] interface {
	// Attest adds the ledger's statements to those of a signed head.
	Attest(v V, to *Statements)
	// Verify compares a loaded value with the statements of the newest signed
	// head, nil with a reason if that head does not count.
	Verify(v V, signed *Statements, reason string, at *Moment) V
}

// Retainer is a ledger that needs the content of past commits.
type Retainer[V any] interface {
	// Retains returns the numbers of the commits whose content must stay.
	Retains(v V) []uint64
}

// Cache is a ledger that holds past states in memory.
type Cache[V any] interface {
	// Nearest returns a state held in memory of a commit from seq to before limit, the
	// one closest to seq, nil for none.
	Nearest(v V, seq, limit uint64) (*graph.State, uint64)
	// Release returns the value without states.
	Release(v V) V
}

// Reverter is a ledger that a rollback moves.
type Reverter[V any] interface {
	// Revert returns the marks of a commit that makes earlier nodes the present ones.
	Revert(v V, delta *graph.Delta, by author.Author) [][]byte
}

// Merger is a ledger that a merge of another copy brings along.
type Merger[V any] interface {
	// Merge returns the marks for what theirs has and ours lacks.
	Merge(ours, theirs V) [][]byte
}

// Labeler is a ledger whose marks may hold a person's text. A ledger without it holds none.
type Labeler interface {
	// Label says what the text of a mark is, such as "the name of a snapshot".
	Label() string
}

// Ledgers is the registry of a chain's ledgers. Register them before Open.
type Ledgers struct {
	list []*erased
}

// erased is a ledger without its type. Functions of interfaces that the ledger does
// not implement are nil.
type erased struct {
	name    string
	fields  int
	label   string
	empty   func() any
	apply   func(v any, r *merkle.Reader, at *Moment) (any, error)
	encode  func(v any) []byte
	decode  func(data []byte) (any, error)
	follow  func(v any, c *Change) any
	restore func(v any, state *graph.State) any // set for permanent ledgers
	propose func(v any, c *Change) [][]byte
	attest  func(v any, to *Statements)
	verify  func(v any, signed *Statements, reason string, at *Moment) any
	retains func(v any) []uint64
	nearest func(v any, seq, limit uint64) (*graph.State, uint64)
	release func(v any) any
	revert  func(v any, delta *graph.Delta, by author.Author) [][]byte
	merge   func(ours, theirs any) [][]byte
}

// Slot reads the value of one ledger from moments.
type Slot[V any] struct{ index int }

// At returns the ledger's value at a moment of the chain's present. For a past moment it
// returns the zero value unless the ledger is Permanent. O(1).
func (s Slot[V]) At(m *Moment) V {
	var v V
	if m.values != nil {
		v, _ = m.values[s.index].(V)
	}
	return v
}

// Register adds a ledger. name names its marks and the section of images; fields is the number
// of fields of a mark, without the name: a mark with another number is of a later version and is
// skipped. The order of registration is that of the marks a commit gets and of the sections.
func Register[V any](to *Ledgers, name string, fields int, l Ledger[V]) Slot[V] {
	e := &erased{
		name: name, fields: fields,
		empty:  func() any { return l.Empty() },
		apply:  func(v any, r *merkle.Reader, at *Moment) (any, error) { return l.Apply(v.(V), r, at) },
		encode: func(v any) []byte { return l.Encode(v.(V)) },
		decode: func(data []byte) (any, error) { return l.Decode(data) },
	}
	if f, ok := l.(Follower[V]); ok {
		e.follow = func(v any, c *Change) any { return f.Follow(v.(V), c) }
	}
	if p, ok := l.(Permanent[V]); ok {
		e.restore = func(v any, state *graph.State) any { return p.Restore(v.(V), state) }
	}
	if p, ok := l.(Proposer[V]); ok {
		e.propose = func(v any, c *Change) [][]byte { return p.Propose(v.(V), c) }
	}
	if a, ok := l.(Attester[V]); ok {
		e.attest = func(v any, to *Statements) { a.Attest(v.(V), to) }
		e.verify = func(v any, signed *Statements, reason string, at *Moment) any {
			return a.Verify(v.(V), signed, reason, at)
		}
	}
	if k, ok := l.(Retainer[V]); ok {
		e.retains = func(v any) []uint64 { return k.Retains(v.(V)) }
	}
	if h, ok := l.(Cache[V]); ok {
		e.nearest = func(v any, seq, limit uint64) (*graph.State, uint64) { return h.Nearest(v.(V), seq, limit) }
		e.release = func(v any) any { return h.Release(v.(V)) }
	}
	if r, ok := l.(Reverter[V]); ok {
		e.revert = func(v any, delta *graph.Delta, by author.Author) [][]byte { return r.Revert(v.(V), delta, by) }
	}
	if m, ok := l.(Merger[V]); ok {
		e.merge = func(ours, theirs any) [][]byte { return m.Merge(ours.(V), theirs.(V)) }
	}
	if t, ok := l.(Labeler); ok {
		e.label = t.Label()
	}
	to.list = append(to.list, e)
	return Slot[V]{len(to.list) - 1}
}

// permanent returns the values of permanent ledgers at a moment, nil for the others.
func (l *Ledgers) permanent(m *Moment) []any {
	values := make([]any, len(l.list))
	for i, e := range l.list {
		if e.restore != nil {
			values[i] = m.values[i]
		}
	}
	return values
}

// NewMark begins a mark with the name of its ledger; the caller appends the fields.
func NewMark(name string, fields int) []byte {
	return merkle.AppendText(merkle.AppendList(nil, fields+1), name)
}

// Names returns the names of marks and image sections, those of the chain included.
func (l *Ledgers) Names() []string {
	names := []string{markDropped, markHead, markRewriting, markRewritten, sectionNodes, sectionDerived, sectionIndex, sectionCommit, sectionLog}
	for _, e := range l.list {
		names = append(names, e.name)
	}
	return names
}

// Label says what text a mark may hold: one of a ledger that is a Labeler, or a head.
func (l *Ledgers) Label(name string) string {
	for _, e := range l.list {
		if e.name == name && e.label != "" {
			return e.label
		}
	}
	if name == markHead {
		return "a signature, by chance,"
	}
	return "a mark of the journal"
}

// apply returns values with a mark applied. It reports false if no ledger has marks
// of this name and number of fields.
func (l *Ledgers) apply(values []any, name string, fields int, r *merkle.Reader, at *Moment) ([]any, bool, error) {
	for i, e := range l.list {
		if e.name != name || e.fields != fields {
			continue
		}
		v, err := e.apply(values[i], r, at)
		if err != nil || r.Err() != nil {
			return values, true, err
		}
		return with(values, i, v), true, nil
	}
	return values, false, nil
}

// after returns values with marks applied that are not in the chain yet.
func (l *Ledgers) after(values []any, marks [][]byte, at *Moment) ([]any, error) {
	for _, mark := range marks {
		r := merkle.NewReader(mark)
		n, name := r.List(), r.Text()
		var err error
		if values, _, err = l.apply(values, name, n-1, r, at); err != nil {
			return values, fmt.Errorf("mark %s: %w", name, err)
		}
	}
	return values, nil
}

func with(values []any, i int, v any) []any {
	out := slices.Clone(values)
	out[i] = v
	return out
}

// Revert returns the marks of all ledgers for a commit that makes earlier nodes the
// present ones.
func (l *Ledgers) Revert(m *Moment, delta *graph.Delta, by author.Author) (marks [][]byte) {
	for i, e := range l.list {
		if e.revert != nil {
			marks = append(marks, e.revert(m.values[i], delta, by)...)
		}
	}
	return marks
}

// Merge returns the marks that a merge of another copy brings along. Both chains must
// have registered the same ledgers in the same order.
func (l *Ledgers) Merge(ours, theirs *Moment) (marks [][]byte) {
	for i, e := range l.list {
		if e.merge != nil {
			marks = append(marks, e.merge(ours.values[i], theirs.values[i])...)
		}
	}
	return marks
}

// Retained returns the numbers of the commits whose content a ledger needs.
func (l *Ledgers) Retained(m *Moment) (seqs []uint64) {
	for i, e := range l.list {
		if e.retains != nil {
			seqs = append(seqs, e.retains(m.values[i])...)
		}
	}
	return seqs
}
