// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package cluster is a place in a cluster of NATS servers: a JetStream stream that several
// machines reach, kept by three servers, of which one may fail.
//
// An object is the last message of its subject, and its tag the number of that message, under which
// alone it is replaced. What is larger than a message is in chunks, which are written first; the
// object then has their number and the digest of the whole. A memory has a prefix of subjects in one
// of 16 streams, or a stream of its own. [Open] opens such a place. It is a referee of claims, too: a claim is a
// message that ends.
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
