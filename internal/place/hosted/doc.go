// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package hosted has the places on servers: a bucket with the protocol of Amazon S3, and a JetStream
// stream of a cluster of NATS servers, one of which may fail.
//
// [OpenBucket] opens the place below a prefix of a bucket, [BucketOpener] the place at an address.
// Amazon's client makes and signs the requests; an exchange sends those of one operation.
// [OpenCluster] opens a place in a cluster, which is also a referee of claims, and [ClusterOpener]
// shares the connection of an address. In a stream, an object is the last message of its subject,
// and a write names the number of the message that it replaces. Larger objects are in chunks that are
// written first, see doc/format/remote.md.
//
// Invariants of buckets:
//
//   - All headers but User-Agent are signed, including the conditions and the digest of the body:
//     dropping or changing one breaks the signature.
//   - A write that got no answer is repeated under the same condition. If the condition then fails,
//     the object is read: the first write may have been done.
//   - Answers, lists, attempts and waiting are bounded. A redirect is not followed.
//   - Addresses, errors and logs contain no secret: credentials print as one word.
//   - Bytes go over HTTPS; over HTTP only to this machine, or with insecure=true.
//
// Invariants of clusters:
//
//   - Only remote add creates a stream, and none is changed: one with other settings is refused.
//   - The leader of the stream answers reads. If it is cut off, its answers may be some seconds old;
//     a conditional write never succeeds on such an answer.
//   - A read returns the bytes written, proved by their digest, or an error.
//   - A call without an answer ends within callWait, or with its context if that has a deadline.
//
// Elsewhere: where credentials are found (package config); the objects, what happens after a write
// without an answer, how a place that ignores conditions is found out, and the places without such a
// server (package place); doc/fleet.md describes how to set up servers.
package hosted
