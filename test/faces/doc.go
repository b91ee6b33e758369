// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package faces asks each operation the same at every face: the library's api, HTTP, MCP and the
// command line. The package itself has no code.
//
// One table (table_test.go) has an example request of each operation: who asks, what is done before, and
// how the request reads as words of a command line and as arguments of a tool. Each face gets it in a fresh
// memory. All faces answer the same, refuse the same callers, carry a repeated request out once and tell
// no agent what is withheld. The golden file testdata/examples.txt has what is answered.
//
// Elsewhere: what an operation means is tested beside it; what one face alone does, beside that face.
package faces
