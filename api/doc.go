// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package api declares the operations of Fovea, once: an [Op] for each, with the types
// of its request and answer, in the table [Operations]. The table drives the HTTP routes, the
// OpenAPI document, the verbs and their flags, the arguments of MCP tools, the choice of scopes,
// and idempotency. To add an operation, add a row with [Define].
//
// A surface (command line, HTTP, MCP) turns its input into a [Call] and passes it to a
// [Service]: that of a memory in this process ([NewLocal]), or a client of a daemon.
// Every call passes the [Middleware] of the service, such as ops.Guarded; [Chain] puts them in order.
//
// Invariants:
//
//   - The JSON keys of requests and responses are stable: new ones may be added, none is renamed or removed.
//   - Responses hold no pointer into a memory; they can be kept and sent.
//   - Errors are *fovea.Error, so that every surface can tell their kinds.
//   - A context carries the caller's grant and the scopes, see package author; what
//     belongs to one call is a field of Call.
//   - Content that a commit records as removed is not damage. Each proof is verified before it is returned, and only a
//     caller who may read a note at a moment gets a proof of it.
//   - Feedback is about what was shown: to an agent in one of its windows, to the owner by a
//     search for the question. Anything else is an error.
//   - Fovea executes nothing in a skill: it lists the skills that handle an event. Only the owner
//     holds buffers, as long as its stream of events is open, and an agent reads only its own lines of the log.
//
// Elsewhere: what the operations do (package fovea); those of agents, other programs and other
// places, and what an agent may ask (api/ops); how answers are phrased (internal/face).
//
// # Where a change goes
//
//   - An argument of an operation: a field of its request in api/types.go or beside its handler, with the tags json, jsonschema, and flag
//     or arg. If a tool takes it: the tag mcp, and its name in the string fields of the tool in internal/mcpserver/tools.go; one that no
//     request has is a field of extra in internal/mcpserver/request.go. The mode query of recall builds a request in
//     internal/mcpserver/find.go. Then internal/httpapi/testdata/openapi.json and internal/mcpserver/testdata/tools.json.
//   - An operation: its row in api/operations.go, or beside its handler in api/ops: Group, without which
//     there is no verb, Effect, Scan, History, Replay. Its row in api/ops/admission.go says what an agent may ask; without it an agent
//     needs a grant. Handlers read through View, Readable or viewAt, which leave out what is withheld. Its answer is phrased in its row
//     of internal/face; flags that no tag can say: internal/cli/hooks.go; a tool: internal/mcpserver/tools.go. Then
//     test/faces/table_test.go, api/who_test.go.
//   - What a search offers besides hits: api/suggest.go, api/convert.go; lines and notes come from internal/recall/lines.go and
//     internal/recall/completed.go. Then internal/face/find.go and internal/mcpserver/find.go.
//   - Who may do what: api/ops/trust.go, scopes in api/ops/place.go; rights and names in author. Then SECURITY.md.
//   - What an operation of an agent leaves in its working memory: api/ops/actions.go; the block is working/action.go. Then
//     test/actions_test.go.
//   - How many unseen lines the answer to an edit has: MaxUnseen in internal/travel/unseen.go.
//   - How the owner is alerted: a function, its case in ParseSink, and the texts that list the kinds, in internal/daemon/sink.go. Then
//     doc/configuration.md.
//   - A setting: its field in internal/config/config.go, and its name in perRequest of internal/config/follow.go if a running daemon
//     takes it without a restart; its meaning is an option of the memory or of a face. Then doc/configuration.md.
//   - A detail of a protocol: internal/httpapi, internal/mcpserver, internal/servermemory, without logic, which is here. Then the
//     conformance suites, such as internal/mcpserver/conformance_test.go.
//   - What a verb prints and a tool of MCP answers: the row of the operation in internal/face; what is for a model alone:
//     internal/face/model.go. Then internal/face/testdata/answers.txt, internal/mcpserver/reply_test.go and cmd/fovea/clients_test.go.
//   - A client that setup configures, or a hook: internal/clients. Then doc/hooks.md and doc/mcp.md.
//   - Notes of another program, in or out: Kind, kinds and Read in internal/foreign/foreign.go, api/ops/import.go, api/ops/export.go, and
//     sources in internal/face/carry.go, without which there is no verb. Then doc/exchange.md and decision 0157.
//   - A verb that is not an operation: cmd/fovea. When the daemon syncs and scrubs: exchange in internal/daemon/step.go; when it
//     rests: internal/daemon.
//   - An event of the stream of changes: api/event.go, internal/httpapi/events.go. Then doc/http.md.
//   - How much a caller may ask at once: internal/httpapi/rate.go, internal/httpapi/sharing.go, internal/bound/share.go.
package api
