// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

// fieldsOf returns the fields of the request of a proposal. Errors: Invalid for a request that its operation would refuse.
func fieldsOf(p *Proposal) (map[string]any, error) {
	op, err := Proposed(p.Op)
	if err != nil {
		return nil, err
	}
	req, err := op.DecodeRequest(p.Request)
	if err == nil && api.IsDryRun(req) {
		err = fault.Invalidf("propose",
			"a dry run cannot be proposed; leave out dry_run, and nothing is written before the owner accepts it")
	}
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(p.Request, &fields); err != nil {
		return nil, fault.Wrap("propose", "", fault.Invalid, err)
	}
	return fields, nil
}

// settle makes the request of a proposal name each node by its id, and ties it to the present state: one that removes or
// moves a branch to the version of the branch, an edit to the text and place of its note. An edit that only adds is not tied.
func settle(ctx context.Context, a *api.Local, p *Proposal) error {
	fields, err := fieldsOf(p)
	if err != nil {
		return err
	}
	v, err := a.View(ctx)
	if err != nil {
		return err
	}
	p.Title = word(fields, "title")
	for _, key := range []string{"id", "under", "to"} {
		name := word(fields, key)
		if name == "" || key == "under" && api.FileIn(name) != "" {
			continue
		}
		n, err := a.Find(v, "propose", name)
		if err != nil {
			return err
		}
		if fields[key] = n.ID; key == "id" {
			p.Title, p.Path = cmp.Or(n.Title(), n.Path), n.Path
			if err := holdFor(p, v, n, fields); err != nil {
				return err
			}
		}
	}
	p.Request, err = json.Marshal(fields)
	return err
}

// holdFor ties a proposal to the present state of a note. Errors: Conflict, if its agent has read another version.
func holdFor(p *Proposal, v *view.View, n *node.Node, fields map[string]any) error {
	if base := word(fields, "base"); p.Original == nil && !slices.Contains([]string{"", n.Own.String(), n.Version.String()}, base) {
		err := fmt.Errorf("the node changed since it was read; it is now %s", n.Own)
		return &fault.Error{Op: "propose", What: n.ID, Kind: fault.Conflict, Theirs: recall.Readable(n), Err: err}
	}
	_, line := v.Position(n)
	p.Line = cmp.Or(p.Line, line)
	switch {
	case p.Op != api.OpEdit.Name:
		fields["base"] = n.Version.String()
	case setsOnly(fields, "append", "tag", "untag"): // in any state of the note
		delete(fields, "base")
	default:
		fields["base"], p.Parent, p.File = cmp.Or(word(fields, "base"), n.Own.String()), cmp.Or(p.Parent, n.Parent), cmp.Or(p.File, n.Path)
	}
	return nil
}

// word returns the string in a field, "" if there is none.
func word(fields map[string]any, key string) string {
	text, _ := fields[key].(string)
	return text
}

// setsOnly reports whether a request sets only some fields of a note.
func setsOnly(fields map[string]any, some ...string) bool {
	for key := range fields {
		if !slices.Contains(append(some, "id", "base", "allow_subheadings"), key) {
			return false
		}
	}
	return true
}

// inPlace returns the request of a proposal with the file that a new note was proposed for, and with the present lines of
// a note. Errors: Conflict for a note that was moved since.
func inPlace(ctx context.Context, a *api.Local, p *Proposal) (map[string]any, error) {
	fields, err := fieldsOf(p)
	if err != nil {
		return nil, err
	}
	v, err := a.View(ctx)
	if err != nil {
		return nil, err
	}
	under := word(fields, "under")
	if p.Op == api.OpRemember.Name && p.Path != "" && (under == "" || api.FileIn(under) != "") {
		fields["under"] = p.Path // not the file of the month in which it is accepted
	}
	n, there := v.Get(word(fields, "id"))
	if !there {
		return fields, nil
	}
	above := p.Parent
	if m, err := a.Memex.Scope(ctx, a.Memex.ScopeOfFile(n.Path)); err == nil && above != "" {
		above, _ = travel.CurrentID(ctx, travel.Of(m.History()), above) // a new title may have changed the id
	}
	if p.Parent != "" && (n.Parent != above || p.File != "" && n.Path != p.File) {
		return nil, fault.Errorf("review", p.ID, fault.Conflict, "the note was moved since this was proposed; it is now in %s", n.Path)
	}
	_, line := v.Position(n)
	for _, key := range []string{"check", "uncheck"} {
		lines, _ := fields[key].([]any)
		for i, at := range lines {
			if at, ok := at.(float64); ok {
				lines[i] = at + float64(line-p.Line)
			}
		}
	}
	return fields, nil
}

// foresee fills in, by a dry run, the file that a proposal would change and how, as far as the caller may see it. Errors:
// those of the proposal.
func foresee(ctx context.Context, a *api.Local, p *Proposal) error {
	v, err := a.View(ctx)
	if err != nil {
		return err
	}
	fields, err := fieldsOf(p)
	if err != nil {
		return err
	}
	done, err := carryOut(ctx, a, p, true)
	if err != nil && p.Change != "" {
		return err
	}
	var plan *history.Difference
	if err == nil {
		plan = done.Plan
	}
	n, there := v.Get(word(fields, "id"))
	if !there {
		n = &node.Node{Derived: &document.Derived{}} // a new note
	}
	p.Path = cmp.Or(n.Path, p.Path, api.FileIn(word(fields, "under")))
	texts, place := planned(p, n, fields, plan)
	if to, ok := v.Get(cmp.Or(word(fields, "to"), word(fields, "under"))); ok {
		p.Path, place = to.Path, cmp.Or(to.Title(), to.Path)+"  "+to.Path
	}
	if p.From = ""; n.Path != p.Path {
		p.From = n.Path
	}
	p.Change = changeOf(p.Op, fields, place, texts) + below(p.Op, v, n)
	return err
}

// planned returns the text of a note before and after a dry run, or without one according to the request, and the file
// that the note would be in.
func planned(p *Proposal, n *node.Node, fields map[string]any, plan *history.Difference) (texts [2]string, path string) {
	if texts = [2]string{n.Body(), n.Body()}; p.Op == api.OpForget.Name {
		texts[1] = ""
	} else if plan != nil {
		is := n.ID
		for _, e := range plan.Renamed {
			if e.Old == n.ID {
				is = e.New
			}
		}
		for was, now := range plan.All() {
			if now != nil && (now.ID == is || n.ID == "" && was == nil && now.Parent != "") {
				texts[1], p.Path = now.Body(), now.Path
			}
		}
	} else if texts[1] += word(fields, "append"); fields["body"] != nil {
		texts[1] = word(fields, "body")
	}
	return texts, p.Path
}

// below lists the notes below the one that a change removes or moves.
func below(op string, v *view.View, n *node.Node) string {
	var titles strings.Builder
	count := 0
	var list func(*node.Node, string)
	list = func(of *node.Node, indent string) {
		for _, id := range of.Kids {
			count++
			if kid, ok := v.Get(id); ok && !kid.Secret() {
				titles.WriteString(indent + kid.Title() + "\n")
				list(kid, indent+"  ")
			}
		}
	}
	if list(n, "  "); op == api.OpEdit.Name || count == 0 {
		return ""
	}
	return fmt.Sprintf("with %s below it:\n%s", scope.Count(count, "note"), titles.String())
}

// changeOf describes a change as a diff of the texts before and after, with the other fields that a request sets. place is
// where the note is put: the title and the path of a node, or a file.
func changeOf(op string, fields map[string]any, place string, texts [2]string) string {
	var b strings.Builder
	before, after := text.Side{Name: "now", Line: 1}, text.Side{Name: "proposed", Line: 1}
	b.WriteString(text.Unified(before, after, texts[0], texts[1]))
	if op == api.OpArchive.Name {
		fields["to"] = place
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case "id", "base", "body", "append":
		case "to", "under":
			fmt.Fprintf(&b, "%s: %s\n", key, place)
		default:
			fmt.Fprintf(&b, "%s: %s\n", key, onOneLine(fields[key]))
		}
	}
	return b.String()
}

// onOneLine returns a one-line text unchanged, and any other value as JSON.
func onOneLine(value any) string {
	if text, ok := value.(string); ok && text != "" && !strings.ContainsAny(text, "\r\n") {
		return text
	}
	text, _ := json.Marshal(value) // it was decoded from JSON
	return string(text)
}
