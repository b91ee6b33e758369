// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/inert"
)

// tasks are the places that every agent may write.
var tasks = []string{"tasks.org", "tasks/"}

// writable refuses a path that the agent may not write.
func (t *judge) writable(ctx context.Context, file string) error {
	switch is, err := api.OpProtected.Call(ctx, t.svc, api.FileRequest{Path: file}); {
	case err != nil:
		return err
	case is:
		return t.denied(file, "is protected; only the owner writes it")
	}
	if t.isReviewed(file) {
		t.reviewed = true
		return nil
	}
	if err := t.mayWrite(file); err != nil {
		return t.denied(file, "%w", err)
	}
	return nil
}

// mayWrite returns why the agent may not change a file, nil if it may. It does not check protected files.
func (t *judge) mayWrite(file string) error {
	if t.isReviewed(file) {
		return errReviewed
	}
	if within(file, slices.Concat([]string{t.folder()}, tasks, t.g.Paths)) {
		return nil
	}
	if t.isGranted() {
		return nil
	}
	return fmt.Errorf("agent %s writes below %s and in tasks; the owner can grant more in the configuration: [grants.%s] paths = [%q]",
		t.g.Agent, t.folder(), t.g.Agent, file)
}

// within reports whether a file is one of some places, or in one: files, and folders with a slash at the end.
func within(file string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		return file == place || strings.HasSuffix(place, "/") && strings.HasPrefix(file, place)
	})
}

func (t *judge) folder() string { return "agents/" + t.g.Agent + "/" }

// nodes finds the node of each name and refuses one that the agent may not write. It returns the first node.
func (t *judge) nodes(ctx context.Context, names ...string) (first *api.Shown, err error) {
	for _, name := range names {
		if name == "" && first != nil {
			continue
		}
		n, err := api.OpShow.Call(ctx, t.svc, api.ShowRequest{ID: name})
		if err != nil {
			return nil, api.Named(err, t.op.Name)
		}
		if err := t.writable(ctx, n.Path); err != nil {
			return nil, err
		}
		first = cmp.Or(first, n)
	}
	return first, nil
}

// admitNote checks the place of a note; the default is the agent's folder.
func admitNote(ctx context.Context, t *judge, r api.RememberRequest) (api.RememberRequest, error) {
	r.Under = cmp.Or(r.Under, t.folder())
	r, err := t.inertNote(r)
	if err != nil {
		return r, err
	}
	file := api.FileIn(strings.TrimPrefix(r.Under, "./"))
	if file == "" {
		n, err := t.nodes(ctx, r.Under)
		if err == nil {
			err = t.noMessage(n.Path)
		}
		return r, err
	}
	r.Under = strings.TrimPrefix(r.Under, "./")
	if plain := strings.TrimSuffix(r.Under, "/"); path.IsAbs(plain) || path.Clean(plain) != plain {
		return r, t.denied(r.Under, "write the path below the memex, without . and ..")
	}
	if inert.Line(r.Under) != r.Under { // Org copies file names into files: clock tables, archives, links
		return r, fault.Invalidf(t.op.Name,
			"the path %q has text that would act in Emacs, or is not seen; name the file with letters, digits, - and _", r.Under)
	}
	if err := t.writable(ctx, file); err != nil || strings.HasSuffix(r.Under, "/") { // a folder: the file of the month
		return r, err
	}
	return r, t.noMessage(file)
}

// noMessage refuses text of an agent in an inbox: readers would take it for text by the sender in the headline.
func (t *judge) noMessage(file string) error {
	if !hive.IsInbox(file) || t.isGranted() {
		return nil
	}
	return t.denied(file, "is an inbox: messages are put there when they are sent, and do not change")
}

func admitEdit(ctx context.Context, t *judge, r api.EditRequest) (api.EditRequest, error) {
	n, err := t.nodes(ctx, r.ID)
	if err == nil && (r.Title != nil || r.Body != nil || r.Append != nil || len(r.Property)+len(r.RemoveProperty) > 0) {
		err = t.noMessage(n.Path) // keywords, tags and dates belong to the receiver
	}
	if err != nil {
		return r, err
	}
	return t.inertEdit(r, n.Content)
}

func admitResolve(ctx context.Context, t *judge, r api.ResolveRequest) (api.ResolveRequest, error) {
	_, err := t.nodes(ctx, r.ID)
	return r, err
}

func admitMove(ctx context.Context, t *judge, r api.MoveRequest) (api.MoveRequest, error) {
	if _, err := t.nodes(ctx, r.ID); err != nil || r.To == "" {
		return r, err
	}
	to, err := t.nodes(ctx, r.To)
	if err == nil {
		err = t.noMessage(to.Path)
	}
	return r, err
}

// admitForget lets an agent forget what it alone wrote, and a keeper everything in its folder.
func admitForget(ctx context.Context, t *judge, r api.MoveRequest) (api.MoveRequest, error) {
	n, err := t.nodes(ctx, r.ID, r.To)
	if err != nil || t.reviewed || t.isGranted() || t.g.Role == api.Keeper && strings.HasPrefix(n.Path, t.folder()) {
		return r, err
	}
	return r, t.own(ctx, n)
}

func admitAssign(ctx context.Context, t *judge, r api.AssignRequest) (api.AssignRequest, error) {
	if r.List {
		return r, nil
	}
	if r.All {
		return r, t.granted()
	}
	_, err := t.nodes(ctx, r.IDs...)
	return r, err
}

// admitMessage lets an agent send to known receivers: only the owner may vouch for another one.
func admitMessage(_ context.Context, _ *judge, r MessageSendRequest) (MessageSendRequest, error) {
	r.Known = false
	return r, nil
}

// admitCheckpoint lets an agent keep a state on this machine. IPFS needs a grant; without one it is refused if the request
// names it, else left out and reported in the answer.
func admitCheckpoint(_ context.Context, t *judge, r api.CheckpointRequest) (api.CheckpointRequest, error) {
	err := t.granted()
	if err == nil || r.To == api.PlaceIPFS {
		return r, err
	}
	r.Withheld = err.Error()
	return r, nil
}

// inertNote makes the text of an agent's note inert, see inert.Text.
func (t *judge) inertNote(r api.RememberRequest) (api.RememberRequest, error) {
	if t.g.Role == api.Keeper {
		return r, nil
	}
	r.Title = inert.Line(r.Title)
	var bodyErr, propertyErr error
	r.Body, bodyErr = inert.Body(r.Body)
	r.Property, propertyErr = inert.Properties(r.Property, "ID") // allowed in a new note
	err := errors.Join(inert.Each(r.Tag, inert.Tag), inert.Date(r.Schedule), inert.Date(r.Deadline), bodyErr, propertyErr)
	if err != nil {
		return r, fault.Wrap("remember", "", fault.Invalid, err)
	}
	return r, nil
}

// inertEdit is inertNote for an edit; now is the note's own text.
func (t *judge) inertEdit(r api.EditRequest, now string) (api.EditRequest, error) {
	if t.g.Role == api.Keeper {
		return r, nil
	}
	removable := func(key string) error { return inert.Property(key, "") } // those that an agent may set
	errs := []error{inert.Each(r.Tag, inert.Tag), inert.Each(r.RemoveProperty, removable)}
	for _, date := range []*string{r.Schedule, r.Deadline} {
		errs = append(errs, inert.Date(*cmp.Or(date, new(string))))
	}
	if r.AllowSubheadings {
		errs = append(errs, errors.New("an agent adds headlines one by one, with remember"))
	}
	if r.Title != nil {
		r.Title = new(inert.Line(*r.Title))
	}
	if r.Body != nil {
		body, err := inert.Revision(now, *r.Body)
		r.Body, errs = &body, append(errs, err)
	}
	if r.Append != nil {
		text, err := inert.Body(*r.Append)
		r.Append, errs = &text, append(errs, err)
	}
	properties, err := inert.Properties(r.Property)
	if err := errors.Join(append(errs, err)...); err != nil {
		return r, fault.Wrap("edit", "", fault.Invalid, err)
	}
	r.Property = properties
	return r, nil
}
