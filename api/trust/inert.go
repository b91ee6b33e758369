// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package trust

import (
	"errors"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/inert"
)

// inertNote makes the text of an agent's note inert, see inert.Text.
func (t *judge) inertNote(r api.RememberRequest) (api.RememberRequest, error) {
	if t.g.Role == api.Keeper {
		return r, nil
	}
	r.Title = inert.Line(r.Title)
	var bodyErr, propertyErr error
	r.Body, bodyErr = inert.Body(r.Body)
	r.Property, propertyErr = inert.Properties(r.Property, "ID") // of a new note, where it is free
	err := errors.Join(inert.Each(r.Tag, inert.Tag), inert.Date(r.Schedule), inert.Date(r.Deadline), bodyErr, propertyErr)
	if err != nil {
		return r, invalid("remember", err)
	}
	return r, nil
}

// inertEdit is inertNote for an edit of a note with the own text now.
func (t *judge) inertEdit(r api.EditRequest, now string) (api.EditRequest, error) {
	if t.g.Role == api.Keeper {
		return r, nil
	}
	errs := []error{inert.Each(r.Tag, inert.Tag), inert.Each(r.RemoveProperty, inert.Settable), inert.Date(value(r.Schedule)), inert.Date(value(r.Deadline))}
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
		return r, invalid("edit", err)
	}
	r.Property = properties
	return r, nil
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
