// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package placetest is the suite that every kind of place must pass, and the weather between a machine and
// its place on a bad day.
//
// [Check] is the suite, [Memory] a place in memory, and [Lost] lists what heads name that is
// gone. [Proxy] passes requests on to servers in turn; its [Weather] loses and holds back
// answers. [Servers] are a cluster of NATS; a [Link] is a way over TCP to one of them, or between two, which
// [Links.Storm] cuts.
//
// Invariants:
//
//   - The suite asks nothing that doc/format/remote.md does not say.
//   - The weather is drawn from a seed; what it loses has been carried out or not, and the
//     client cannot tell.
//
// Elsewhere: the places themselves (packages place and bucket).
package placetest
