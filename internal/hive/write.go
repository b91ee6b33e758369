// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/node"
)

// change is one operation that changes files. Its caller is the chain's writer.
type change struct {
	h      *Hive
	ctx    context.Context
	in     *group
	action scope.Action
	texts  map[string]string // new contents, by path
	paths  []string          // in the order they are written
	check  func(next *graph.State, delta *graph.Delta) error
}

// state returns what is present for the operation: the newest state, with what the operations
// before it in its group change.
func (w *change) state() *graph.State { return w.in.all.Head(w.in.tx).State }

// fail returns the error of the operation.
func (w *change) fail(what string, kind fault.Kind, err error) error {
	return fault.Wrap(w.action.Name, what, kind, err)
}

// read brings a file up to date with memory, and returns its text; "" and false for a file
// that does not exist.
func (w *change) read(path string) (text string, there bool, err error) {
	switch ok, err := w.h.scope.Root.Admits(path); {
	case err != nil:
		return "", false, scope.FailWrite(w.action.Name, path, err)
	case !ok || !w.h.scope.HasFiles():
		return "", false, w.fail(path, fault.Invalid, errors.New("a file of this path would be no part of this scope"))
	}
	if err := w.h.rights.MayWrite(w.ctx, w.action, path); err != nil {
		return "", false, err
	}
	_, known := w.state().Document(path)
	text, err = w.in.read(w, path)
	if errors.Is(err, corpus.ErrVanished) && !known {
		return "", false, nil
	}
	if d, ok := w.state().Document(path); err == nil && ok && (d.Derived.Opaque || d.Derived.Encrypted) {
		return "", false, w.fail(path, fault.Invalid, errors.New("the file is kept unparsed or encrypted, so nothing is written into it"))
	}
	return text, err == nil, err
}

// parse returns the text of a document for edits.
func (w *change) parse(path, text string) (document.Text, error) {
	s := w.state()
	f, ok := s.Formats().Of(path).(document.Editor)
	if !ok {
		return nil, w.fail(path, fault.Invalid, errors.New("files of this format are read, and not edited"))
	}
	return f.Parse(path, text, s.Files), nil
}

// edit applies edits to a headline of a file that was read.
func (w *change) edit(n *node.Node, edits ...document.Edit) error {
	text, ok := w.texts[n.Path]
	if !ok {
		text, _ = w.state().Text(n.Path)
	}
	at := -2
	for i, o := range w.state().Nodes(n.Path) {
		if o.ID == n.ID {
			at = i - 1
		}
	}
	if at < 0 {
		return w.fail(n.ID, fault.NotFound, errors.New("no such headline"))
	}
	return w.apply(n.Path, text, at, edits...)
}

// apply applies edits to a headline of a text, or to the document for -1.
func (w *change) apply(path, text string, at int, edits ...document.Edit) error {
	text, err := w.edited(path, text, at, edits...)
	if err == nil {
		w.put(path, text)
	}
	return err
}

// edited returns a text after edits.
func (w *change) edited(path, text string, at int, edits ...document.Edit) (string, error) {
	doc, err := w.parse(path, text)
	if err != nil {
		return "", err
	}
	splices, err := doc.Edit(at, w.action.Now, edits...)
	if err == nil {
		text, err = document.Apply(text, splices)
	}
	return text, w.fail(path, fault.Invalid, err)
}

// put sets the new text of a file.
func (w *change) put(path, text string) {
	if _, known := w.texts[path]; !known {
		w.paths = append(w.paths, path)
	}
	w.texts[path] = text
}

// setOwn sets a property of headlines, and parses their own texts alone: a file of many is
// not parsed for each.
func (w *change) setOwn(nodes map[string]*node.Node, key, value string) error {
	files := map[string]bool{}
	for _, n := range nodes {
		files[n.Path] = true
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		var text strings.Builder
		for _, n := range w.state().Nodes(path) {
			own := n.Content
			if nodes[n.ID] != nil {
				var err error
				if own, err = w.edited(path, own, 0, document.SetProperty{Key: key, Value: value}); err != nil {
					return err
				}
			}
			text.WriteString(own)
		}
		w.put(path, text.String())
	}
	return nil
}

// seal returns the state after the operation, and its difference.
func (w *change) seal() (*graph.State, graph.Delta, error) {
	head := w.state()
	draft := head.Edit(w.action.Now.UnixMilli())
	for _, path := range w.paths {
		have, _ := head.Text(path)
		if err := document.CheckEncoding(have, w.texts[path]); err != nil {
			return nil, graph.Delta{}, w.fail(path, fault.Invalid, err)
		}
		draft.Put(path, document.File(w.texts[path], false))
	}
	w.h.scope.DropUnusedSetups(head, draft)
	state, delta := draft.Seal()
	for _, path := range w.paths {
		if d, ok := state.Document(path); ok && d.Derived.Opaque {
			return nil, delta, w.fail(path, fault.Invalid, errors.New("the file would become too large to be parsed; move some of it elsewhere"))
		}
	}
	if w.check != nil && !delta.Empty() {
		if err := w.check(state, &delta); err != nil {
			return nil, delta, err
		}
	}
	err := w.h.rights.Unprotected(w.ctx, w.action, delta.Paths...)
	if err == nil {
		err = w.h.change(w.ctx, w.action, head, &delta)
	}
	return state, delta, err
}
