// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package hosted has the places that servers keep: a bucket that speaks the protocol of Amazon S3,
// and a JetStream stream of a cluster of NATS servers, of which one may fail.
//
// [OpenBucket] opens the place below a prefix of a bucket, [BucketOpener] the one of an address.
// Amazon's client makes and signs the requests; an exchange sends the ones of one operation.
// [OpenCluster] opens a place in a cluster, which is a referee of claims, too, and [ClusterOpener]
// shares the connection of an address. In a stream an object is the last message of its subject, and
// is replaced under the number of that message. What is larger than a message is in chunks that are
// written first, see doc/format/remote.md.
//
// Invariants of buckets:
//
//   - Each header but User-Agent is signed, the conditions too, and the digest of the body: who
//     drops or changes one on the way breaks the signature.
//   - A write that got no answer is asked again under the same condition. If the condition
//     fails then, the object is read: the first write may have been done.
//   - Answers, lists, attempts and waiting are bounded. A redirect is not followed.
//   - No secret is in an address, an error or a log: credentials print as one word.
//   - Bytes go over HTTPS; over HTTP to the machine itself, or where that is said.
//
// Invariants of clusters:
//
//   - A stream is made by remote add alone, and never altered: one of another shape is refused.
//   - Reads are answered by the leader of the stream. While that is cut off its answer may have been
//     true some seconds ago; a write conditional on a tag is never done on such an answer.
//   - A read returns the bytes written, proved by their digest, or an error.
//   - A server that does not answer ends a call within callWait, or when its context ends if that has an end.
//
// Elsewhere: where credentials are found (package config); what the objects are, what happens after a
// write without an answer, how a place that lies is found out, and the places that need no such
// server (package place); how servers are set up is doc/fleet.md.
package hosted
