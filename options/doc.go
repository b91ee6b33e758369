// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package options has the options of opening a memory and of reading its folder.
//
// Elsewhere: the root package names [Open] and [Ingest] as fovea.Options and fovea.IngestOptions.
package options
