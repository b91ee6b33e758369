// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// patternCompiler compiles an argument.
type patternCompiler func(arg string) (textMatcher, error)

func lineRegexp(arg string) (textMatcher, error) { return regexp.Compile("(?im)" + arg) }

func compilePatterns(p patternCompiler, args []string) ([]textMatcher, *argError) {
	if err := rejectEmptyArgs(args); err != nil {
		return nil, err
	}
	matchers := make([]textMatcher, len(args))
	for i, arg := range args {
		f, err := p(arg)
		if err != nil {
			return nil, badPattern(i, arg, err)
		}
		matchers[i] = f
	}
	return matchers, nil
}

func badPattern(index int, arg string, err error) *argError {
	what := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	return &argError{index, fmt.Sprintf("%q is not a regular expression: %s", arg, what),
		"the syntax is RE2's, as in Go; to search for the text itself use heading: or a plain word"}
}

func anyMatches(matchers []textMatcher, text string) bool {
	return slices.ContainsFunc(matchers, func(f textMatcher) bool { return f.MatchString(text) })
}

func allMatch(matchers []textMatcher, text string) bool {
	return !slices.ContainsFunc(matchers, func(f textMatcher) bool { return !f.MatchString(text) })
}

// matchesEvery builds the test of a predicate that requires a match for each of its
// patterns.
func matchesEvery(p patternCompiler, match func(Candidate, textMatcher) bool) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := requireArgs(args); err != nil {
			return nil, err
		}
		patterns, err := compilePatterns(p, args)
		if err != nil {
			return nil, err
		}
		return func(c Candidate) bool {
			return !slices.ContainsFunc(patterns, func(f textMatcher) bool { return !match(c, f) })
		}, nil
	}
}

func inHeading(c Candidate, f textMatcher) bool { return f.MatchString(c.Heading()) }

func inText(c Candidate, f textMatcher) bool { return f.MatchString(c.Text()) }

func inOutline(c Candidate, f textMatcher) bool {
	return slices.ContainsFunc(c.OutlinePath(), f.MatchString)
}

// inEntry also searches the headings above the entry, as org-ql does, and its own heading,
// which may not be part of its text: a document's title is not.
func inEntry(c Candidate, f textMatcher) bool {
	return inHeading(c, f) || inText(c, f) || inOutline(c, f)
}

func pathTest(args []string) (test, *argError) {
	patterns, err := compilePatterns(lineRegexp, args)
	if err != nil {
		return nil, err
	}
	return func(c Candidate) bool {
		path := c.Path()
		if len(patterns) == 0 {
			return path != ""
		}
		return anyMatches(patterns, path)
	}, nil
}
