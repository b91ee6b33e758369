// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package options says how a memory is opened, and how its folder is read.
//
// Elsewhere: the root package names [Open] and [Ingest] as fovea.Options and fovea.IngestOptions.
package options
