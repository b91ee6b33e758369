// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"time"
)

// longestUnread is how long an MCP client on standard input and output may leave a message
// unread: after it the client is taken for stalled. A person may have stopped it for a while.
const longestUnread = 5 * time.Minute

// unread is an output that calls stalled when one Write takes longer than longestUnread.
// Nothing else ends such a Write: a pipe of a parent process has no deadline.
type unread struct {
	io.WriteCloser
	stalled func()
}

func (u *unread) Write(b []byte) (int, error) {
	late := time.AfterFunc(longestUnread, u.stalled)
	defer late.Stop()
	return u.WriteCloser.Write(b)
}

// toClient is standard output for an MCP client. A process whose client is stalled ends, so
// that the answers which wait for it, and its connections, are not held for ever. What was
// acknowledged is on disk.
func (s *session) toClient() io.WriteCloser {
	return &unread{s.out, func() {
		s.tell("the MCP client has read nothing for " + longestUnread.String() + "; this server ends, start it again")
		os.Exit(1)
	}}
}
