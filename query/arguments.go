// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
)

// needArgs complains about an empty list, and about an empty argument.
func requireArgs(args []string) *argError {
	if len(args) == 0 {
		return &argError{-1, "an argument is missing", "write it right behind the colon; quote text that holds a blank, a parenthesis or |"}
	}
	return rejectEmptyArgs(args)
}

func rejectEmptyArgs(args []string) *argError {
	if i := slices.Index(args, ""); i >= 0 {
		return &argError{i, "an argument is empty", "remove the comma or the quotes, or write the argument"}
	}
	return nil
}

// without is for predicates that take no arguments.
func noArgs(is func(Candidate) bool) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if len(args) > 0 {
			return nil, &argError{0, "this predicate takes no argument", "end it with the colon"}
		}
		return is, nil
	}
}

// equalAny is for predicates that compare one field with each argument.
func equalsAny(field func(Candidate) string) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := requireArgs(args); err != nil {
			return nil, err
		}
		return func(c Candidate) bool { return slices.Contains(args, field(c)) }, nil
	}
}

// option reads an argument of the form KEY=VALUE with one of the given keys.
func option(arg string, keys ...string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(arg, "=")
	return key, value, ok && slices.Contains(keys, key)
}

// truth reads the value of an option that is on or off.
func parseBool(value string) (on, ok bool) {
	switch value {
	case "t", "true", "yes":
		return true, true
	case "nil", "false", "no":
		return false, true
	}
	return false, false
}

// badTruth is the error for an option that is neither on nor off.
func badBool(index int, key string) *argError {
	return &argError{index, key + " is t or nil", "write " + key + "=t, or leave it out"}
}
