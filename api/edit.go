// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

func editNode(ctx context.Context, l *Local, req EditRequest) (*EditResponse, error) {
	edits, err := req.edits()
	if err != nil {
		return nil, invalid("edit", err)
	}
	return changeNode(ctx, l, "edit", req.ID, req.Base, req.replaces, func(on *Local, id string, opts *fovea.WriteOptions) (fovea.Commit, error) {
		return on.On.Notes().Edit(ctx, id, opts, edits...)
	})
}

// changeNode performs op on one node by do, and returns what the node is afterwards. replaces reports whether
// that removes text; nil means it always does.
func changeNode(ctx context.Context, l *Local, op, name, digest string, replaces func(*node.Node) bool,
	do func(on *Local, id string, opts *fovea.WriteOptions) (fovea.Commit, error),
) (*EditResponse, error) {
	on, id, opts, err := target(ctx, l, op, name, digest)
	if err != nil {
		return nil, err
	}
	r, held := readerOf(ctx, on)
	if held && l.Call.Key != "" { // a repeated request is answered as the first time
		_, repeated, _ := on.On.Notes().Done(ctx, l.Call.Key, l.Call.Op.Replay)
		held = !repeated
	}
	base := opts.Base
	for again := true; ; again = false {
		head := on.On.View().Head().Seq
		v, err := on.View(ctx) // reveals nothing that the caller may not read
		if err != nil {
			return nil, err
		}
		n, there := v.Get(id)
		replacing := held && there && !on.Memex.Guard().Protected(n.Path) && (replaces == nil || replaces(n))
		sawIt := held && there && r.Seen(id) == n.Own
		if replacing && slices.Contains([]merkle.Digest{{}, n.Own, n.Version}, base) {
			if err := r.RequireSeen(ctx, v, op, n); err != nil {
				return nil, named(err, op, id, name)
			}
			if opts.Base = cmp.Or(base, n.Own); replaces == nil {
				opts.Base = cmp.Or(base, n.Version) // which covers what is below it
			}
		}
		c, err := do(on, id, opts)
		if again && replacing && base.IsZero() && fovea.KindOf(err) == fovea.Conflict {
			continue // it may have changed meanwhile
		}
		if err != nil {
			return nil, named(err, op, id, name)
		}
		out := editResponse(on, id, c)
		if held {
			err = completeChange(ctx, on, r, out, replacing || sawIt && out.Seq == head+1)
		}
		return out, err
	}
}

// Named returns err with op as its operation.
func Named(err error, op string) error { return named(err, op, "-", "") }

// named is Named, and names the node as the caller did.
func named(err error, op, id, name string) error {
	e, ok := errors.AsType[*fovea.Error](err)
	if !ok {
		return err
	}
	renamed := *e
	if renamed.Op = op; renamed.What == id {
		renamed.What = name
	}
	return &renamed
}

// edits lists the changes asked for, in order.
func (r *EditRequest) edits() ([]document.Edit, error) {
	// Checkboxes first, before other edits shift the lines that the caller counted.
	edits := each(r.Check, func(line int) document.Edit { return document.CheckItem{Line: line, State: "X"} })
	edits = append(edits, each(r.Uncheck, func(line int) document.Edit { return document.CheckItem{Line: line, State: " "} })...)
	set := func(value *string, edit func(string) document.Edit) {
		if value != nil {
			edits = append(edits, edit(*value))
		}
	}
	set(r.Todo, func(v string) document.Edit { return document.SetTodo{Keyword: v} })
	set(r.Title, func(v string) document.Edit { return document.SetTitle{Title: v} })
	set(r.Priority, func(v string) document.Edit { return document.SetPriority{Priority: v} })
	edits = append(edits, each(r.Tag, func(v string) document.Edit { return document.AddTag{Tag: v} })...)
	edits = append(edits, each(r.Untag, func(v string) document.Edit { return document.RemoveTag{Tag: v} })...)
	properties, err := properties(r.Property)
	if err != nil {
		return nil, err
	}
	edits = append(edits, each(properties, func(p document.Property) document.Edit { return document.SetProperty(p) })...)
	edits = append(edits, each(r.RemoveProperty, func(v string) document.Edit { return document.RemoveProperty{Key: v} })...)
	set(r.Schedule, func(v string) document.Edit { return document.Schedule{When: v} })
	set(r.Deadline, func(v string) document.Edit { return document.Deadline{When: v} })
	set(r.Body, func(v string) document.Edit { return document.ReplaceBody{Text: v, Children: r.AllowSubheadings} })
	set(r.Append, func(v string) document.Edit { return document.AppendBody{Text: v, Children: r.AllowSubheadings} })
	if len(edits) == 0 {
		return nil, errors.New("no change was asked for; say what to set, such as todo or title")
	}
	return edits, nil
}

// properties splits KEY=VALUE.
func properties(pairs []string) ([]document.Property, error) {
	var out []document.Property
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("property %q has no value; write KEY=VALUE", pair)
		}
		out = append(out, document.Property{Key: key, Value: value})
	}
	return out, nil
}

// target returns the id of the node to change, the options of the change, and the service over the memory that holds the node.
func target(ctx context.Context, l *Local, op, name, digest string) (on *Local, id string, opts *fovea.WriteOptions, err error) {
	opts = l.Write()
	if digest != "" {
		if opts.Base, err = merkle.Parse(digest); err == nil && opts.Base.IsZero() {
			err = errors.New("the base is not the digest of a node") // a zero base would mean no base
		}
		if err != nil {
			return l, "", opts, invalid(op, err)
		}
	}
	if l.known != "" {
		return l, l.known, opts, nil
	}
	v, err := l.View(ctx)
	if err != nil {
		return l, "", opts, err
	}
	n, err := l.Find(v, op, name)
	if err != nil {
		return l, "", opts, err
	}
	if name := l.Memex.Folder().Buffers().Holder(n.Path); name != "" { // checked first, so that an unsaved buffer is busy, not a conflict
		return l, "", opts, fault.Wrap(op, n.Path, fault.Busy, &corpus.BusyError{Lock: corpus.BufferLock(name)})
	}
	on, err = l.InScope(ctx, v.Scope(holder(v, n)))
	return on, n.ID, opts, err
}

// editResponse describes a node after a commit; if the commit changed a derived id, under the new id.
func editResponse(l *Local, id string, c fovea.Commit) *EditResponse {
	for _, e := range c.Lineage {
		if e.Old == id {
			id = e.New
			break
		}
	}
	v := view.Of(l.On.View())
	out := &EditResponse{ID: id, Seq: c.Seq, Would: would(l, c), Plan: c.Would}
	if n, ok := v.Get(id); ok {
		out.Handle = v.Handle(n)
		out.Digest, out.Version, out.Path, out.Doubled = n.Own.String(), n.Version.String(), n.Path, v.Doubled(n)
		if !document.IsMemory(n.Path) {
			_, out.Line = v.Position(n)
		}
	}
	return out
}

func forgetNode(ctx context.Context, l *Local, req MoveRequest) (*EditResponse, error) {
	var gone []*node.Node
	out, err := changeNode(ctx, l, "forget", req.ID, req.Base, nil, func(on *Local, id string, opts *fovea.WriteOptions) (fovea.Commit, error) {
		gone = on.On.View().Branch(id)
		return on.On.Notes().Forget(ctx, id, opts)
	})
	if err != nil {
		return nil, err
	}
	done := &EditResponse{ID: out.ID, Seq: out.Seq, Would: out.Would, Plan: out.Plan}
	if v, err := l.View(ctx); err == nil && out.Seq != 0 {
		done.Doubled = v.StillHeld(gone)
	}
	return done, nil
}

func refileNode(ctx context.Context, l *Local, req MoveRequest) (*EditResponse, error) {
	return changeNode(ctx, l, "refile", req.ID, req.Base, nil, func(on *Local, id string, opts *fovea.WriteOptions) (fovea.Commit, error) {
		v, err := on.View(ctx)
		if err != nil {
			return fovea.Commit{}, err
		}
		to, err := v.Resolve(on.Below(req.To))
		if err != nil {
			return fovea.Commit{}, err
		}
		return on.On.Notes().Refile(ctx, id, to.ID, opts)
	})
}

func archiveNode(ctx context.Context, l *Local, req MoveRequest) (*EditResponse, error) {
	return changeNode(ctx, l, "archive", req.ID, req.Base, nil, func(on *Local, id string, opts *fovea.WriteOptions) (fovea.Commit, error) {
		return on.On.Notes().Archive(ctx, id, opts)
	})
}

func assignIDs(ctx context.Context, l *Local, req AssignRequest) ([]Node, error) {
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, name := range req.IDs {
		n, err := v.Resolve(l.Below(name))
		if err != nil {
			return nil, err
		}
		ids = append(ids, n.ID)
	}
	if req.All || req.List && len(req.IDs) == 0 {
		for n := range v.All() {
			nameless := n.Type == document.TypeHeadline && !document.IsMemory(n.Path) && n.Derived.DeclaredID == "" && node.IsDerived(n.ID)
			if nameless && inside(n.Path, l.Below(req.Path)) {
				ids = append(ids, n.ID)
			}
		}
	}
	if !req.List && len(ids) > 0 {
		if ids, err = assignByScope(ctx, l, v, ids); err != nil {
			return nil, err
		}
		if v, err = overlaid(ctx, l); err != nil {
			return nil, err
		}
	}
	slices.Sort(ids) // for Compact; the answer is in document order
	ids = slices.Compact(ids)
	return inOrder(v, ids), nil
}

// assignByScope gives ids to nodes, scope by scope.
func assignByScope(ctx context.Context, l *Local, v *view.View, ids []string) ([]string, error) {
	var all []string
	for _, scope := range append([]string{""}, l.Over...) {
		on, err := l.InScope(ctx, scope)
		if err != nil {
			return nil, err
		}
		of := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			n, ok := v.Get(id)
			return !ok || v.Scope(n) != cmp.Or(scope, "memex")
		})
		if len(of) == 0 {
			continue
		}
		_, given, err := on.On.Notes().AssignIDs(ctx, of, l.Write())
		if err != nil {
			return nil, err
		}
		all = append(all, given...)
	}
	return all, nil
}

// inside reports whether a path is a file or folder or lies in it; "" contains every path.
func inside(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// inOrder lists nodes in document order.
func inOrder(v *view.View, ids []string) []Node {
	nodes := make([]*node.Node, 0, len(ids))
	for n := range v.All() {
		if _, ok := slices.BinarySearch(ids, n.ID); ok {
			nodes = append(nodes, n)
		}
	}
	return listAll(v, nodes)
}

// readerOf returns the session of a call, and false if the call need not have seen the text: a call of the
// owner, one that the owner accepted, a repeated one.
func readerOf(ctx context.Context, l *Local) (*travel.Reader, bool) {
	actor := author.ActorOf(ctx)
	agent, session := l.agentAndSession(ctx, "")
	r := &travel.Reader{History: l.History(), By: author.Named(agent), Session: cmp.Or(actor.Session, l.Scopes(ctx).Session)}
	r.Shown = func(use func(*window.Shown) *window.Shown) {
		fovea.WindowsOf(l.Memex).Shown("whole\n"+session+"\n"+agent, use)
	}
	return r, agent != "" && actor.AcceptedBy == "" && l.known == ""
}

// saw records that the answer to a call shows the whole text of nodes. A look-up that a call makes for itself does not count.
func saw(ctx context.Context, l *Local, nodes ...*node.Node) {
	if r, ok := readerOf(ctx, l); ok && len(nodes) > 0 && !l.Call.Further {
		r.Saw(nodes...)
	}
}

// completeChange adds to the answer the lines of others that the session has not seen, which then count as
// seen; sawAll means that there are none.
func completeChange(ctx context.Context, l *Local, r *travel.Reader, out *EditResponse, sawAll bool) error {
	v, err := l.View(ctx)
	if err != nil {
		return err
	}
	n, ok := v.Get(out.ID)
	newest, _ := l.History().Log(ctx, out.ID, 1) // not out.Seq if the request is repeated and others changed the node since
	sawAll = sawAll && slices.ContainsFunc(newest, func(c fovea.Commit) bool { return c.Seq == out.Seq })
	if !ok || n.Own.String() != out.Digest || !sawAll && r.Seen(out.ID).IsZero() {
		return nil
	}
	if !sawAll {
		lines, _, err := r.Unseen(ctx, n)
		if err != nil {
			return err
		}
		if out.Unseen = lines; len(strings.Join(lines, "")) > travel.MaxUnseen {
			out.Unseen = []string{fmt.Sprintf("%d lines that you have not seen; read the note with show", len(lines))}
			return nil
		}
		if len(lines) > 0 && recall.Readable(n) != n.Content {
			return nil
		}
	}
	r.Saw(n)
	return nil
}

// replaces reports whether a change removes text of a node: adding text, or setting a tag, keyword or date, does not.
func (r *EditRequest) replaces(n *node.Node) bool {
	has := func(key string) bool {
		key, _, _ = strings.Cut(key, "=")
		isIt := func(a document.Attr) bool { return strings.EqualFold(a.Key, key) }
		return len(n.Derived.Property(key)) > 0 || slices.ContainsFunc(n.Attrs, isIt)
	}
	return r.Body != nil || r.Title != nil || len(r.Check)+len(r.Uncheck) > 0 ||
		slices.ContainsFunc(r.Property, has) || slices.ContainsFunc(r.RemoveProperty, has)
}
