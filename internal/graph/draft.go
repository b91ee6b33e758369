// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"

	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Draft collects changes to a state. It is for one goroutine, and of no use
// after Seal.
type Draft struct {
	base      *State
	nodes     *champ.Editor[*node.Node]
	documents *champ.Editor[[]*node.Node]
	trees     *champ.Editor[*tree]
	contested *champ.Editor[[]node.Claim]
	setup     askers
	ranks     map[string]int // those of base until ranked
	ranked    bool
	lacks     bool // a node was adopted whose content is gone

	before  map[string][]*node.Node // path -> its nodes in base, of the paths touched
	after   map[string][]*node.Node // path -> its nodes now
	touched []string                // ids that trees touched, some of them more than once
	claims  map[string][]string     // path -> ids declared, of the paths touched
	retry   []string                // paths that must be read again: for their ids, or a setup file
	problem map[string][]node.Problem
	places  map[string]places // path -> its nodes by number, of documents whose ids others claim
	now     int64
}

// Edit begins a draft on top of s. now, in Unix milliseconds, becomes the
// time of modification of what changes.
func (s *State) Edit(now int64) *Draft {
	return &Draft{
		base: s, nodes: s.nodes.Edit(), documents: s.documents.Edit(), trees: s.trees.Edit(), contested: s.contested.Edit(), setup: askers{s.setup.Edit()},
		ranks: s.ranks, before: map[string][]*node.Node{}, after: map[string][]*node.Node{},
		claims: map[string][]string{}, problem: map[string][]node.Problem{}, places: map[string]places{}, now: now,
	}
}

// Put sets a document's bytes. A file that is not Org is opaque: one node, not
// parsed. Complexity is that of parsing text; where an id changes hands, also
// of parsing the document that held it, and where the document is a setup file,
// of parsing those that name it. Where text is what the file held with headlines
// that bear ids behind it, only those are parsed, and what was found in the others is
// not among Problems.
func (d *Draft) Put(path, text string, opaque bool) {
	if !opaque && d.extend(path, text) {
		return
	}
	d.put(path, text, opaque)
	d.retry = append(d.retry, d.dependents(path)...)
	d.settle()
}

// Drop takes a document and all its nodes out.
func (d *Draft) Drop(path string) {
	old := d.take(path)
	d.setup.replace(old, nil)
	d.claim(path, nil)
	d.swap(old, nil)
	d.retry = append(d.retry, d.dependents(path)...)
	d.settle()
}

// Problems returns what the parser and the choice of ids found in the
// documents put, by path.
func (d *Draft) Problems() map[string][]node.Problem { return d.problem }

// Touched reports whether any node differs from the base.
func (d *Draft) Touched() bool { return len(d.before)+len(d.touched) > 0 }

// settle reads documents again that lost or won a contested id, or whose setup
// files changed.
func (d *Draft) settle() {
	for len(d.retry) > 0 {
		path := d.retry[0]
		d.retry = d.retry[1:]
		nodes := d.current(path)
		if nodes == nil {
			continue
		}
		if _, isTree := d.trees.Get(path); !isTree {
			d.put(path, node.Join(nodes), nodes[0].Derived.Opaque)
		} else if err := d.putTree(path, node.TreeOf(nodes)); err != nil { // they were taken in before
			d.problem[path] = []node.Problem{{Path: path, Kind: "id", Message: err.Error()}}
		}
	}
}

func (d *Draft) put(path, text string, opaque bool) {
	old := d.take(path)
	var nodes []*node.Node
	delete(d.problem, path)
	if opaque {
		d.claim(path, node.Claims(path, nil))
		nodes = node.SplitOpaque(path, text, d.bears)
	} else {
		doc := node.Parse(text, reading(path, d.base.defaults, d.current))
		d.claim(path, firsts(node.Claims(path, doc)))
		var problems []node.Problem
		nodes, problems = node.Split(path, text, doc, d.bears)
		if len(problems) > 0 {
			d.problem[path] = problems
		}
	}
	d.keep(old, nodes, true)
	d.swap(old, nodes)
	d.setup.replace(old, nodes)
	d.documents.Set(path, nodes)
	d.after[path] = nodes
}

// keep lets unchanged nodes stay the very objects they were, and gives changed
// ones a copy of their text where the file was known: a small edit must not
// hold on to the bytes of a whole old and a whole new file. shared says that the
// nodes' text is part of one.
func (d *Draft) keep(old, nodes []*node.Node, shared bool) {
	own := func(n, was *node.Node) {
		if shared && len(old) > 0 {
			n.Detach(was)
		}
	}
	was := make(map[string]*node.Node, len(old))
	for _, n := range old {
		was[n.ID] = n
	}
	for i, n := range nodes {
		o := was[n.ID]
		switch {
		case o == nil:
			n.Modified = d.now
			own(n, nil)
		case o.Own != n.Own:
			n.Modified = d.now
			own(n, o)
		case o.Type == typeGone: // the file has it
			n.Modified = o.Modified
			own(n, nil)
		case o.Entry.Equal(&n.Entry) && o.Derived.Equal(n.Derived):
			nodes[i] = o
		default:
			own(n, o)
			n.Modified, n.Content, n.Attrs = o.Modified, o.Content, o.Attrs
		}
	}
}

// take removes a document and returns its nodes, which stay in the map of ids until
// swap.
func (d *Draft) take(path string) []*node.Node {
	nodes := d.current(path)
	if _, seen := d.before[path]; !seen {
		d.before[path], _ = d.base.documents.Get(path)
	}
	if _, isTree := d.trees.Get(path); isTree {
		d.fell(path, nodes)
		return nodes
	}
	d.documents.Delete(path)
	d.after[path] = nil
	delete(d.places, path)
	return nodes
}

// swap puts nodes in the place of the old ones of a document in the map of ids. An
// id whose node stays is not touched: each that is costs the state a path of the map
// that it could share with its base. An old node whose id another document has won
// is not there any more.
func (d *Draft) swap(old, nodes []*node.Node) {
	leaves := make(map[*node.Node]bool, len(old))
	for _, o := range old {
		leaves[o] = true
	}
	for _, n := range nodes {
		if leaves[n] {
			delete(leaves, n)
			if now, _ := d.nodes.Get(n.ID); now == n {
				continue
			}
		}
		d.nodes.Set(n.ID, n)
	}
	for _, o := range old {
		if now, _ := d.nodes.Get(o.ID); now == o && leaves[o] {
			d.nodes.Delete(o.ID)
		}
	}
}

// current returns a document's nodes as the draft has them.
func (d *Draft) current(path string) []*node.Node {
	if t, ok := d.trees.Get(path); ok {
		return t.list(d.nodes.Get)
	}
	if nodes, ok := d.after[path]; ok {
		return nodes
	}
	nodes, _ := d.base.documents.Get(path)
	return nodes
}

// bears decides who bears a claimed id: the first of the claims to it.
func (d *Draft) bears(c node.Claim) bool {
	list, ok := d.contested.Get(c.ID)
	return !ok || list[0] == c
}

// claim replaces a document's claims, of which no two are to one id, and marks
// documents whose ids change hands by it.
func (d *Draft) claim(path string, claims []node.Claim) {
	for _, id := range d.claimed(path) {
		d.withdraw(id, path)
	}
	now := make([]string, len(claims))
	for i, c := range claims {
		d.enter(c)
		now[i] = c.ID
	}
	d.claims[path] = now
}

// firsts leaves of the claims of a file those that count: the first to each id. It
// uses up claims.
func firsts(claims []node.Claim) []node.Claim {
	seen := make(map[string]bool, len(claims))
	return slices.DeleteFunc(claims, func(c node.Claim) bool {
		again := seen[c.ID]
		seen[c.ID] = true
		return again
	})
}

// claimed returns the ids a document declares, as the draft has it.
func (d *Draft) claimed(path string) []string {
	if ids, ok := d.claims[path]; ok {
		return ids
	}
	return wishes(d.before[path])
}

// wishes lists the ids that nodes claim, with their repeats.
func wishes(nodes []*node.Node) []string {
	var ids []string
	for _, n := range nodes {
		if id := n.Wish(); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// withdraw takes a document's claims to an id out of the contest.
func (d *Draft) withdraw(id, path string) {
	list, ok := d.contested.Get(id)
	if !ok {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(list), func(c node.Claim) bool { return c.Path == path })
	if len(rest) < 2 {
		d.contested.Delete(id)
	} else {
		d.contested.Set(id, rest)
	}
	if len(rest) > 0 && rest[0] != list[0] {
		d.again(rest[0].Path, path)
	}
}

// enter adds a claim; the contest begins when a second one comes.
func (d *Draft) enter(c node.Claim) {
	list, ok := d.contested.Get(c.ID)
	if !ok {
		first, held := d.holder(c)
		if !held {
			return
		}
		list = []node.Claim{first}
	}
	bearer := list[0]
	i, found := slices.BinarySearchFunc(list, c, d.order)
	if found {
		return
	}
	d.contested.Set(c.ID, slices.Concat(list[:i], []node.Claim{c}, list[i:]))
	if i == 0 {
		d.again(bearer.Path, c.Path)
	}
}

// holder returns the claim of the node of another document that bears an id.
func (d *Draft) holder(c node.Claim) (node.Claim, bool) {
	n, ok := d.nodes.Get(c.ID)
	if !ok || n.Path == c.Path {
		return node.Claim{}, false
	}
	if _, isTree := d.trees.Get(n.Path); isTree {
		return node.Claim{ID: c.ID, Path: n.Path}, true
	}
	if d.places[n.Path] == nil {
		d.places[n.Path] = placesOf(d.current(n.Path))
	}
	return node.Claim{ID: c.ID, Path: n.Path, Ordinal: d.places[n.Path][c.ID]}, true
}

func (d *Draft) again(path, current string) {
	if t, ok := d.trees.Get(path); ok {
		t.list(d.nodes.Get) // before the id that it loses is another's
	}
	if path != current && !slices.Contains(d.retry, path) {
		d.retry = append(d.retry, path)
	}
}

func order(a, b node.Claim) int {
	switch {
	case a == b:
		return 0
	case a.Before(b):
		return -1
	default:
		return 1
	}
}

// Seal ends the draft and returns the next state and what changed. The cost of
// the Merkle map is that of the changed nodes alone.
func (d *Draft) Seal() (*State, Delta) {
	if !d.Touched() {
		return d.base, Delta{}
	}
	delta := d.delta()
	tree := d.base.tree.Edit()
	for _, c := range delta.Changes {
		if c.New == nil {
			tree.Delete(merkle.SumText(c.ID))
		} else {
			tree.Set(c.New)
		}
	}
	for _, n := range delta.Reread {
		tree.Set(n) // the digest stays, the node that a Diff of trees yields must not be stale
	}
	nodes := d.nodes.Map()
	if len(delta.Changes) > nodes.Len()/2 { // mostly new, as after a first ingest
		nodes = nodes.Pack()
	}
	next := &State{
		nodes: nodes, documents: d.documents.Map(), trees: d.trees.Map(), contested: d.contested.Map(), setup: d.setup.Map(), tree: tree.Map(),
		ranks: d.ranks, lacks: d.base.lacks || d.lacks, defaults: d.base.defaults,
	}
	return next, delta
}
