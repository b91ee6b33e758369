// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
)

// requireArgs rejects an empty argument list and empty arguments.
func requireArgs(args []string) *argError {
	if len(args) == 0 {
		return &argError{-1, "an argument is missing", "write it directly after the colon; quote text with a blank, a parenthesis or |"}
	}
	return rejectEmptyArgs(args)
}

func rejectEmptyArgs(args []string) *argError {
	if i := slices.Index(args, ""); i >= 0 {
		return &argError{i, "an argument is empty", "remove the comma or the quotes, or write the argument"}
	}
	return nil
}

// noArgs builds the test of a predicate without arguments.
func noArgs(is func(Candidate) bool) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if len(args) > 0 {
			return nil, &argError{0, "this predicate takes no argument", "end it with the colon"}
		}
		return is, nil
	}
}

// equalsAny builds the test of a predicate that compares one field with each argument.
func equalsAny(field func(Candidate) string) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := requireArgs(args); err != nil {
			return nil, err
		}
		return func(c Candidate) bool { return slices.Contains(args, field(c)) }, nil
	}
}

// option parses an argument of the form KEY=VALUE with one of the given keys.
func option(arg string, keys ...string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(arg, "=")
	return key, value, ok && slices.Contains(keys, key)
}

// parseBool parses the value of a boolean option, the argument at an index.
func parseBool(index int, key, value string) (on bool, err *argError) {
	switch value {
	case "t", "true", "yes":
		return true, nil
	case "nil", "false", "no":
		return false, nil
	}
	return false, &argError{index, key + " must be t or nil", "write " + key + "=t, or leave it out"}
}
