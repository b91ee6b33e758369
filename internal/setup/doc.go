// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package setup writes the configuration that lets an MCP client start Fovea.
//
// [Clients] are the supported clients: a [Client] knows its file, formats the entry of a
// [Server], and merges it into the file.
//
// Invariants: every byte of the file that is not the entry stays, comments of JSON too, save
// those right beside an entry that is taken out; the file as it was is kept beside; a file in a
// form that is not understood is left alone.
//
// Elsewhere: the verb setup, which chooses the server (cmd/fovea).
package setup
