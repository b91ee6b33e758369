// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import "slices"

// hasTag reports whether one of the tags is the wanted one or a member of the group of
// that name.
func hasTag(c Candidate, tags []string, wanted string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return tag == wanted || c.InGroup(tag, wanted) })
}

func tagsTest(field func(Candidate) []string) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := rejectEmptyArgs(args); err != nil {
			return nil, err
		}
		if len(args) == 0 {
			return func(c Candidate) bool { return len(field(c)) > 0 }, nil
		}
		return func(c Candidate) bool {
			tags := field(c)
			return slices.ContainsFunc(args, func(arg string) bool { return hasTag(c, tags, arg) })
		}, nil
	}
}

func allTagsTest(args []string) (test, *argError) {
	if err := requireArgs(args); err != nil {
		return nil, err
	}
	return func(c Candidate) bool {
		tags := c.Tags()
		return !slices.ContainsFunc(args, func(arg string) bool { return !hasTag(c, tags, arg) })
	}, nil
}

func tagsRegexpTest(args []string) (test, *argError) {
	if err := requireArgs(args); err != nil {
		return nil, err
	}
	patterns, err := compilePatterns(lineRegexp, args)
	if err != nil {
		return nil, err
	}
	return func(c Candidate) bool {
		return slices.ContainsFunc(c.Tags(), func(tag string) bool { return anyMatches(patterns, tag) })
	}, nil
}

func ancestorsTest(inner test) test {
	var above test
	above = parentTest(func(c Candidate) bool { return inner(c) || above(c) })
	return above
}

func parentTest(inner test) test {
	return func(c Candidate) bool {
		p, ok := c.Parent()
		return ok && inner(p)
	}
}

func childrenTest(inner test) test {
	return func(c Candidate) bool {
		for child := range c.Children() {
			if inner(child) {
				return true
			}
		}
		return false
	}
}

func descendantsTest(inner test) test {
	var below test
	below = childrenTest(func(c Candidate) bool { return inner(c) || below(c) })
	return below
}
