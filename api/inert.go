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
	errs := []error{inertTags(r.Tag), inert.Date(r.Schedule), inert.Date(r.Deadline)}
	var of [2]error
	r.Body, of[0] = inertBody(r.Body)
	r.Property, of[1] = inertProperties(r.Property, "ID") // of a new note, where it is free
	if err := errors.Join(append(errs, of[:]...)...); err != nil {
		return r, invalid("remember", err)
	}
	return r, nil
}

// inertEdit is inertNote for an edit.
func (t *trust) inertEdit(r EditRequest) (EditRequest, error) {
	if t.g.Role == Keeper {
		return r, nil
	}
	errs := []error{inertTags(r.Tag), inertKeys(r.RemoveProperty), inert.Date(value(r.Schedule)), inert.Date(value(r.Deadline))}
	if r.AllowSubheadings {
		errs = append(errs, errors.New("an agent adds headlines one by one, with remember"))
	}
	if r.Title != nil {
		title := inert.Line(*r.Title)
		r.Title = &title
	}
	for _, text := range []**string{&r.Body, &r.Append} {
		if *text != nil {
			body, err := inertBody(**text)
			*text, errs = &body, append(errs, err)
		}
	}
	properties, err := inertProperties(r.Property)
	if r.Property = properties; errors.Join(append(errs, err)...) != nil {
		return r, invalid("edit", errors.Join(append(errs, err)...))
	}
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

// inertKeys refuses to take away what an agent could not have set.
func inertKeys(keys []string) error {
	for _, key := range keys {
		if err := inert.Property(key, ""); err != nil {
			return err
		}
	}
	return nil
}

func inertTags(tags []string) error {
	for _, tag := range tags {
		if err := inert.Tag(tag); err != nil {
			return err
		}
	}
	return nil
}
