// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package httpapi serves the operations of package api over HTTP, as
// doc/http.md describes it for people.
//
// A [Server] takes a Service and makes a handler for each way in
// ([Server.Handler]): an [Admission] says who asks. Every operation of
// api.Operations is POST /v1/NAME with a JSON object, those that only read are
// GET as well; beside them are hello, health, counters, the log, the change
// stream and the description of it all (OpenAPI 3.1).
//
// Invariants:
//
//   - Nobody reaches an operation without an Admission, and the author of a
//     commit is the one whom it names. A stream is sent nothing more once who
//     opened it is not let in any more.
//   - An error is problem+json with a status by its kind, see [Status].
//   - What a request may take is bounded: bytes, time, and for agents how many
//     writes in a minute.
//   - A list is the same JSON in one answer and in pages.
//
// Elsewhere: listeners and tokens (internal/daemon), what operations do (fovea),
// what callers may do (api.Trusted).
package httpapi
