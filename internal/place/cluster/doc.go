// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package cluster is a place in a cluster of NATS servers: a JetStream stream that several
// machines reach, kept by three servers; one may fail. It is a referee of claims, too. [Open] opens such a place.
//
// An object is the last message of its subject, and is replaced under the number of that message. What is
// larger than a message is in chunks that are written first, see doc/format/remote.md.
//
// Invariants:
//
//   - A stream is made by remote add alone, and never altered: one of another shape is refused.
//   - Reads are answered by the leader of the stream. While that is cut off its answer may have been
//     true some seconds ago; a write conditional on a tag is never done on such an answer.
//   - A read returns the bytes written, proved by their digest, or an error.
//   - A server that does not answer ends a call within callWait, or when its context ends if that has an end.
//
// Elsewhere: what the objects are, and what happens after a write without an answer (package place);
// how servers are set up is doc/fleet.md.
package cluster
