// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/node"
)

const (
	// maxNoteBytes is the maximum size in bytes of the title and the text of an agent's note.
	maxNoteBytes = 64 << 10
	// maxFileBytes is the size in bytes at which a new file of notes is started.
	maxFileBytes = 256 << 10
	// SimilarFrom is the minimum Jaccard similarity of words, 0 to 1, for a node to be
	// reported by Remember.
	SimilarFrom = 0.6
)

// Remember is that of fovea.Notes.
func (ns *Notes) Remember(ctx context.Context, under string, h document.InsertHeadline, opts *scope.WriteOptions) (c chain.Commit, id string,
	similar []string, err error) {
	by := ns.scope.NewCommit(ctx, scope.Action{})
	r := &addition{ns: ns, ctx: ctx, under: under, h: h, author: by.Author, session: by.Session}
	if err := r.prepare(); err != nil {
		return c, "", nil, fault.Wrap("remember", under, fault.Invalid, err)
	}
	c, first, err := ns.perform(ctx, "remember", opts, r.write)
	switch {
	case err != nil:
		return c, "", nil, err
	case first != nil:
		id = scope.Inserted(first)
		return c, id, slices.DeleteFunc(r.similar, func(other string) bool { return other == id }), nil
	case r.known:
		return chain.Commit{}, r.id, nil, nil
	}
	return c, r.id, r.similar, nil
}

// addition is a note that is being added.
type addition struct {
	ns      *Notes
	ctx     context.Context
	under   string
	h       document.InsertHeadline
	author  author.Author
	session string
	key     noteKey
	similar []string

	id    string // of the headline
	known bool   // it has an equal title and text already
}

// byAgent reports whether the author is not the owner.
func (r *addition) byAgent() bool { return r.author != scope.Owner }

// prepare checks the note and finds similar nodes. It needs no lock.
func (r *addition) prepare() error {
	if size := len(r.h.Title) + len(r.h.Body); r.byAgent() && size > maxNoteBytes {
		return fmt.Errorf("a note has at most %d bytes, this one has %d; shorten it", maxNoteBytes, size)
	}
	if strings.ContainsRune(r.h.Title, 0) || strings.ContainsRune(r.h.Body, 0) {
		return errors.New("a NUL would make the file a binary one for other programs; leave it out")
	}
	r.key = keyOfNote(r.h.Title, r.h.Body)
	if !r.byAgent() {
		return nil
	}
	v := r.ns.scope.View()
	r.similar = similar(v, r.h.Title, r.h.Body, func(n *node.Node) bool { return r.ns.rights.MayReveal(v.State, n) })
	return nil
}

// headline returns the note as a headline; an agent's note has its origin as properties.
func (r *addition) headline(now time.Time) document.InsertHeadline {
	h := r.h
	if !r.byAgent() {
		return h
	}
	origin := []document.Property{{Key: "AUTHOR", Value: r.author.String()}}
	if r.session != "" {
		origin = append(origin, document.Property{Key: "SESSION", Value: r.session})
	}
	origin = append(origin,
		document.Property{Key: "CREATED", Value: now.Format("[2006-01-02 Mon 15:04]")},
		document.Property{Key: "TRUST", Value: "unreviewed"})
	h.Properties = slices.Concat(origin, h.Properties)
	return h
}

// write adds the note, unless its author is an agent that may read an equal one.
func (r *addition) write(e *editing) error {
	c := e.c
	if err := c.Once(r.key); err != nil { // an equal note of the group must be durable first
		return err
	}
	if r.id, r.known = "", false; r.byAgent() {
		if r.id = r.ns.knownTo(r.key); r.id != "" {
			r.known = true
			return nil
		}
		t := r.ns.tombstones()[r.key]
		if t.active && t.by != r.author {
			return c.Fail(r.under, fault.Denied, errForgotten)
		}
		if t.active { // its author writes it again
			c.Mark(tombstones{r.key: {}}.marks()...)
		}
	}
	h := r.headline(c.Action.Now)
	path := noteFile(r.ns.scope.Options.Formats, c.State(), r.under, c.Action.Now.UTC().Format("2006-01"))
	if given := len(h.Properties); path != "" {
		if h, r.id = withID(h); len(h.Properties) > given {
			return r.append(c, path, h)
		}
		return e.insert(path, h)
	}
	h, r.id = withID(h)
	return e.insert(r.under, h)
}

// append adds the note to the end of a file.
func (r *addition) append(c *write.Change, path string, h document.InsertHeadline) error {
	if _, _, err := c.Read(path); err != nil {
		return err
	}
	if d, ok := c.State().Document(path); ok && d.Derived.Encrypted {
		return c.Fail(path, fault.Invalid, errEncrypted)
	}
	c.Action.Message = path + ": " + h.Title
	text, end, err := c.Inserted(path, h)
	if err != nil {
		return err
	}
	c.Put(path, text)
	c.Check = func(_, after *graph.State, _ *graph.Delta) error {
		if n, ok := after.Get(r.id); !ok || n.Path != path || len(n.Kids) > 0 {
			return c.Fail(path, fault.Invalid, fmt.Errorf("%q would not be read as one note of this file", h.Title))
		}
		return c.Fail(path, fault.Invalid, r.ns.checkEnd(r.ctx, path, end, after))
	}
	return nil
}

// knownTo returns a headline with the key that may be revealed to an agent, "" for none.
func (ns *Notes) knownTo(key noteKey) string {
	state := ns.scope.Present()
	for _, id := range ns.known.find(state, key) {
		if n, ok := state.Get(id); ok && state.CopyOf(n.Path) == "" && ns.rights.MayReveal(state, n) {
			return id
		}
	}
	return ""
}

var errForgotten = errors.New("somebody else has forgotten a note of this title and text: leave it out, or ask the owner, who may write it again")

// noteFile returns the file for a note at under; "" if under is a node.
func noteFile(formats document.Formats, state *graph.State, under, month string) string {
	if !strings.HasSuffix(under, "/") {
		if formats.Owns(under) {
			return under
		}
		return ""
	}
	name := func(n int) string {
		if n == 1 {
			return path.Join(under, month+".org")
		}
		return path.Join(under, fmt.Sprintf("%s-%d.org", month, n))
	}
	n := 1
	for len(state.Nodes(name(n+1))) > 0 {
		n++
	}
	if state.Size(name(n)) >= maxFileBytes {
		n++
	}
	return name(n)
}
