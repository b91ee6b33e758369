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
	if t.g.Verbatim {
		return r, nil
	}
	r.Title = inert.Line(r.Title)
	var errs [4]error
	r.Body, errs[0] = inertBody(r.Body)
	r.Property, errs[1] = inertProperties(r.Property, "ID") // of a new note, where it is free
	errs[2], errs[3] = inertDate(r.Schedule), inertDate(r.Deadline)
	if err := errors.Join(errs[:]...); err != nil {
		return r, invalid("remember", err)
	}
	return r, nil
}

// inertEdit is inertNote for an edit.
func (t *trust) inertEdit(r EditRequest) (EditRequest, error) {
	if t.g.Verbatim {
		return r, nil
	}
	errs := []error{inertKeys(r.RemoveProperty), inertDate(value(r.Schedule)), inertDate(value(r.Deadline))}
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
	body, err := inert.Unrecalled(body)
	if err != nil {
		return "", err
	}
	body = inert.Text(body)
	return body, inert.Check(body)
}

// inertProperties makes the values of KEY=VALUE inert, and refuses keys but for those
// that are allowed.
func inertProperties(pairs []string, allowed ...string) ([]string, error) {
	var out []string
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if err := inert.Property(key); err != nil && !slices.Contains(allowed, strings.ToUpper(key)) {
			return nil, err
		}
		if ok {
			pair = key + "=" + inert.Line(value)
		}
		out = append(out, pair)
	}
	return out, nil
}

func inertKeys(keys []string) error {
	for _, key := range keys {
		if err := inert.Property(key); err != nil {
			return err
		}
	}
	return nil
}

// inertDate refuses dates that are Lisp.
func inertDate(when string) error {
	if strings.Contains(when, "%%") {
		return errors.New("a date of an agent is no diary expression")
	}
	return nil
}
