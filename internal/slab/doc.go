// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package slab makes large slices for data that is loaded at once. [Of] is make,
// on large pages where the system has them: a fault for each small page costs
// more than filling it, and what is read in the order of hashes finds its page
// sooner.
//
// Invariant: a slab is plain memory of the Go heap, which the collector frees; the
// advice about its pages is all that leaves the process.
//
// Not here: slabs that are used again, and memory outside the heap.
package slab
