// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

func ancestorsTest(inner test) test {
	return func(c Candidate) bool {
		for p, ok := c.Parent(); ok; p, ok = p.Parent() {
			if inner(p) {
				return true
			}
		}
		return false
	}
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
	below = func(c Candidate) bool {
		for child := range c.Children() {
			if inner(child) || below(child) {
				return true
			}
		}
		return false
	}
	return below
}
