// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/guard"
)

// Role is what a caller is to a memex.
type Role string

// The roles. A role that is none of these may do nothing.
const (
	Owner  Role = "owner"  // the person: everything
	Agent  Role = "agent"  // reads all, writes what is its own
	Reader Role = "reader" // reads all
)

// Grant says who calls and what that caller may do.
type Grant struct {
	Agent string // who; "" is the person
	Role  Role
	// Paths are files and folders (with a slash at the end) below the memex that
	// an agent may write besides its own.
	Paths []string
	// Operations are those that an agent may use on anything that is not
	// protected, by name.
	Operations []string
	// Scopes are the projects and sessions that a request may name, such as
	// project/river or session/*; nil is any.
	Scopes []string
	// Vouched is set where a token says who calls; otherwise the caller does.
	Vouched bool
	// Verbatim leaves the agent's text as it is: a program of Fovea itself wrote it.
	Verbatim bool
	// Protected reports whether no agent may write a path, whatever it is
	// granted: Memory.Protected. nil asks the service for its policy.
	Protected func(path string) bool `json:"-"`
}

// tasks are the places that every agent may write.
var tasks = []string{"tasks.org", "tasks/"}

// mostForgotten bounds how many nodes one forget of an agent may take.
const mostForgotten = 1000

// Trusted returns a Service that lets pass what the grant allows and answers
// anything else with an error of kind Denied. An agent writes below
// agents/NAME/ and in tasks, which is also where Remember without a place writes;
// forgets what it alone has written, rolls back what it alone has done since, and
// reverts its own commits where nobody has built on them.
func Trusted(svc Service, g Grant) Service {
	if g.Role == Owner {
		return svc
	}
	return Through(func(ctx context.Context, op *Operation, req any) (any, error) {
		t := &trust{svc, g}
		admitted, err := t.admit(ctx, op, req)
		if err == nil {
			return op.Pass(ctx, svc, admitted)
		}
		if before, ok := svc.(recalling); ok { // the node may have left with what was asked for
			if answer, done, againErr := before.again(ctx, op, req); done {
				return answer, againErr
			}
		}
		return nil, err
	})
}

type trust struct {
	svc Service
	g   Grant
}

// admit returns the request as it may go on, or why it may not. An operation that
// it does not know of is refused.
func (t *trust) admit(ctx context.Context, op *Operation, req any) (any, error) {
	switch t.g.Role {
	case Agent, Reader:
	default:
		return nil, t.denied(op.Name, "", "role %q is none", t.g.Role)
	}
	if err := t.scoped(ctx, op.Name); err != nil {
		return nil, err
	}
	if op.Effect == Reads {
		return req, nil
	}
	if t.g.Role == Reader {
		return nil, t.denied(op.Name, "", "a reader changes nothing")
	}
	if !safeName(t.g.Agent) {
		return nil, t.denied(op.Name, "", "%q is no name for an agent's folder; use letters, digits, - and _", t.g.Agent)
	}
	switch r := req.(type) {
	case SnapshotRequest, CheckpointRequest, TriggerRequest:
		return req, nil
	case EditRequest:
		if _, err := t.node(ctx, op.Name, r.ID); err != nil {
			return req, err
		}
		return t.inertEdit(r)
	case ResolveRequest:
		_, err := t.node(ctx, op.Name, r.ID)
		return req, err
	case RememberRequest:
		return t.remember(ctx, op.Name, r)
	case MoveRequest:
		return req, t.move(ctx, op.Name, r)
	case AssignRequest:
		return req, t.assign(ctx, op.Name, r)
	case RollbackRequest:
		return t.rollback(ctx, op.Name, r)
	case RevertRequest:
		return t.revert(ctx, op.Name, r)
	case IngestRequest:
		if !r.AcceptDeletions {
			return req, nil
		}
	}
	return req, t.granted(op.Name)
}

// scoped refuses scopes that the grant is not for.
func (t *trust) scoped(ctx context.Context, op string) error {
	for _, name := range ScopesOf(ctx).names() {
		kind, _, _ := strings.Cut(name, "/")
		if t.g.Scopes != nil && !slices.Contains(t.g.Scopes, name) && !slices.Contains(t.g.Scopes, kind+"/*") {
			return t.denied(op, name, "is none of the scopes of this token; a person can make one that is for it")
		}
	}
	return nil
}

// granted refuses an operation unless the configuration grants it.
func (t *trust) granted(op string) error {
	if slices.Contains(t.g.Operations, op) {
		return nil
	}
	return t.denied(op, "", "agent %s may not; a person can grant it in the configuration", t.g.Agent)
}

func (t *trust) denied(op, what, format string, a ...any) error {
	return &fovea.Error{Op: op, What: what, Kind: fovea.Denied, Err: fmt.Errorf(format, a...)}
}

// writable refuses a path that the agent may not write.
func (t *trust) writable(ctx context.Context, op, file string) error {
	switch is, err := t.protected(ctx, file); {
	case err != nil:
		return err
	case is:
		return t.denied(op, file, "is protected; only the person writes it")
	}
	places := append([]string{t.folder()}, tasks...)
	for _, place := range append(places, t.g.Paths...) {
		if file == place || strings.HasSuffix(place, "/") && strings.HasPrefix(file, place) {
			return nil
		}
	}
	if slices.Contains(t.g.Operations, op) {
		return nil
	}
	return t.denied(op, file, "agent %s writes below %s and in tasks; a person can grant more in the configuration", t.g.Agent, t.folder())
}

func (t *trust) folder() string { return "agents/" + t.g.Agent + "/" }

// node finds what a focus names and refuses it unless the agent may write there.
func (t *trust) node(ctx context.Context, op, focus string) (*Shown, error) {
	n, err := t.svc.Show(ctx, ShowRequest{ID: focus})
	if err != nil {
		return nil, named(err, op, "-", "")
	}
	return n, t.writable(ctx, op, n.Path)
}

// remember sees to the place; without one it is the agent's folder.
func (t *trust) remember(ctx context.Context, op string, r RememberRequest) (any, error) {
	r.Under = orElse(r.Under, t.folder())
	r, err := t.inertNote(r)
	if err != nil {
		return r, err
	}
	file := fileIn(strings.TrimPrefix(r.Under, "./"))
	if file == "" {
		_, err := t.node(ctx, op, r.Under)
		return r, err
	}
	r.Under = strings.TrimPrefix(r.Under, "./")
	if plain := strings.TrimSuffix(r.Under, "/"); path.IsAbs(plain) || path.Clean(plain) != plain {
		return r, t.denied(op, r.Under, "write the path below the memex, without . and ..")
	}
	return r, t.writable(ctx, op, file)
}

func (t *trust) move(ctx context.Context, op string, r MoveRequest) error {
	n, err := t.node(ctx, op, r.ID)
	if err != nil {
		return err
	}
	if r.To != "" {
		if _, err := t.node(ctx, op, r.To); err != nil {
			return err
		}
	}
	if op != "forget" || slices.Contains(t.g.Operations, op) {
		return nil
	}
	return t.own(ctx, op, n)
}

// own refuses a node unless the agent alone has written it and all below it.
func (t *trust) own(ctx context.Context, op string, n *Shown) error {
	rest := []string{n.ID}
	for i := 0; i < len(rest); i++ {
		if i == mostForgotten {
			return t.denied(op, n.ID, "it holds more than %d nodes; forget parts of it", mostForgotten)
		}
		log, err := t.svc.Log(ctx, LogRequest{ID: rest[i]})
		if err != nil {
			return err
		}
		if err := t.alone(op, log); err != nil {
			return err
		}
		below, err := t.svc.Show(ctx, ShowRequest{ID: rest[i]})
		if err != nil {
			return err
		}
		rest = append(rest, below.Children...)
	}
	return nil
}

// alone refuses commits that somebody else has made.
func (t *trust) alone(op string, log []Commit) error {
	for _, c := range log {
		if c.Author != t.g.Agent {
			return t.denied(op, fmt.Sprintf("commit %d", c.Seq), "is by %s; agent %s takes back only what it has done", c.Author, t.g.Agent)
		}
	}
	return nil
}

func (t *trust) assign(ctx context.Context, op string, r AssignRequest) error {
	if r.List {
		return nil
	}
	if r.All {
		return t.granted(op)
	}
	for _, id := range r.IDs {
		if _, err := t.node(ctx, op, id); err != nil {
			return err
		}
	}
	return nil
}

// rollback lets an agent take back what it alone has done since a snapshot or a
// commit number. The request then holds only while nobody else commits.
func (t *trust) rollback(ctx context.Context, op string, r RollbackRequest) (any, error) {
	if slices.Contains(t.g.Operations, op) {
		return r, nil
	}
	newest, err := t.svc.Log(ctx, LogRequest{Limit: 1})
	if err != nil || len(newest) == 0 {
		return r, err
	}
	to, err := t.moment(ctx, op, orElse(r.To, "0"))
	if err != nil {
		return r, err
	}
	r.Head = newest[0].Seq
	if to < r.Head {
		log, err := t.svc.Log(ctx, LogRequest{Limit: int(r.Head - to)})
		if err != nil {
			return r, err
		}
		log = slices.DeleteFunc(log, func(c Commit) bool { return c.Seq <= to || c.Seq > r.Head })
		if err := t.alone(op, log); err != nil {
			return r, err
		}
	}
	r.To = "seq:" + strconv.FormatUint(to, 10)
	return r, nil
}

// moment finds the number of the commit that a snapshot holds.
func (t *trust) moment(ctx context.Context, op, name string) (uint64, error) {
	if number, ok := strings.CutPrefix(name, "seq:"); ok {
		if seq, err := strconv.ParseUint(number, 10, 63); err == nil {
			return seq, nil
		}
	}
	list, err := t.svc.Snapshots(ctx)
	if err != nil {
		return 0, err
	}
	for _, s := range list {
		if strconv.Itoa(s.Index) == name || s.Name != "" && s.Name == name {
			return s.Seq, nil
		}
	}
	return 0, t.denied(op, name, "an agent names a snapshot, or seq: and the number of a commit")
}

// protected reports whether the memory behind the service protects a path. Where
// the grant does not say, the service is asked, once.
func (t *trust) protected(ctx context.Context, file string) (bool, error) {
	if t.g.Protected == nil {
		p, err := t.svc.Guard(ctx)
		if err != nil {
			return false, err
		}
		policy := guard.ParsePolicy(strings.Join(p.Policy, "\n") + "\n")
		t.g.Protected = func(path string) bool { return policy.Mode(path) != guard.Trusted }
	}
	return t.g.Protected(file), nil
}

// safeName reports whether a name can be a folder's.
func safeName(name string) bool {
	return name != "" && len(name) <= 100 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
