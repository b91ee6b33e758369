// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// The states of a task.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Done       = "done"
)

// The properties that make a headline a task, and that name what it waits for.
const (
	keyTask      = "TASK"
	keyDependsOn = "DEPENDS_ON"
)

// inProgressWords are the keywords of tasks in progress; a claim sets the first that the file
// declares.
var inProgressWords = []string{"DOING", "IN-PROGRESS", "INPROGRESS", "NEXT", "STARTED"}

// Errors of tasks. Each is the cause of a *fault.Error.
var (
	ErrNoTask    = errors.New("no such task; a task is a headline with a keyword in tasks.org or below tasks/, or one with the property TASK")
	ErrDone      = errors.New("the task is done")
	ErrBlocked   = errors.New("the task waits for others")
	ErrCycle     = errors.New("the task waits for itself; change DEPENDS_ON of one of them")
	ErrHeld      = errors.New("the task is claimed")
	ErrClaim     = errors.New("that claim is not in force")
	errOvertaken = errors.New("another claim of the task was granted meanwhile; sync, release this one if you hold it, and claim it again")
	ErrLease     = fmt.Errorf("a lease is %v to %v long", MinLease, MaxLease)
)

// Bounds of leases.
const (
	MinLease = time.Second
	MaxLease = place.MaxLease
)

// Task is a headline that an agent can claim.
type Task struct {
	ID        string   `json:"id" jsonschema:"id of the task"`
	Title     string   `json:"title" jsonschema:"its headline"`
	Path      string   `json:"path" jsonschema:"path of its file below the memex"`
	Scope     string   `json:"scope" jsonschema:"memex or project/NAME"`
	Status    string   `json:"status" jsonschema:"pending, in_progress or done"`
	DependsOn []string `json:"depends_on,omitempty" jsonschema:"ids of the tasks that it waits for"`
	Blocked   []string `json:"blocked,omitempty" jsonschema:"ids of those that are not done, or not known"`
	Claim     Claim    `json:"claim,omitzero" jsonschema:"absent if nobody holds the task"`
}

// Claim is a claim in force.
type Claim struct {
	By          string    `json:"by" jsonschema:"an agent, or owner"`
	Number      uint64    `json:"number" jsonschema:"greater than that of every earlier claim of the task"`
	Until       time.Time `json:"until" jsonschema:"when the lease ends"`
	Granted     bool      `json:"granted,omitempty" jsonschema:"the servers keep other machines from claiming the task"`
	Provisional string    `json:"provisional,omitempty" jsonschema:"only of a new claim: why another machine may also hold the task; absent if none can"`
}

// IsZero reports whether nobody holds the task.
func (c Claim) IsZero() bool { return c == Claim{} }

// Filter selects tasks. Its zero value selects those that are not done.
type Filter struct {
	Status string `json:"status,omitempty" jsonschema:"only these: pending, in_progress or done" flag:"WORD"`
	All    bool   `json:"all,omitempty" jsonschema:"also done tasks" flag:""`
	Holder string `json:"holder,omitempty" jsonschema:"only tasks that this agent holds" flag:"NAME"`
	Free   bool   `json:"free,omitempty" jsonschema:"only tasks that can be claimed now" flag:""`
}

// admits reports whether the filter selects a task.
func (f Filter) admits(t *Task) bool {
	switch {
	case f.Status != "" && t.Status != f.Status, f.Status == "" && !f.All && t.Status == Done:
		return false
	case f.Holder != "" && t.Claim.By != f.Holder:
		return false
	}
	return !f.Free || t.Status != Done && t.Claim.IsZero() && len(t.Blocked) == 0
}

// Tasks lists the tasks of the scope, ordered by file and place. O(documents + nodes of documents
// with tasks).
func (h *Hive) Tasks(ctx context.Context, f Filter) []Task {
	v, now := h.scope.View(), h.clock.now(h.scope, false)
	nodes, _ := v.Query(taskProperties, 0, time.Time{}) // this query is always valid
	paths := map[string]bool{}
	for _, n := range nodes {
		paths[n.Path] = true
	}
	for _, path := range v.Paths() {
		if isOfTasks(path) && v.CopyOf(path) == "" {
			paths[path] = true
		}
	}
	var out []Task
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for n := range v.Document(path) {
			if !isTask(n) {
				continue
			}
			if t := taskOf(ctx, h.scope, n, now); f.admits(&t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// taskProperties finds the headlines that a property makes tasks.
var taskProperties = query.Or{Of: []query.Expr{
	query.Pred{Name: "property", Args: []string{keyTask}}, query.Pred{Name: "property", Args: []string{document.ClaimKey}},
}}

// isOfTasks reports whether every headline with a keyword in a file is a task.
func isOfTasks(path string) bool { return path == "tasks.org" || strings.HasPrefix(path, "tasks/") }

// isTask reports whether a node is a task.
func isTask(n *node.Node) bool {
	d := n.Derived
	if n.Type != document.TypeHeadline || document.IsMemory(n.Path) || d.Encrypted {
		return false
	}
	if d.Todo != "" && isOfTasks(n.Path) {
		return true
	}
	return slices.ContainsFunc(d.Properties, func(p document.Property) bool {
		return strings.EqualFold(p.Key, keyTask) || strings.EqualFold(p.Key, document.ClaimKey)
	})
}

// taskOf reads a task at a time.
func taskOf(ctx context.Context, s *scope.Scope, n *node.Node, now int64) Task {
	t := Task{
		ID: n.ID, Title: n.Derived.Title, Path: n.Path, Scope: s.Name, Status: Pending,
		DependsOn: dependencies(n), Claim: claimOf(n, now),
	}
	for _, id := range t.DependsOn {
		if other := find(ctx, s, s.Present(), id); other == nil || !other.Derived.Done {
			t.Blocked = append(t.Blocked, id)
		}
	}
	switch {
	case n.Derived.Done:
		t.Status, t.Claim = Done, Claim{}
	case !t.Claim.IsZero(), slices.Contains(inProgressWords, n.Derived.Todo) && n.Derived.Last(document.ClaimedBy) == "":
		t.Status = InProgress // a claim that has ended leaves its keyword behind
	}
	return t
}

// claimOf returns the claim of a task that is in force at a time. It ignores a lease longer than
// MaxLease, because no claim can have made it.
func claimOf(n *node.Node, now int64) Claim {
	c := writtenClaim(n.Derived)
	if end := c.Until.UnixMilli(); c.By == "" || c.Number == 0 || end <= now || end > now+MaxLease.Milliseconds() {
		return Claim{}
	}
	return c
}

// writtenClaim returns the claim in a drawer, whether or not it is in force.
func writtenClaim(d *document.Derived) Claim {
	until, err := time.Parse(stampForm, d.Last(document.LeaseUntil))
	if err != nil {
		return Claim{}
	}
	return Claim{By: d.Last(document.ClaimedBy), Number: document.ClaimNumber(d.Last(document.ClaimKey)), Until: until,
		Granted: d.Last(document.ClaimGranted) == "t"}
}

// dependencies returns the ids of a task that must be done before it.
func dependencies(n *node.Node) []string {
	var ids []string
	for _, value := range n.Derived.Property(keyDependsOn) {
		for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }) {
			word = strings.TrimSuffix(strings.TrimPrefix(word, "[["), "]]")
			if word = strings.TrimPrefix(word, "id:"); word != "" && !slices.Contains(ids, word) {
				ids = append(ids, word)
			}
		}
	}
	return ids
}

// find returns a node of this scope in the given state, of the memex, or of an open project that
// the caller may name; nil for none.
func find(ctx context.Context, s *scope.Scope, state *graph.State, id string) *node.Node {
	if n, ok := state.Get(id); ok {
		return n
	}
	for _, other := range scope.Reached(ctx, s) {
		if n, ok := other.Present().Get(id); ok {
			return n
		}
	}
	return nil
}

// maxDependencies is the maximum number of tasks that a claim checks.
const maxDependencies = 10_000

// ready returns an error if a task cannot be claimed because it waits for itself or for others.
func ready(ctx context.Context, s *scope.Scope, state *graph.State, n *node.Node) error {
	way, seen := []string{n.ID}, map[string]bool{}
	var visit func(*node.Node) error
	visit = func(at *node.Node) error {
		for _, id := range dependencies(at) {
			next := find(ctx, s, state, id)
			switch {
			case id == n.ID || next != nil && next.ID == n.ID:
				return fmt.Errorf("%w: %s", ErrCycle, strings.Join(append(way, n.ID), " waits for "))
			case next == nil || next.Derived.Done || seen[next.ID] || len(seen) == maxDependencies:
				continue
			}
			seen[next.ID], way = true, append(way, next.ID)
			if err := visit(next); err != nil {
				return err
			}
			way = way[:len(way)-1]
		}
		return nil
	}
	if err := visit(n); err != nil {
		return err
	}
	var open []string
	for _, id := range dependencies(n) {
		if other := find(ctx, s, state, id); other == nil {
			open = append(open, id+" (there is no such note: correct DEPENDS_ON)")
		} else if !other.Derived.Done {
			open = append(open, id)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%w: %s", ErrBlocked, scope.Abbreviate(open, ""))
	}
	return nil
}

// holder returns the nearest task at or above a node that somebody holds, nil for none.
func holder(state *graph.State, n *node.Node, now int64) (*node.Node, Claim) {
	for n != nil {
		if isTask(n) && !n.Derived.Done {
			if c := claimOf(n, now); !c.IsZero() {
				return n, c
			}
		}
		up, ok := state.Get(n.Parent)
		if !ok {
			break
		}
		n = up
	}
	return nil, Claim{}
}
