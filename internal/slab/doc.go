// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package slab allocates large slices for data that is loaded in one step. [Of]
// is make with huge pages where the system has them: a page fault for each
// small page costs more than filling the page, and reads in hash order cause
// fewer TLB misses. [Collapse] makes up for it where a slab got used memory.
//
// Invariant: a slab is ordinary memory of the Go heap, freed by the garbage
// collector. The only effect outside the process is the advice about its pages.
//
// Elsewhere: pools of slabs, and memory outside the heap.
package slab
