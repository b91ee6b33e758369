// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package bucket is the place in a bucket that speaks the protocol of Amazon S3.
//
// [Open] opens the place below a prefix of a bucket, [Opener] the one of an address. Amazon's client
// makes and signs the requests; an exchange sends the ones of one operation.
//
// Invariants:
//
//   - Each header but User-Agent is signed, the conditions too, and the digest of the body: who
//     drops or changes one on the way breaks the signature.
//   - A write that got no answer is asked again under the same condition. If the condition
//     fails then, the object is read: the first write may have been done.
//   - Answers, lists, attempts and waiting are bounded. A redirect is not followed.
//   - No secret is in an address, an error or a log: credentials print as one word.
//   - Bytes go over HTTPS; over HTTP to the machine itself, or where that is said.
//
// Elsewhere: where credentials are found (package config), what is kept in a bucket and how
// one that lies is found out (package place).
package bucket
