// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package inert makes the text of an agent inert: neither Emacs nor Org acts on it, and it is
// the text of exactly one note.
//
// [Text] and [Line] neutralize active constructs by means of Org itself and leave all
// other text unchanged. [Property], [Tag] and [Date] reject values that cannot be
// neutralized. [Checker] is the check of a format; in Org, [Place] checks the final text of
// a node for active constructs that it did not have before. [StripRecalled] removes the
// output of Fovea itself. Tables list the active constructs: constructs those that Emacs
// finds by searching, activeElements those that Org parses. [Table] lists the names that
// programs obey, and who may set them; safeLinkTypes lists the allowed links. TeX is
// always text.
//
// Invariants:
//
//   - Text(Text(x)) equals Text(x), and Place.Check finds nothing in it except links to
//     unknown ids.
//   - A text without active constructs is unchanged.
//
// Elsewhere: package api decides whose text must be inert; internal/notes checks and writes notes.
package inert
