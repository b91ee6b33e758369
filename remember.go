// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

const (
	// mostNote is how many bytes the title and the text of an agent's note may have.
	mostNote = 64 << 10
	// fullFile is from how many bytes on a file of notes is followed by another.
	fullFile = 256 << 10
	// SimilarFrom is from which share of words in common, 0 to 1, Remember names a
	// node as similar.
	SimilarFrom = 0.6
)

// remembered says what became of a note.
type remembered struct {
	ID      string
	Commit  Commit // the zero Commit where Known
	Known   bool   // a node of equal title and text was there already: it is ID
	Similar []string
}

// Remember keeps a note as a headline of an Org file. under is where, as for Insert;
// or a folder, with a slash at its end: then it is the folder's file of the month,
// such as agents/ada/2026-11.org, and once that has 256 KiB 2026-11-2.org. Notes for
// one file that come while another is written are written together, each as a commit
// of its own. When Remember returns the note is durable.
//
// A note by anybody but the person, see WithActor, bears in its drawer who wrote it,
// when, and that nobody has looked at it. It is not written again where a headline
// has the same title and text but for case, white space and Unicode form, and not at
// all where somebody else has forgotten such a one.
//
// It returns the commit and the id of the headline; the zero Commit where a node of
// equal title and text was there already, whose id it then is. similar are nodes, at
// most five, the most similar first, that have at least the share SimilarFrom of their
// words in common with the note.
//
// Errors are those of Insert; Denied (somebody else has forgotten it); Invalid also for a note of
// an agent beyond 64 KiB.
func (m *Memory) Remember(ctx context.Context, under string, h org.InsertHeadline) (c Commit, id string, similar []string, err error) {
	r, err := m.note(ctx, under, h)
	return r.Commit, r.ID, r.Similar, err
}

// note is Remember in one value.
func (m *Memory) note(ctx context.Context, under string, h org.InsertHeadline) (remembered, error) {
	by := m.entry(ctx, graph.KindEdit, "", 0)
	r := &noting{ctx: ctx, under: under, h: h, author: by.Author, session: by.Session}
	if err := r.prepare(m); err != nil {
		return remembered{}, fail("remember", under, Invalid, err)
	}
	m.notes.add(r)
	defer m.chain.Begin().End()
	if !r.done {
		m.rememberAll(m.notes.take())
	}
	return r.answer, r.err
}

// noting is one note on its way.
type noting struct {
	ctx     context.Context
	under   string
	h       org.InsertHeadline
	author  author.Author
	session string
	key     noteKey
	again   bool // its author has forgotten such a note, and takes that back

	id     string       // in a pile: of the headline,
	commit graph.Commit // of the pile's commits the one for it,
	length int          // and where in the file it ends

	done   bool // guarded by the writer's lock, as what follows
	answer remembered
	err    error
}

// byAgent reports whether somebody else than the person wrote the note.
func (r *noting) byAgent() bool { return r.author != owner }

// prepare does what needs no lock.
func (r *noting) prepare(m *Memory) error {
	if size := len(r.h.Title) + len(r.h.Body); r.byAgent() && size > mostNote {
		return fmt.Errorf("a note has at most %d bytes, this one has %d; keep what matters", mostNote, size)
	}
	if strings.ContainsRune(r.h.Title, 0) || strings.ContainsRune(r.h.Body, 0) {
		return errors.New("a NUL would make the file a binary one for other programs; leave it out")
	}
	r.key = keyOfNote(r.h.Title, r.h.Body)
	if !r.byAgent() {
		return nil
	}
	v := m.View()
	r.answer.Similar = v.similar(r.h.Title, r.h.Body, func(n *node.Node) bool { return m.mayReveal(v.state, n) })
	return nil
}

// headline returns the note with what is known of its origin.
func (r *noting) headline(now time.Time) org.InsertHeadline {
	h := r.h
	if !r.byAgent() {
		return h
	}
	origin := []org.Property{{Key: "AUTHOR", Value: r.author.String()}}
	if r.session != "" {
		origin = append(origin, org.Property{Key: "SESSION", Value: r.session})
	}
	origin = append(origin,
		org.Property{Key: "CREATED", Value: now.Format("[2006-01-02 Mon 15:04]")},
		org.Property{Key: "TRUST", Value: "unreviewed"})
	h.Properties = slices.Concat(origin, h.Properties)
	return h
}

// end gives the note its answer.
func (r *noting) end(a remembered, err error) {
	a.Similar = r.answer.Similar
	if a.Known || err != nil {
		a.Similar = nil
	}
	r.answer, r.err, r.done = a, err, true
}

// noteQueue holds the notes that wait for the writer's lock.
type noteQueue struct {
	mu      sync.Mutex
	waiting []*noting
}

func (q *noteQueue) add(r *noting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, r)
}

func (q *noteQueue) take() []*noting {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.waiting
	q.waiting = nil
	return all
}

// rememberAll writes the notes that wait, those for one file together. m.mu is held.
func (m *Memory) rememberAll(waiting []*noting) {
	for len(waiting) > 0 {
		p := &pile{m: m, under: waiting[0].under}
		var later []*noting
		for _, r := range waiting {
			if m.settledAlready(r) {
				continue
			}
			if !p.take(r) {
				later = append(later, r)
			}
		}
		p.save()
		m.rememberedAgain(waiting)
		waiting = later
	}
}

// rememberedAgain ends the forgetting of notes that their own authors have written
// again. Where that cannot be kept the store takes no more writes, and each later one
// says so.
func (m *Memory) rememberedAgain(notes []*noting) {
	back := tombstones{}
	for _, r := range notes {
		if r.again && r.done && r.err == nil {
			back[r.key], r.again = tombstone{}, false
		}
	}
	if len(back) == 0 {
		return
	}
	if err := m.chain.Held().Mark(background(notes[0].ctx), back.mark()); err != nil {
		m.opts.Log.Error("a note was written, and counts as forgotten still", "error", err)
	}
}

// settledAlready answers a note for which nothing is to be written.
func (m *Memory) settledAlready(r *noting) bool {
	first, err := m.repeated(r.ctx, "remember", graph.KindEdit)
	switch {
	case err != nil:
	case m.closed:
		err = fail("remember", m.dir, Invalid, errClosed)
	case m.chain.Store().Err() != nil:
		err = fail("remember", m.state, ReadOnly, m.chain.Store().Err())
	case r.ctx.Err() != nil:
		err = fail("remember", r.under, Other, r.ctx.Err())
	case first != nil:
		id := inserted(first)
		r.answer.Similar = slices.DeleteFunc(r.answer.Similar, func(other string) bool { return other == id })
		r.end(remembered{ID: id, Commit: m.answered(first, nil)}, nil)
	case r.byAgent():
		if id := m.knownTo(r.key); id != "" {
			r.end(remembered{ID: id, Known: true}, nil)
		} else if t := m.tombstones()[r.key]; t.stands && t.by != r.author {
			err = fail("remember", r.under, Denied, errForgotten)
		} else {
			r.again = t.stands
		}
	}
	if err != nil {
		r.end(remembered{}, err)
	}
	return r.done
}

// knownTo returns a headline of the key that an agent may be told of, "" for none.
func (m *Memory) knownTo(key noteKey) string {
	state := m.View().state
	for _, id := range m.known.find(state, key) {
		if n, ok := state.Get(id); ok && m.mayReveal(state, n) {
			return id
		}
	}
	return ""
}

var errForgotten = errors.New("somebody else has forgotten a note of this title and text: leave it out, or ask the owner, who may write it again")

// noteFile returns the file that a note for a place goes to; "" where the place is a
// node.
func (m *Memory) noteFile(under string, month string) string {
	if !strings.HasSuffix(under, "/") {
		if node.IsOrg(under) {
			return under
		}
		return ""
	}
	state := m.View().state
	name := func(n int) string {
		if n == 1 {
			return path.Join(under, month+".org")
		}
		return path.Join(under, fmt.Sprintf("%s-%d.org", month, n))
	}
	n := 1
	for {
		if _, more := state.Document(name(n + 1)); !more {
			break
		}
		n++
	}
	if state.Size(name(n)) >= fullFile {
		n++
	}
	return name(n)
}
