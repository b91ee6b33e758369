// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package skill reads skills: documents that tell an agent how to do something,
// with a name, a priority, what they answer to and what they need.
//
// [Read] turns the files of the folder of skills into a [Registry]: the skills by
// priority, the order in which they can be taken up so that each follows what it
// depends on, and what is wrong with them. A skill is an Org file, whose file
// drawer has :SKILL_PRIORITY:, :SKILL_TRIGGERS: and :SKILL_DEPENDS:, or a folder
// with a file SKILL.md, whose front matter has the same in small letters.
//
// Invariants:
//
//   - Nothing in a skill is executed, and nothing is looked up on its behalf:
//     text goes in, a registry comes out.
//   - Any bytes can be read. A skill whose head is malformed is listed, with a
//     problem that names it.
//   - The same files give the same registry, whatever their order.
//   - A name has one bearer: a built-in skill, else the first by path.
//
// Not here: finding the files, and whether they may be trusted (internal/guard).
package skill
