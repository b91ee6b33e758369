// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Command fovea is the command line of Fovea: it reads flags, calls a service
// (package api) and prints. Data goes to standard output, talk to standard
// error; the exit code is 0 done, 1 failed, 2 misuse, 3 conflict or busy, 4
// lockdown or corruption.
//
// One file holds one verb or a few that belong together; args.go reads words and
// flags, session.go opens the memory a verb works on and calls it, print.go lays
// answers out, talk.go says everything else. All of it leaves by the two streams of
// stream.go, and visible.go makes harmless what reaches a terminal.
//
// Elsewhere: what the verbs do (packages api and fovea), where configuration
// comes from (internal/config).
package main
