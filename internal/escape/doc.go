// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package escape keeps remembered text from being markup, in Org, Markdown and plain lines.
//
// [Line] and [Body] make text of one line, and of several, fit to be shown; [Lines] splits a
// body. [OrgTitle], [OrgText] and [WriteOrgLine] put text into Org, [Markdown] and
// [WriteCode] into Markdown. [IsKey], [IsTag], [Keyword] and [Priority] check words that
// stand as markup.
//
// Invariants:
//
//   - No text begins a line of Org, or is a heading, a keyword, a tag, or an object that acts.
//   - No text of Markdown is markup outside code.
//   - Line and Body return valid UTF-8, and the others keep it valid.
//
// Elsewhere: what surrounds the text (package window), and text that agents write into
// files (package internal/inert).
package escape
