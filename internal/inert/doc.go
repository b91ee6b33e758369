// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package inert makes the text that an agent wrote one that is only read: nothing in
// Emacs or Org acts on it, and it is the text of one note.
//
// [Text] and [Line] change what would act, by Org's own means, and leave any other
// text as it is; [Property], [Tag] and [Date] refuse what cannot be changed so; a
// [Place] parses the finished text of a node and refuses what acts in it and did not
// before; [Unrecalled] cuts out what Fovea itself has answered with. What acts stands in
// tables: constructs, which Emacs finds by searching; elements, which Org parses;
// acting, of properties. What may stand in tables too: plainTypes, of links; typesetting
// and environments, of TeX.
//
// Invariants:
//
//   - Text(Text(x)) is Text(x), and Place.Check finds nothing in it but links to ids.
//   - A text without anything that acts comes out as it went in.
//
// Elsewhere: who must write so (package api, Trusted), and keeping notes (package fovea).
package inert
