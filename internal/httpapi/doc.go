// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package httpapi serves the operations of package api over HTTP, as
// doc/http.md describes it for people.
//
// A [Server] takes a Service and makes a handler for each listener
// ([Server.Handler]), whose [Admission] identifies callers. Every operation of
// api.Operations is POST /v1/NAME with a JSON object; the ones that only read are
// also GET. Beside them are hello, health, the log, the change stream and the
// description of all (OpenAPI 3.1). A [Client] is the api.Service of a daemon over a unix socket
// or over HTTP.
//
// Invariants:
//
//   - Every operation needs an Admission, which also names the author of a
//     commit. A stream ends once its caller is no longer admitted.
//   - An error is problem+json with a status by its kind, see [Status].
//   - The bytes and the time of a request are bounded, and so are the writes of
//     an agent per minute.
//   - A write under an idempotency key is carried out once, and answered again from
//     what was stored.
//   - A Client returns the same as a Service in this process, errors included. A write that
//     was cut off by a lost connection is sent again under the same key, so that it happens once,
//     if ClientOptions.Again brings a daemon back.
//
// Elsewhere: listeners and tokens (internal/daemon), what operations do (fovea),
// what callers may do (api/ops).
package httpapi
