// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Command fovea is the command line of Fovea: it parses flags, calls a service (package api)
// and prints. Answers go to standard output, everything else to standard error. Exit codes:
// 0 done, 1 failed, 2 misuse, 3 conflict or busy, 4 lockdown or corruption.
//
// Each file holds one verb or a few related ones. args.go parses words and flags, session.go
// opens the memory and calls it, print.go formats answers, talk.go everything else. All
// output passes through the two streams of stream.go; visible.go escapes what a terminal
// would act on.
//
// Elsewhere: what the verbs do (packages api and fovea), where configuration comes from
// (internal/config).
package main
