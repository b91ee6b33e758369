// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// reader caches values that the candidates of one query share. It is not safe for concurrent
// use.
type reader struct {
	state     *graph.State
	groups    map[string]tagGroups // by path
	linkLines map[string]string    // by path: the #+LINK lines in force
	tags      map[string][]string  // by id: the tags that children inherit
	firstOpen map[string]string    // by id: the first child with unfinished work, or ""
	current   candidate            // the candidate returned last
}

func newReader(s *graph.State) *reader {
	return &reader{
		state: s, groups: map[string]tagGroups{}, linkLines: map[string]string{}, tags: map[string][]string{}, firstOpen: map[string]string{},
	}
}

// nodeCandidate returns a node as a candidate, valid until the next call.
func (r *reader) nodeCandidate(n *node.Node) query.Candidate {
	return r.current.reset(r, n, n, 0)
}

// candidate presents a node to a query, with its inherited attributes. An element has the
// metadata of the node that contains it.
type candidate struct {
	r       *reader
	n       *node.Node
	host    *node.Node // the node that contains an element; n itself for a node
	offset  int        // offset of n in host's content
	tags    []string
	hasTags bool // whether tags is computed

	parent, child *candidate // reused results of Parent and Children
}

// reset points c to another node and keeps its reusable candidates.
func (c *candidate) reset(r *reader, n, host *node.Node, offset int) *candidate {
	*c = candidate{r: r, n: n, host: host, offset: offset, parent: c.parent, child: c.child}
	return c
}

func (c *candidate) ID() string          { return c.n.ID }
func (c *candidate) Type() string        { return c.n.Type }
func (c *candidate) Todo() string        { return c.host.Derived.Todo }
func (c *candidate) Done() bool          { return c.host.Derived.Done }
func (c *candidate) Blocked() bool       { return c.r.blocked(c.host) }
func (c *candidate) Priority() string    { return c.host.Derived.Priority }
func (c *candidate) Level() int          { return c.host.Derived.Level }
func (c *candidate) LocalTags() []string { return c.host.Derived.Tags }
func (c *candidate) Heading() string     { return c.host.ListedTitle() }
func (c *candidate) Text() string        { return Readable(c.n) }
func (c *candidate) Path() string        { return c.n.Path }
func (c *candidate) Modified() time.Time { return time.UnixMilli(c.host.Modified) }

func (c *candidate) Tags() []string {
	if !c.hasTags {
		c.tags, c.hasTags = graph.JoinTags(c.InheritedTags(), c.host.Derived.Tags), true
	}
	return c.tags
}

func (c *candidate) InheritedTags() []string { return c.r.inheritedTags(c.host) }

func (c *candidate) InGroup(tag, group string) bool {
	return c.r.groupsOf(c.n.Path).contains(group, tag, map[string]bool{})
}

func (c *candidate) Property(key string) []string { return c.host.Derived.Property(key) }

func (c *candidate) InheritedProperty(key string) []string { return c.r.inheritedProperty(c.host, key) }

func (c *candidate) Category() string { return c.r.state.Category(c.host) }

func (c *candidate) OutlinePath() []string { return c.r.outline(c.host) }

func (c *candidate) HasDigest(prefix string) bool {
	own := c.n.Own
	if c.n != c.host {
		own = ownDigest(c.n)
	}
	return strings.HasPrefix(own.String(), prefix) ||
		strings.HasPrefix(hex.EncodeToString(own[:]), strings.ToLower(prefix))
}

func (c *candidate) Times(kind query.TimeKind) []query.Time {
	d := c.host.Derived
	switch kind {
	case query.Scheduled:
		return readTime(d.Scheduled)
	case query.Deadline:
		return readTime(d.Deadline)
	case query.Closed:
		return readTime(d.Closed)
	case query.Clocked:
		return clockTimes(Readable(c.n))
	}
	return slices.Collect(timestamps(Readable(c.n)))
}

// Links returns the links of a node, or those inside an element.
func (c *candidate) Links() []query.Link {
	if len(c.host.Derived.Links) == 0 {
		return nil
	}
	var out []query.Link
	for l := range c.r.links(c.host) {
		if c.offset <= l.Start && l.End <= c.offset+len(c.n.Content) {
			out = append(out, query.Link{Target: l.Raw, Description: l.Description})
		}
	}
	return out
}

// Sources returns the source blocks of a node, or those inside an element, itself
// included.
func (c *candidate) Sources() []query.Source {
	if !mayHaveElements(c.host, map[org.Type]bool{org.TypeSrcBlock: true}) {
		return nil
	}
	tree := parseElements(c.host)
	var out []query.Source
	for i, e := range tree.Elements {
		inside := c.offset <= int(e.Start) && int(e.End) <= c.offset+len(c.n.Content)
		if e.Type == org.TypeSrcBlock && inside {
			out = append(out, query.Source{Language: tree.Block(i).Language, Body: tree.Value(i)})
		}
	}
	return out
}

func (c *candidate) Parent() (query.Candidate, bool) {
	parent := c.host
	if c.n == c.host {
		var ok bool
		if parent, ok = c.r.state.Get(c.n.Parent); !ok {
			return nil, false
		}
	}
	if c.parent == nil {
		c.parent = new(candidate)
	}
	return c.parent.reset(c.r, parent, parent, 0), true
}

func (c *candidate) Children() iter.Seq[query.Candidate] {
	return func(yield func(query.Candidate) bool) {
		if c.n != c.host {
			return
		}
		if c.child == nil {
			c.child = new(candidate)
		}
		for kid := range c.r.kids(c.n) {
			if !yield(c.child.reset(c.r, kid, kid, 0)) {
				return
			}
		}
	}
}

// kids yields the children of a node, in order.
func (r *reader) kids(n *node.Node) iter.Seq[*node.Node] {
	return func(yield func(*node.Node) bool) {
		for _, id := range n.Kids {
			if kid, ok := r.state.Get(id); ok && !yield(kid) {
				return
			}
		}
	}
}
