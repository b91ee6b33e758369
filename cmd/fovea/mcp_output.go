// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"time"
)

// maxUnread is how long an MCP client on standard output may leave a message unread
// before it counts as stalled. A person may have suspended it for a while.
const maxUnread = 5 * time.Minute

// unread is an output that calls stalled if one Write takes longer than maxUnread.
// Nothing else ends such a Write: a pipe to the parent process has no deadline.
type unread struct {
	io.WriteCloser
	stalled func()
}

func (u *unread) Write(b []byte) (int, error) {
	late := time.AfterFunc(maxUnread, u.stalled)
	defer late.Stop()
	return u.WriteCloser.Write(b)
}

// toClient is standard output to an MCP client. The process exits if the client stalls,
// which frees its answers and connections. Acknowledged data is on disk by then.
func toClient(s *session) io.WriteCloser {
	return &unread{s.Out, func() {
		s.ReportAlways("the MCP client has read nothing for " + maxUnread.String() + "; this server ends, start it again")
		os.Exit(1)
	}}
}
