// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"errors"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/inert"
)

// inertNote makes the text of an agent's note inert, see inert.Text.
func (t *trust) inertNote(r RememberRequest) (RememberRequest, error) {
	if t.g.Role == Keeper {
		return r, nil
	}
	r.Title = inert.Line(r.Title)
	var bodyErr, propertyErr error
	r.Body, bodyErr = inertBody(r.Body)
	r.Property, propertyErr = inertProperties(r.Property, "ID") // of a new note, where it is free
	err := errors.Join(checkEach(r.Tag, inert.Tag), inert.Date(r.Schedule), inert.Date(r.Deadline), bodyErr, propertyErr)
	if err != nil {
		return r, invalid("remember", err)
	}
	return r, nil
}

// inertEdit is inertNote for an edit.
func (t *trust) inertEdit(r EditRequest) (EditRequest, error) {
	if t.g.Role == Keeper {
		return r, nil
	}
	errs := []error{checkEach(r.Tag, inert.Tag), checkEach(r.RemoveProperty, settable), inert.Date(value(r.Schedule)), inert.Date(value(r.Deadline))}
	if r.AllowSubheadings {
		errs = append(errs, errors.New("an agent adds headlines one by one, with remember"))
	}
	if r.Title != nil {
		r.Title = new(inert.Line(*r.Title))
	}
	for _, text := range []**string{&r.Body, &r.Append} {
		if *text != nil {
			body, err := inertBody(**text)
			*text, errs = &body, append(errs, err)
		}
	}
	properties, err := inertProperties(r.Property)
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

func inertBody(body string) (string, error) {
	body, err := inert.StripRecalled(body)
	if err != nil {
		return "", err
	}
	return inert.Text(body), nil
}

// inertProperties makes the values of KEY=VALUE inert, and refuses keys but for those
// that are allowed, and values that cannot stand under their key.
func inertProperties(pairs []string, allowed ...string) ([]string, error) {
	var out []string
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if ok {
			value = inert.Line(value)
			pair = key + "=" + value
		}
		if err := inert.Property(key, value); err != nil && !slices.Contains(allowed, strings.ToUpper(key)) {
			return nil, err
		}
		out = append(out, pair)
	}
	return out, nil
}

// settable refuses the key of a property that an agent cannot set, and so does not remove.
func settable(key string) error { return inert.Property(key, "") }

// checkEach returns the first error of a check.
func checkEach(texts []string, check func(string) error) error {
	for _, text := range texts {
		if err := check(text); err != nil {
			return err
		}
	}
	return nil
}
