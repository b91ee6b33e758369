// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package httpapi serves the operations of package api over HTTP, as
// doc/http.md describes it for people.
//
// A [Server] takes a Service and makes a handler for each listener
// ([Server.Handler]), whose [Admission] identifies callers. Every operation of
// api.Operations is POST /v1/NAME with a JSON object; the ones that only read are
// also GET. In addition there are hello, health, the log, the change stream and the OpenAPI 3.1
// description. A [Client] is the api.Service of a daemon over a unix socket or over HTTP.
//
// Invariants:
//
//   - Every operation needs an Admission, which also names the author of a
//     commit. A stream ends once its caller is no longer admitted.
//   - An error is problem+json with a status by its kind, see [Status].
//   - The bytes and the time of a request are bounded, and so are the writes of
//     an agent per minute.
//   - A write under an idempotency key is performed once; a repeated request gets the stored answer.
//   - A Client returns the same as a Service in this process, errors included. After a lost
//     connection it repeats a write under the same key, so that the write happens once, if
//     ClientOptions.Again brings a daemon back.
//
// Elsewhere: listeners and tokens (internal/daemon), what operations do (fovea),
// what callers may do (ops.Hold).
package httpapi
