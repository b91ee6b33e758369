// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package frontmatter reads the YAML between two lines --- with which a Markdown file begins.
//
// [Cut] finds it, [Parse] makes a mapping of it, [Pairs] yields the keys.
//
// Invariants:
//   - No text becomes a value larger than itself.
//   - Cut returns the parts of its argument, unchanged.
//
// Elsewhere: what the keys mean is decided by internal/skill and internal/foreign.
package frontmatter
