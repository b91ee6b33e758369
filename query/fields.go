// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
)

func todoTest(args []string) (test, *argError) {
	if len(args) == 0 {
		return func(c Candidate) bool { return c.Todo() != "" && !c.Done() }, nil
	}
	return equalsAny(Candidate.Todo)(args)
}

func categoryTest(args []string) (test, *argError) {
	if len(args) == 0 {
		return func(c Candidate) bool { return c.Category() != "" }, nil
	}
	return equalsAny(Candidate.Category)(args)
}

func isHabit(c Candidate) bool { return slices.Contains(c.Property("STYLE"), "habit") }

func hashTest(args []string) (test, *argError) {
	if err := requireArgs(args); err != nil {
		return nil, err
	}
	return func(c Candidate) bool { return slices.ContainsFunc(args, c.HasDigest) }, nil
}

// propertyTest takes the key from the first argument and the values from the text after
// its equals sign and from the other arguments.
func propertyTest(args []string) (test, *argError) {
	if err := requireArgs(args); err != nil {
		return nil, err
	}
	key, value, hasValue := strings.Cut(args[0], "=")
	if key == "" {
		return nil, &argError{0, "the property has no key", "write property:KEY or property:KEY=VALUE"}
	}
	var values []string
	if hasValue {
		values = append(values, value)
	}
	field := Candidate.Property
	for i, arg := range args[1:] {
		option, value, ok := option(arg, "inherit")
		if !ok {
			values = append(values, arg)
			continue
		}
		on, err := parseBool(i+1, option, value)
		if err != nil {
			return nil, err
		}
		if on {
			field = Candidate.InheritedProperty
		}
	}
	return func(c Candidate) bool {
		have := field(c, key)
		if len(values) == 0 {
			return len(have) > 0
		}
		return slices.ContainsFunc(have, func(v string) bool { return slices.Contains(values, v) })
	}, nil
}
