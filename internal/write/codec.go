// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// optional codes a content, or null.
func optional(c *merkle.Codec, s **string) {
	if !c.Has(*s != nil) {
		return
	}
	if c.In != nil {
		*s = new(string)
	}
	c.Fields(merkle.Content(*s))
}

func (in *Intent) code(c *merkle.Codec) {
	c.Fields(merkle.List(&in.files, (*plan).code), merkle.List(&in.steps, (*Step).code))
}

func (p *plan) code(c *merkle.Codec) {
	c.Fixed(6)
	c.Fields(merkle.Bytes(&p.path), &p.base, &p.next)
	mode := int(p.mode.Perm())
	if c.Number(&mode, uint64(fs.ModePerm)); c.In != nil {
		p.mode = fs.FileMode(mode)
	}
	optional(c, &p.old)
	optional(c, &p.torn)
	if c.Fail(nil) && p.path != "" {
		c.Err = fmt.Errorf("%q: %w", p.path, c.Err)
	}
}

func (s *Step) code(c *merkle.Codec) {
	c.Fixed(10)
	c.Fields(&s.Commit.Kind)
	codeCommit(c, &s.Commit)
	c.Fields(merkle.Links(math.MaxInt, &s.Commit.Parents), merkle.List(&s.Splices, (*Splice).code), merkle.List(&s.trees, (*treePlan).code), marks(&s.Marks))
}

func marks(all *[][]byte) func(*merkle.Codec) {
	return merkle.List(all, func(mark *[]byte, c *merkle.Codec) { c.Fields(mark) })
}

// codeCommit codes the commit of a step, except its kind and parents.
func codeCommit(c *merkle.Codec, of *graph.Commit) {
	if graph.CodeAuthor(&of.Author)(c); errors.Is(c.Err, graph.ErrFormat) {
		c.Err = ErrIntent // of a later version
	}
	c.Fields(&of.Session, &of.Op, &of.Message, &of.Time)
}

func (s *Splice) code(c *merkle.Codec) {
	c.Fixed(4)
	for _, n := range []*int{&s.File, &s.At, &s.Removed} {
		c.Number(n, math.MaxInt32)
	}
	c.Fields(merkle.Content(&s.Text))
}

func (t *treePlan) code(c *merkle.Codec) {
	c.Fixed(2)
	c.Fields(merkle.Bytes(&t.path))
	var text *string
	if t.tree != nil {
		text = new(string(t.tree.JSON()))
	}
	if optional(c, &text); c.In == nil || text == nil || c.Fail(nil) {
		return
	}
	var err error
	if t.tree, err = ast.DecodeTree([]byte(*text)); err == nil && string(t.tree.JSON()) != *text {
		err = errors.New("the tree of a document is not in its canonical encoding")
	}
	c.Fail(err)
}
