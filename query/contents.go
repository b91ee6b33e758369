// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
)

// linkTest requires one link that satisfies all arguments.
func linkTest(args []string) (test, *argError) {
	if err := rejectEmptyArgs(args); err != nil {
		return nil, err
	}
	newMatcher := newPhrase
	for i, arg := range args {
		if key, value, ok := option(arg, "regexp-p"); ok {
			on, err := parseBool(i, key, value)
			if err != nil {
				return nil, err
			}
			if on {
				newMatcher = lineRegexp
			}
		}
	}
	var conditions []func(Link) bool
	for i, arg := range args {
		key, value, ok := option(arg, "target", "description", "regexp-p")
		if !ok {
			key, value = "", arg
		}
		if key == "regexp-p" {
			continue
		}
		if value == "" {
			return nil, rejectEmptyArgs([]string{""}).withIndex(i)
		}
		f, err := newMatcher(value)
		if err != nil {
			return nil, badPattern(i, value, err)
		}
		conditions = append(conditions, func(l Link) bool {
			return key != "description" && f.MatchString(l.Target) || key != "target" && f.MatchString(l.Description)
		})
	}
	return func(c Candidate) bool {
		return slices.ContainsFunc(c.Links(), func(l Link) bool {
			return !slices.ContainsFunc(conditions, func(condition func(Link) bool) bool { return !condition(l) })
		})
	}, nil
}

// sourceTest requires one source block that satisfies all arguments.
func sourceTest(args []string) (test, *argError) {
	if err := rejectEmptyArgs(args); err != nil {
		return nil, err
	}
	var languages []string
	var patterns []textMatcher
	for i, arg := range args {
		key, value, ok := option(arg, "lang", "regexps")
		if key == "lang" && ok {
			languages = append(languages, value)
			continue
		}
		if !ok {
			value = arg
		}
		f, err := lineRegexp(value)
		if err != nil {
			return nil, badPattern(i, value, err)
		}
		patterns = append(patterns, f)
	}
	return func(c Candidate) bool {
		return slices.ContainsFunc(c.Sources(), func(s Source) bool {
			languageOK := len(languages) == 0 || slices.ContainsFunc(languages, func(l string) bool { return strings.EqualFold(l, s.Language) })
			return languageOK && allMatch(patterns, s.Body)
		})
	}, nil
}
