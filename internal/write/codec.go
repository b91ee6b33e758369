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

// optional is a content, or null.
func optional(c *merkle.Codec, s **string) {
	if !c.Has(*s != nil) {
		return
	}
	if c.In != nil {
		*s = new(string)
	}
	c.Content(*s)
}

func (in *Intent) code(c *merkle.Codec) {
	merkle.List(c, &in.files, (*plan).code)
	merkle.List(c, &in.steps, (*Step).code)
}

func (p *plan) code(c *merkle.Codec) {
	c.Fixed(6)
	c.Bytes(&p.path)
	c.Link(&p.base)
	c.Link(&p.next)
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
	c.Text(&s.Commit.Kind)
	codeCommit(c, &s.Commit)
	merkle.List(c, &s.Commit.Parents, func(d *merkle.Digest, c *merkle.Codec) { c.Link(d) })
	merkle.List(c, &s.Splices, (*Splice).code)
	merkle.List(c, &s.trees, (*treePlan).code)
	merkle.List(c, &s.Marks, markCode)
}

func markCode(mark *[]byte, c *merkle.Codec) {
	text := string(*mark)
	c.Bytes(&text)
	*mark = []byte(text)
}

// codeCommit is what a step has of its commit, but for the kind and the parents.
func codeCommit(c *merkle.Codec, of *graph.Commit) {
	if graph.CodeAuthor(c, &of.Author); errors.Is(c.Err, graph.ErrFormat) {
		c.Err = ErrIntent // of a later version
	}
	for _, text := range []*string{&of.Session, &of.Op, &of.Message} {
		c.Text(text)
	}
	c.Int(&of.Time)
}

func (s *Splice) code(c *merkle.Codec) {
	c.Fixed(4)
	for _, n := range []*int{&s.File, &s.At, &s.Removed} {
		c.Number(n, math.MaxInt32)
	}
	c.Content(&s.Text)
}

func (t *treePlan) code(c *merkle.Codec) {
	c.Fixed(2)
	c.Bytes(&t.path)
	var text *string
	if t.tree != nil {
		text = new(string(t.tree.JSON()))
	}
	if optional(c, &text); c.In == nil || text == nil || c.Fail(nil) {
		return
	}
	var err error
	if t.tree, err = ast.DecodeTree([]byte(*text)); err == nil && string(t.tree.JSON()) != *text {
		err = errTrees
	}
	c.Fail(err)
}
