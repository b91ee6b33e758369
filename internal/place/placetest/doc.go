// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package placetest has the tests that every kind of place must pass, and networks that lose requests.
//
// [Check] runs the tests, [Memory] is a place in memory, and [Lost] lists pieces that heads name and
// that are missing. [Proxy] forwards requests to servers in turn; its [Weather] loses and delays
// requests and answers. [Servers] are a cluster of NATS; a [Link] forwards TCP connections to one of
// them, or between two, and [Links.Storm] cuts links.
//
// Invariants:
//
//   - The tests require only what doc/format/remote.md promises.
//   - Faults are drawn from a seed. A lost request may have been performed or not; the client cannot
//     find out.
//
// Elsewhere: the places themselves (packages place and hosted).
package placetest
