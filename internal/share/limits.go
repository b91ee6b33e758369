// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package share

// Limits says how many of one thing may be held at once. A limit that is 0 is none.
type Limits struct {
	Agent  int // by each agent that has a token
	Owner  int // by the owner, and by all programs that come as the owner
	Nobody int // by all together who have not shown a token yet
	All    int // by everybody together
}

// Connections are open connections, over TCP and over the socket. Each takes a file
// descriptor and about 20 KB. An agent has more of them than requests under way, so that
// one of them is idle, and can be closed without harm, when it opens another. All is
// lowered by the daemon where the system gives a process few descriptors.
var Connections = Limits{Agent: 320, Owner: 1024, Nobody: 256, All: 1536}

// Requests are requests under way, streams included. A program that sends 200 writes at
// once, as those that measure memories do, loses none of them.
var Requests = Limits{Agent: 256, Owner: 768}

// Large are bodies and answers of more than 256 KiB that are on their way. Each is in
// memory as a whole, a body with up to 8 MiB, an answer with what the memex has.
var Large = Limits{Agent: 8, Owner: 32, All: 48}

// Streams are answers that go on until the client goes: of events, and of messages of
// MCP. Each takes a goroutine and a buffer of events.
var Streams = Limits{Agent: 32, Owner: 256}

// Sessions are sessions of MCP over HTTP. Each keeps its newest notices.
var Sessions = Limits{Agent: 64, Owner: 256}

// Servers are servers of MCP: one for each agent, project and session that a bearer
// names. Each takes about 200 KB.
var Servers = Limits{Agent: 16, Owner: 64}

// of returns the limit of a bearer, 0 for none.
func (l *Limits) of(b Bearer) int {
	switch b {
	case Owner:
		return l.Owner
	case Nobody:
		return l.Nobody
	}
	return l.Agent
}
