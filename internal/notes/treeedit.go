// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/write"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// putBranch replaces the branch of a memory-backed node in a draft; nil removes it.
func putBranch(state *graph.State, d *graph.Draft, n *node.Node, t *ast.Tree) error {
	switch {
	case t != nil:
		return d.PutBranch(n.ID, t)
	case n.Parent == "":
		d.Drop(n.Path)
		return nil
	}
	up, _ := state.Branch(n.Parent).With(n.ID, func(*ast.Tree) *ast.Tree { return nil })
	return d.PutBranch(n.Parent, up)
}

// insertTree adds a headline as the last child of a node of a memory-backed document.
func (e *editing) insertTree(under string, h document.InsertHeadline) error {
	n, err := e.node(under, merkle.Digest{}, unchanged)
	if err != nil {
		return err
	}
	kid := &ast.Tree{Type: document.TypeHeadline}
	var edits []document.Edit
	for _, p := range h.Properties {
		edits = append(edits, document.SetProperty(p))
	}
	rest := h // after the keyword, which ends what the properties tell of one
	rest.Properties, rest.Todo = nil, ""
	edits = append(append(edits, document.SetTodo{Keyword: h.Todo}), rest.Edits()...)
	if kid, err = editTree(kid, edits, e.c.Action.Now); err != nil {
		return e.c.Fail(under, fault.Invalid, err)
	}
	if o, taken := e.c.State().Get(kid.ID()); taken {
		return e.c.Fail(kid.ID(), fault.Conflict, fmt.Errorf("the id is taken, by a node of %s", o.Path))
	}
	up := *e.c.State().Branch(under)
	up.Kids = append(slices.Clip(up.Kids), kid)
	e.c.Action.Message = n.Path + ": " + h.Title
	e.tree(func(_ *graph.State, d *graph.Draft) error { return d.PutBranch(under, &up) })
	return nil
}

// editTree applies edits to a tree as to a headline; it returns nil if they delete the root.
func editTree(t *ast.Tree, edits []document.Edit, now time.Time) (*ast.Tree, error) {
	next := *t
	for _, edit := range edits {
		if _, gone := edit.(document.Delete); gone {
			return nil, nil
		}
		if err := editNode(&next, edit, now); err != nil {
			return nil, err
		}
	}
	return &next, next.Check()
}

// editNode applies one edit to the root of a tree, which the caller owns.
func editNode(t *ast.Tree, edit document.Edit, now time.Time) error {
	switch edit := edit.(type) {
	case document.SetTodo:
		setAttr(t, "TODO-TYPE", "")
		return setText(t, "TODO", edit.Keyword)
	case document.SetTitle:
		return setText(t, "TITLE", edit.Title)
	case document.SetPriority, document.Schedule, document.Deadline:
		return setAsHeadline(t, edit, now)
	case document.AddTag:
		if _, err := asHeadline(edit, now); err != nil {
			return err
		}
		if tags := tagsOf(t); !slices.Contains(tags, edit.Tag) {
			setAttr(t, "TAGS", append(tags, edit.Tag)...)
		}
	case document.RemoveTag:
		setAttr(t, "TAGS", slices.DeleteFunc(tagsOf(t), func(tag string) bool { return tag == edit.Tag })...)
	case document.SetProperty:
		if strings.EqualFold(edit.Key, "ID") && t.ID() != "" && t.ID() != edit.Value {
			return errors.New("an ID stays what it is")
		}
		if _, err := asHeadline(edit, now); err != nil {
			return err
		}
		return setText(t, edit.Key, edit.Value)
	case document.RemoveProperty:
		if strings.EqualFold(edit.Key, "ID") {
			return errors.New("an ID stays what it is")
		}
		setAttr(t, edit.Key, "")
	case document.ReplaceBody:
		t.Content, t.Bare = edit.Text, edit.Text == "" && t.Bare
	case document.AppendBody:
		if t.Content != "" && !strings.HasSuffix(t.Content, "\n") {
			t.Content += "\n"
		}
		t.Content, t.Bare = t.Content+edit.Text, false
	default:
		return errors.New("this edit changes the text of a file, and the node is not in a file")
	}
	return nil
}

// asHeadline returns a headline after an edit, so that nodes accept only the values that headlines
// accept.
func asHeadline(edit document.Edit, now time.Time) (*org.Headline, error) {
	text, err := write.Edited(org.Text{Document: org.Parse("* x\n", nil)}, 0, now, edit)
	if err != nil {
		return nil, err
	}
	return &org.Parse(text, nil).Headlines[0], nil
}

func setAsHeadline(t *ast.Tree, edit document.Edit, now time.Time) error {
	h, err := asHeadline(edit, now)
	if err != nil {
		return err
	}
	switch edit.(type) {
	case document.SetPriority:
		setAttr(t, "PRIORITY", h.Priority)
	case document.Schedule:
		setAttr(t, "SCHEDULED", h.Scheduled)
	case document.Deadline:
		setAttr(t, "DEADLINE", h.Deadline)
	}
	return nil
}

// setText sets an attribute to a single line of text; "" removes it.
func setText(t *ast.Tree, key, value string) error {
	if strings.ContainsAny(value, "\r\n") {
		return fmt.Errorf("%s: a line break cannot stand in it", key)
	}
	setAttr(t, key, value)
	return nil
}

// setAttr sets an attribute to a text, or to a list for TAGS and for several values. Without
// a non-empty value it removes the attribute.
func setAttr(t *ast.Tree, key string, values ...string) {
	attrs := slices.DeleteFunc(slices.Clone(t.Attrs), func(a document.Attr) bool { return strings.EqualFold(a.Key, key) })
	var list []document.Value
	for _, v := range values {
		if v != "" {
			list = append(list, document.TextValue(v))
		}
	}
	switch {
	case len(list) == 1 && !strings.EqualFold(key, "TAGS"):
		attrs = append(attrs, document.Attr{Key: key, Value: list[0]})
	case len(list) > 0:
		attrs = append(attrs, document.Attr{Key: key, Value: document.ListValue(list...)})
	}
	t.Attrs = document.Attributes(attrs...)
}

// tagsOf returns the tags of a tree's root.
func tagsOf(t *ast.Tree) (tags []string) {
	value := document.Lookup(t.Attrs, "TAGS")
	for _, v := range append(value.Items(), value) {
		if v.Kind() == document.KindText {
			tags = append(tags, strings.FieldsFunc(v.String(), func(r rune) bool { return r == ':' || r == ' ' })...)
		}
	}
	return tags
}

// refileTree moves a node of a memory-backed document into a file as a headline with its
// text, its children, and its attributes in the drawer.
func (e *editing) refileTree(n, to *node.Node) error {
	if to.Derived.Encrypted {
		return e.c.Fail(to.ID, fault.Invalid, errEncrypted)
	}
	t := *e.c.State().Branch(n.ID)
	if node.IsDerived(n.ID) {
		setAttr(&t, "ID", uuid.NewString())
	}
	doc := e.c.Document(to.Path)
	docs, err := orgOf(doc)
	if err != nil {
		return e.c.Fail(to.ID, fault.Invalid, err)
	}
	text, err := orgText(&t, docs[0].Todo.All, e.c.Action.Now)
	if err != nil {
		return e.c.Fail(n.ID, fault.Invalid, err)
	}
	_, splices, err := org.Refile(org.Parse(text, nil), 0, docs[0], e.c.Headline(to), e.c.Action.Now)
	if err != nil {
		return e.c.Fail(n.ID, fault.Invalid, err)
	}
	e.refiled = n
	if t.ID() != n.ID { // history follows it into the file by its ID
		e.c.Declare(n.Path+": an ID", func(before *graph.State, d *graph.Draft) error { return putBranch(before, d, n, &t) })
	}
	e.tree(func(before *graph.State, d *graph.Draft) error {
		e.refiled, _ = before.Get(t.ID())
		return putBranch(before, d, e.refiled, nil)
	})
	return e.c.Splice(to.Path, doc.Source(), splices)
}
