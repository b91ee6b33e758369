// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package transfer ends exchanges with other machines that make no progress.
//
// A [Watch] measures how long an exchange waits for the other machine. A [Transport] watches the
// requests of an HTTP client. All HTTP clients of servers are made by [NewClient].
//
// Invariant: an exchange may wait for a limited time, and each transferred byte returns some of it.
// An exchange that keeps the rate may take as long as it needs; one that falls behind ends. The time
// that Fovea itself takes does not count.
//
// Elsewhere: what is sent, how often, and how much is read (packages ipfs, place, place/hosted, embed, daemon).
package transfer
