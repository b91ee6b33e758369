// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package transfer ends exchanges with other machines that make no progress.
//
// A [Watch] measures how long an exchange waits for the other machine. A [Transport] watches the
// requests of an HTTP client; [NewClient] makes the client of a server, and nothing else makes one.
//
// Invariant: an exchange may wait for a limit, of which each byte that comes gives some time back.
// One that keeps to the rate goes on as long as it takes; one that falls behind ends. The time that
// Fovea itself takes does not count.
//
// Elsewhere: what is sent, how often, and how much is read (packages ipfs, s3, embed, alert, remote).
package transfer
