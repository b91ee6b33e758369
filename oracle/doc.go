// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package oracle compares Fovea's formats with independent implementations of
// the standards they follow: go-ipld-prime for DAG-CBOR, go-cid for CIDs, go-car for archives,
// minio-go for signatures. gofakes3 is a bucket in the process.
//
// It holds tests only, and is a module of its own so that what it depends on
// never reaches the core. Run it with go test in this folder.
//
// Invariants:
//
//   - What Fovea encodes, the others decode to the same value, and encode to
//     the same bytes.
//   - What one side accepts and the other does not is in the table of
//     differences of codec_test.go, by name.
//
// Elsewhere: the formats themselves (package merkle, doc/format).
package oracle
