// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// pattern makes a finder of an argument.
type pattern func(arg string) (finder, error)

func lineRegexp(arg string) (finder, error) { return regexp.Compile("(?im)" + arg) }

func compilePatterns(p pattern, args []string) ([]finder, *argError) {
	if err := noneEmpty(args); err != nil {
		return nil, err
	}
	finders := make([]finder, len(args))
	for i, arg := range args {
		f, err := p(arg)
		if err != nil {
			return nil, badPattern(i, arg, err)
		}
		finders[i] = f
	}
	return finders, nil
}

func badPattern(index int, arg string, err error) *argError {
	what := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	return &argError{index, fmt.Sprintf("%q is no regular expression: %s", arg, what), "the syntax is RE2's, as in Go; to search for the text itself use heading: or a plain word"}
}

func anyFinds(finders []finder, text string) bool {
	return slices.ContainsFunc(finders, func(f finder) bool { return f.MatchString(text) })
}

func allFind(finders []finder, text string) bool {
	return !slices.ContainsFunc(finders, func(f finder) bool { return !f.MatchString(text) })
}

// every is for predicates that want each pattern somewhere in a candidate.
func every(p pattern, found func(Candidate, finder) bool) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := needArgs(args); err != nil {
			return nil, err
		}
		patterns, err := compilePatterns(p, args)
		if err != nil {
			return nil, err
		}
		return func(c Candidate) bool {
			return !slices.ContainsFunc(patterns, func(f finder) bool { return !found(c, f) })
		}, nil
	}
}

func inHeading(c Candidate, f finder) bool { return f.MatchString(c.Heading()) }

func inText(c Candidate, f finder) bool { return f.MatchString(c.Text()) }

func inOutline(c Candidate, f finder) bool {
	return slices.ContainsFunc(c.OutlinePath(), f.MatchString)
}

// inEntry looks at the headings too: those above, as org-ql does, and the
// entry's own, because it may show what the bytes of the entry spell otherwise,
// such as a document's title.
func inEntry(c Candidate, f finder) bool { return inHeading(c, f) || inText(c, f) || inOutline(c, f) }

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
		return anyFinds(patterns, path)
	}, nil
}
