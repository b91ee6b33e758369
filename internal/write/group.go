// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
)

// Bounds of a group.
const (
	maxGroup      = 256     // changes
	maxGroupBytes = 1 << 20 // of new text, after which no further change is taken
	beginning     = 256     // bytes of a text that determine its encoding, with its first line, see document.IsUTF16
)

// group holds changes that become durable together: each file is written once, and each change
// that has an effect gets a commit.
type group struct {
	w      *Writer
	tx     *chain.Tx
	all    *chain.Steps
	files  []groupFile
	steps  []Step
	made   []*Change  // by step
	of     []*request // by step
	taken  []*request
	named  map[any]bool // see Change.Once
	size   int          // bytes of new text
	kept   bool         // a change must be synced before its caller is answered
	full   bool
	places map[string]corpus.Place // where paths lead
}

// groupFile is a file that a group changes.
type groupFile struct {
	path string
	base merkle.Digest // of its text before the group, zero for no file
	text string        // after the newest step

	// Facts about a text that grows at its end, so that not every change reads all of it.
	buffer *strings.Builder // holds the text or an earlier one
	isUTF8 bool             // the text is UTF-8 without NULs at its beginning
	nodes  int              // number of first nodes whose parse does not depend on the rest, see ends
}

func (w *Writer) newGroup(tx *chain.Tx) *group {
	return &group{w: w, tx: tx, all: &chain.Steps{}, named: map[any]bool{}, places: map[string]corpus.Place{}}
}

// errLater is the result of a change that cannot be judged before the group is written.
var errLater = errors.New("after the group")

// take runs a change and sets its result, which is valid once the group is saved. It returns false
// if the change must wait for a later group; the first change of a group never has to.
func (g *group) take(r *request) bool {
	if g.full || len(g.steps) > 0 && g.waits(r) {
		return false
	}
	r.commit, r.first, r.err = chain.Commit{}, nil, nil
	first, err := g.w.scope.Enter(r.ctx, g.tx, r.action)
	switch {
	case first != nil || err != nil:
		r.first, r.commit = first, g.w.scope.Replay(first)
	case r.ctx.Err() != nil:
		err = fault.Wrap(r.action.Name, "", fault.Other, r.ctx.Err())
	default:
		c := &Change{Action: r.action, ctx: r.ctx, in: g, texts: map[string]string{}, read: map[string]bool{}, local: map[string]int{}}
		c.Action.Now = g.w.scope.Options.Now()
		if err = r.do(c); err == nil {
			err = g.add(r, c)
		}
	}
	if errors.Is(err, errLater) {
		return false
	}
	r.failed(err)
	g.taken = append(g.taken, r)
	g.full = g.full || len(g.taken) == maxGroup || g.size >= maxGroupBytes
	return true
}

// waits reports whether a change must be checked against the durable state: it repeats a key of the
// group, its actor acts under a claim, or it is a dry run, which tries the present files.
func (g *group) waits(r *request) bool {
	return r.action.DryRun || g.w.scope.Actor(r.ctx).Claim != (author.Claim{}) ||
		r.action.Key != "" && slices.ContainsFunc(g.of, func(o *request) bool { return o.action.Key == r.action.Key })
}

// read brings a file up to date with memory, and returns its text with the group's changes.
func (g *group) read(c *Change, path string) (string, error) {
	if i := g.index(path); i >= 0 {
		return g.files[i].text, nil
	}
	if len(g.steps) == 0 {
		return g.w.folder.Refresh(c.ctx, g.tx, c.Action, path)
	}
	text, same, err := g.w.folder.Current(c.Action, path)
	if err == nil && !same {
		err = errLater // the file is committed first
	}
	return text, err
}

// place returns where a path leads. It looks that up once; each file is checked again when it is written.
func (g *group) place(path string) (p corpus.Place, err error) {
	p, known := g.places[path]
	if !known {
		if p, err = g.w.scope.Root.Place(path); err == nil {
			g.places[path] = p
		}
	}
	return p, err
}

// index returns the number of a file in the group, -1 for none.
func (g *group) index(path string) int {
	return slices.IndexFunc(g.files, func(f groupFile) bool { return f.path == path })
}

// file returns the group's record of a file, the zero groupFile if the group does not change it.
func (g *group) file(path string) groupFile {
	if i := g.index(path); i >= 0 {
		return g.files[i]
	}
	return groupFile{}
}

// text returns the text of a file after the newest step. It does not join the nodes of a file that
// the group has changed again.
func (g *group) text(state *graph.State, path string) string {
	if f := g.file(path); f.path != "" {
		return f.text
	}
	text, _ := state.Text(path)
	return text
}

// grown appends to a text of a file. It copies the text only once for many changes.
func (g *group) grown(path, text, more string) string {
	i := g.index(path)
	if i < 0 {
		return text + more
	}
	b := g.files[i].buffer
	if b == nil || b.String() != text { // fast if both share memory
		b = new(strings.Builder)
		b.Grow(len(text) + len(text)/8)
		b.WriteString(text)
	}
	g.files[i].buffer = b
	b.WriteString(more)
	return b.String()
}

// add adds the steps of a change; a change without effect has none.
func (g *group) add(r *request, c *Change) error {
	steps, err := c.seal()
	if err != nil || len(steps) == 0 {
		return err
	}
	last := &steps[len(steps)-1]
	// Trust in a protected file, marks, and a first commit take effect only when they are durable.
	g.full = len(steps) > 1 || len(last.Marks) > 0 || slices.ContainsFunc(c.paths, g.w.rights.Protected) || g.w.scope.Chain.Head().Commit.Seq == 0
	if g.full && len(g.steps) > 0 {
		return errLater
	}
	before := c.State()
	if r.action.DryRun {
		r.commit.Would = new(view.Changed(last.delta))
		g.splice(c, last, before)
		op := g.w.operation(g.tx, c.Action.Name, g.w.rights.Judge(c.ctx, c.Action.Name))
		err := errors.Join(op.Prepare(g.writes()...), op.Discard())
		g.files = nil
		return err
	}
	if last.delta.Empty() { // marks alone
		_, err := Record(c.ctx, g.tx, last.state, &last.delta, last.Commit, last.Marks...)
		return err
	}
	for i := range steps {
		s := &steps[i]
		if err := g.tx.Add(c.ctx, g.all, s.state, &s.delta, s.Commit, append(g.w.scope.DriftMarks(s.delta.Paths, nil), s.Marks...)...); err != nil {
			return fault.Wrap("commit", g.w.scope.Name, fault.Other, err)
		}
	}
	g.splice(c, last, before)
	for _, s := range steps {
		g.steps, g.made, g.of = append(g.steps, s), append(g.made, c), append(g.of, r)
	}
	for _, key := range c.once {
		g.named[key] = true
	}
	g.kept = g.kept || !c.Deferred
	return nil
}

// splice records the new texts of a change, and adds the splices that produce them to its step.
func (g *group) splice(c *Change, s *Step, before *graph.State) {
	for _, path := range c.paths {
		_, had := before.Document(path)
		have, text := g.text(before, path), c.texts[path]
		splice := NewSplice(have, text)
		if had && splice.Removed == 0 && splice.Text == "" {
			continue
		}
		i := g.index(path)
		if i < 0 {
			i = len(g.files)
			g.files = append(g.files, groupFile{path: path, isUTF8: document.IsUTF8(have) && !document.IsUTF16(have)})
			if had {
				g.files[i].base = merkle.SumText(have)
			}
		}
		f := &g.files[i]
		f.nodes, f.isUTF8 = c.local[path], f.isUTF8 && utf8.ValidString(splice.Text)
		if splice.Removed > 0 || splice.At < len(have) || len(have) < beginning || !strings.Contains(have, "\n") { // not an append behind the beginning
			f.nodes, f.isUTF8 = 0, document.IsUTF8(text) && !document.IsUTF16(text)
		}
		splice.File, f.text = i, text
		s.Splices = append(s.Splices, splice)
		g.size += len(splice.Text)
	}
	slices.SortFunc(s.Splices, func(a, b Splice) int { return a.File - b.File })
}

// writes returns the writes that bring the files to the group's state.
func (g *group) writes() (writes []FileWrite) {
	for _, f := range g.files {
		writes = append(writes, FileWrite{Path: f.path, Base: f.base, Next: corpus.Next{Text: f.text}})
	}
	return writes
}

// save writes the files and commits the steps. After an error nothing is written, and the
// results of the changes are void. If only the commits fail, each change gets that error.
func (g *group) save() error {
	if len(g.steps) == 0 {
		return nil
	}
	ctx := context.WithoutCancel(g.made[0].ctx)
	op := g.w.operation(g.tx, g.made[0].Action.Name, g.judge)
	op.steps = g.steps
	if len(g.steps) == 1 { // the files themselves show the change
		g.steps[0].Splices = nil
	}
	if err := op.Prepare(g.writes()...); err != nil {
		return err
	}
	if err := op.write(ctx); err != nil {
		return err
	}
	if !g.kept && len(op.writes) == 0 && g.w.scope.Chain.Head().Commit.Seq > 0 {
		g.all.Defer()
	}
	done, err := g.tx.Publish(ctx, g.all)
	if err = op.afterFiles(ctx, err); err != nil {
		for _, r := range g.taken {
			r.failed(err)
		}
		return nil
	}
	for i, r := range g.of {
		r.commit = done[i]
	}
	return nil
}

// judge checks that each author who changes a file may do so.
func (g *group) judge(at corpus.Place) error {
	for _, c := range g.made {
		judge := g.w.rights.Judge(c.ctx, c.Action.Name)
		if _, changes := c.texts[at.Path]; !changes || judge == nil {
			continue
		}
		if err := judge(at); err != nil {
			return err
		}
	}
	return nil
}
