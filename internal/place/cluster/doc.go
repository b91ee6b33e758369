// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package cluster is a place in a cluster of NATS servers: a JetStream stream that several
// machines reach, kept by three servers, of which one may fail. It is a referee of claims, too. [Open] opens such a place.
//
// An object is the last message of its subject, and is replaced under the number of that message. What is
// larger than a message is in chunks that are written first; doc/format/remote.md says how.
//
// Invariants:
//
//   - A stream is made by remote add alone, and never altered: one of another shape is refused.
//   - Reads are answered by the leader of the stream. While that is cut off it may give what was
//     true some seconds ago; a write that hangs on a tag is never done on such an answer.
//   - What is read is what was written, by its digest, or an error.
//   - A server that does not answer ends a call within callWait, or when its context ends if that has an end.
//
// Elsewhere: what the objects are, and what is done where a write had no answer (package place);
// how servers are set up is doc/fleet.md.
package cluster
