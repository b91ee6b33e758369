// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package skill reads skills: documents that tell an agent how to do something,
// with a name, a priority, triggers and dependencies.
//
// [Read] turns the files of the skills folder into a [Registry]: the skills by
// priority, an order in which each skill follows its dependencies, and the
// problems found. A skill is either an Org file with the properties
// :SKILL_PRIORITY:, :SKILL_TRIGGERS: and :SKILL_DEPENDS: in its file drawer, or
// a folder with a file SKILL.md whose front matter has the keys priority,
// triggers and depends. [CutFrontMatter] and [ParseFrontMatter] read the front matter of any
// Markdown file.
//
// Invariants:
//
//   - Skills are never executed and cause no I/O: Read is a function of its
//     arguments.
//   - Any bytes can be read. A skill with malformed metadata is listed, with a
//     problem that describes what is wrong.
//   - The result does not depend on the order of the files.
//   - No front matter becomes a value larger than itself.
//   - Names are unique: a built-in skill wins, then the first one by path.
//
// Elsewhere: finding the files, and deciding whether they are trusted
// (internal/guard).
package skill
