// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Command fovea is the command line of Fovea: it parses flags, calls a service (package api)
// and prints. Answers go to standard output, everything else to standard error. Exit codes:
// 0 done, 1 failed, 2 misuse, 3 conflict or busy, 4 lockdown or corruption.
//
// Each file holds one verb or a few related ones. session.go opens the memory and calls it,
// connect.go finds or starts the daemon.
//
// Elsewhere: what the verbs do (packages api and fovea), where configuration comes from
// (internal/config), and the verbs of operations and how output reaches a terminal or a pipe (internal/cli).
package main
