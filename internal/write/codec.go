// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// codec writes an intent in the canonical encoding, or reads one: each part of the record is named
// once, in its order. After an error nothing that was read counts.
type codec struct {
	out  []byte                            // the bytes written so far
	emit func(merkle.Digest, []byte) error // takes the blocks of long texts
	in   *merkle.Reader                    // nil to write
	load graph.Loader                      // returns the blocks of long texts
	err  error
}

// fail keeps the first error, and reports whether there is one.
func (c *codec) fail(err error) bool {
	if c.err = cmp.Or(c.err, err); c.err == nil && c.in != nil {
		c.err = c.in.Err()
	}
	return c.err != nil
}

// list is a list of any length.
func list[T any](c *codec, all *[]T, one func(*T, *codec)) {
	if c.in == nil {
		c.out = merkle.AppendList(c.out, len(*all))
		for i := range *all {
			if one(&(*all)[i], c); c.err != nil {
				return
			}
		}
		return
	}
	for range c.in.List() {
		var element T
		if one(&element, c); c.fail(nil) {
			return
		}
		*all = append(*all, element)
	}
}

// fixed begins a list of that many elements.
func (c *codec) fixed(n int) {
	if c.in != nil {
		c.in.FixedList(n)
	} else {
		c.out = merkle.AppendList(c.out, n)
	}
}

func (c *codec) text(s *string) {
	if c.in != nil {
		*s = c.in.Text()
	} else {
		c.out = merkle.AppendText(c.out, *s)
	}
}

func (c *codec) bytes(s *string) {
	if c.in != nil {
		*s = string(c.in.Bytes())
	} else {
		c.out = merkle.AppendBytes(c.out, *s)
	}
}

func (c *codec) link(d *merkle.Digest) {
	if c.in != nil {
		*d = c.in.Link()
	} else {
		c.out = merkle.AppendLink(c.out, *d)
	}
}

// errRange is returned for a number out of range.
var errRange = errors.New("a number out of range")

// number is a number of at most that much.
func (c *codec) number(n *int, most uint64) {
	if c.in == nil {
		c.out = merkle.AppendUint(c.out, uint64(*n))
		return
	}
	read := c.in.Uint()
	if *n = int(read); read > most {
		c.fail(errRange)
	}
}

// content is a text whose bytes can be blocks of their own.
func (c *codec) content(s *string) {
	var err error
	if c.in != nil {
		*s, err = merkle.ReadContent(c.in, c.load)
	} else {
		c.out, err = merkle.AppendContent(c.out, *s, c.emit)
	}
	c.fail(err)
}

// optional is a content, or null.
func (c *codec) optional(s **string) {
	switch {
	case c.in != nil && c.in.Peek() == merkle.KindNull:
		c.in.Null()
	case c.in != nil:
		*s = new(string)
		c.content(*s)
	case *s == nil:
		c.out = merkle.AppendNull(c.out)
	default:
		c.content(*s)
	}
}

func (in *Intent) code(c *codec) {
	list(c, &in.files, (*plan).code)
	list(c, &in.steps, (*Step).code)
}

func (p *plan) code(c *codec) {
	c.fixed(6)
	c.bytes(&p.path)
	c.link(&p.base)
	c.link(&p.next)
	mode := int(p.mode.Perm())
	if c.number(&mode, uint64(fs.ModePerm)); c.in != nil {
		p.mode = fs.FileMode(mode)
	}
	c.optional(&p.old)
	c.optional(&p.torn)
	if c.fail(nil) && p.path != "" {
		c.err = fmt.Errorf("%q: %w", p.path, c.err)
	}
}

func (s *Step) code(c *codec) {
	c.fixed(10)
	c.text(&s.Commit.Kind)
	c.commit(&s.Commit)
	list(c, &s.Commit.Parents, func(d *merkle.Digest, c *codec) { c.link(d) })
	list(c, &s.Splices, (*Splice).code)
	list(c, &s.trees, (*treePlan).code)
	list(c, &s.Marks, markCode)
}

func markCode(mark *[]byte, c *codec) {
	text := string(*mark)
	c.bytes(&text)
	*mark = []byte(text)
}

// commit is a step's part of its commit: all but the kind and the parents.
func (c *codec) commit(of *graph.Commit) {
	c.author(&of.Author)
	for _, text := range []*string{&of.Session, &of.Op, &of.Message} {
		c.text(text)
	}
	if c.in != nil {
		of.Time = c.in.Int()
	} else {
		c.out = merkle.AppendInt(c.out, of.Time)
	}
}

// author is the author of a commit. One of a kind that this version does not know makes the intent one of
// a later version.
func (c *codec) author(a *author.Author) {
	if c.in == nil {
		c.out = graph.AppendAuthor(c.out, *a)
		return
	}
	var err error
	if *a, err = graph.ReadAuthor(c.in); !c.fail(nil) && err != nil {
		c.fail(ErrIntent)
	}
}

func (s *Splice) code(c *codec) {
	c.fixed(4)
	for _, n := range []*int{&s.File, &s.At, &s.Removed} {
		c.number(n, math.MaxInt32)
	}
	c.content(&s.Text)
}

func (t *treePlan) code(c *codec) {
	c.fixed(2)
	c.bytes(&t.path)
	var text *string
	if t.tree != nil {
		text = new(string(t.tree.JSON()))
	}
	if c.optional(&text); c.in == nil || text == nil || c.fail(nil) {
		return
	}
	var err error
	if t.tree, err = ast.DecodeTree([]byte(*text)); err == nil && string(t.tree.JSON()) != *text {
		err = errTrees
	}
	c.fail(err)
}
