// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"slices"
	"strings"
)

// Body makes the body of a note inert. The error is that of StripRecalled.
func Body(body string) (string, error) {
	body, err := StripRecalled(body)
	if err != nil {
		return "", err
	}
	return Text(body), nil
}

// Properties makes the values of KEY=VALUE inert, and refuses keys but for those
// that are allowed, and values that cannot stand under their key.
func Properties(pairs []string, allowed ...string) ([]string, error) {
	var out []string
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if ok {
			value = Line(value)
			pair = key + "=" + value
		}
		if err := Property(key, value); err != nil && !slices.Contains(allowed, strings.ToUpper(key)) {
			return nil, err
		}
		out = append(out, pair)
	}
	return out, nil
}

// Settable refuses the key of a property that an agent cannot set, and so does not remove.
func Settable(key string) error { return Property(key, "") }

// Each returns the first error of a check.
func Each(texts []string, check func(string) error) error {
	for _, text := range texts {
		if err := check(text); err != nil {
			return err
		}
	}
	return nil
}
