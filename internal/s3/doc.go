// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package s3 is a client of buckets that speak the protocol of Amazon S3, of what a place
// needs: get, put under a condition, list, remove.
//
// A [Bucket] is one bucket, opened from [Options]; [Credentials] sign its requests. Amazon's
// client makes and signs them; an exchange sends those of one operation.
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
// one that lies is found out (package remote).
package s3
