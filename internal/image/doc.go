// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package image is the codec of images: files that hold a whole state, so that opening need
// not replay the journal. [Write] writes a [store.Image], [Read] reads and verifies one,
// and [At] says how far one goes without reading its sections. The page is
// doc/format/image.md.
//
// Invariants:
//
//   - Header, table and footer have one digest, each section has its own. What does not
//     verify is not returned.
//   - A damaged section that is derived is left out and named; any other makes the whole
//     image useless.
//   - No bytes make the package panic or allocate more than the file's size.
//
// Elsewhere: which images there are and when one is written (package disk), what the
// sections hold (package chain), the value itself (package store).
package image
