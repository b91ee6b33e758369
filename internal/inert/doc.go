// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package inert makes the text that an agent wrote one that is only read: nothing in
// Emacs or Org acts on it, and it is the text of one note.
//
// [Text] and [Line] change what would act, by Org's own means, and leave any other
// text as it is; [Property] refuses keys; [Check] parses what came out, so that what
// Text may have overlooked is refused and not stored; [Unrecalled] cuts out what
// Fovea itself has answered with.
//
// Invariants:
//
//   - Text(Text(x)) is Text(x), and Check finds nothing in it.
//   - A text without anything that acts comes out as it went in.
//
// Not here: who must write so (package api, Trusted), and keeping notes (package fovea).
package inert
