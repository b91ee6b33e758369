// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/working"
)

// RecordAction adds an action of an agent to the log of its memex, which commits it later. O(hits).
func RecordAction(ctx context.Context, d api.Done) {
	if a, ok := ActionOf(d); ok {
		fovea.WindowsOf(d.Memex).Did(ctx, d.Session, d.Agent, a, d.Time)
	}
}

// isSilent reports whether an operation adds no block: windows have manifests, and others are about working memory
// itself, or read no notes.
func isSilent(op *api.Operation) bool {
	if op.Effect == api.Reads {
		return op.Name == "context" || op.Group != "read" && op.Group != "history"
	}
	return strings.HasPrefix(op.Name, "block-")
}

// maxTitles is the maximum number of hits that an action names.
const maxTitles = 5

// ActionOf returns the action of a call, false if it adds no block.
func ActionOf(d api.Done) (working.Action, bool) {
	if isSilent(d.Call.Op) {
		return working.Action{}, false
	}
	did := working.Action{Name: d.Call.Op.Name, Detail: field(d.Call.Request, "Text", "Query", "Named", "Title", "Event", "Subject")}
	switch a := d.Answer.(type) {
	case *api.Shown:
		return readAction(d, a), true
	case *ClaimResponse:
		return task(d, a.Task, hive.InProgress), true
	case *TaskChange:
		return task(d, a.Task, map[string]string{"task-done": hive.Done}[d.Call.Op.Name]), true
	case []api.Hit:
		did.Result = found(a, func(h *api.Hit) *api.Node { return &h.Node })
	case []api.Node:
		did.Result = found(a, func(n *api.Node) *api.Node { return n })
	case *api.EditResponse:
		did.Detail, did.Result = cmp.Or(did.Detail, title(d, a.ID, a.Path)), wrote(a)
	case *api.EventResponse:
		did.Result = a.Focus
	}
	return did, true
}

// field returns the first of some fields of a request that is a string and not empty.
func field(req any, names ...string) string {
	v := reflect.ValueOf(req)
	for _, name := range names {
		if f := v.FieldByName(name); f.IsValid() && f.Kind() == reflect.String && f.Len() > 0 {
			return f.String()
		}
	}
	return ""
}

// readAction returns the action of reading a node. For a file without notes its block has the path and the digest,
// for a note only the title, since memory has its text.
func readAction(d api.Done, s *api.Shown) working.Action {
	at := field(d.Call.Request, "At")
	n, ok := d.Memex.View().Get(s.ID)
	if ok && at == "" && n.Derived.Opaque && s.ContentBase64 == "" {
		return working.Action{Name: "read_file", Path: s.Path, Digest: merkle.SumText(s.Content).String(), Size: len(s.Content)}
	}
	return working.Action{Name: "read", Detail: strings.TrimSpace(cmp.Or(s.Title, s.Path, s.ID) + " " + at)}
}

// found returns the number of hits and the titles of the first ones.
func found[T any](all []T, node func(*T) *api.Node) string {
	titles := make([]string, 0, maxTitles)
	for i := range all[:min(len(all), maxTitles)] {
		n := node(&all[i])
		titles = append(titles, cmp.Or(n.Title, n.Path, n.ID))
	}
	return strings.TrimSuffix(fmt.Sprintf("%d found: %s", len(all), strings.Join(titles, "; ")), ": ")
}

// wrote returns where a note was written, or why not.
func wrote(e *api.EditResponse) string {
	switch {
	case e.Proposal != "":
		return "proposed to the owner"
	case e.Known:
		return "was known"
	}
	return e.Path
}

// task returns the action of changing a task.
func task(d api.Done, id, status string) working.Action {
	return working.Action{Name: "update_task", TaskID: id, Status: status, Detail: title(d, id, "")}
}

// title returns the title of a changed node, else its path or id.
func title(d api.Done, id, path string) string {
	if n, ok := d.Memex.View().Get(id); ok {
		return cmp.Or(n.Derived.Title, path, id)
	}
	return cmp.Or(path, id)
}
