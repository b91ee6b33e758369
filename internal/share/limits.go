// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package share

// Limits are the largest numbers of shares held at once; 0 means no limit.
type Limits struct {
	Agent     int // by each agent with a token
	Owner     int // by the owner and all programs that act as the owner
	Anonymous int // by all clients that have not shown a token yet
	Total     int // by all clients together
}

// Connections limits open connections over TCP and the socket. Each takes a file
// descriptor and about 20 KB. An agent may have more connections than running requests,
// so that one of them is idle and can be closed without harm when it opens another. The
// daemon lowers Total if the system gives a process few descriptors.
var Connections = Limits{Agent: 320, Owner: 1024, Anonymous: 256, Total: 1536}

// Requests limits running requests, including streams. A program that sends 200 writes
// at once, as benchmarks of memories do, loses none of them.
var Requests = Limits{Agent: 256, Owner: 768}

// Large limits the request and response bodies of more than 256 KiB in transit. Each is
// in memory as a whole: a request with up to 8 MiB, a response with up to the size of
// the memex.
var Large = Limits{Agent: 8, Owner: 32, Total: 48}

// Streams limits responses that stay open until the client disconnects: events, and
// messages of MCP. Each takes a goroutine and a buffer of events.
var Streams = Limits{Agent: 32, Owner: 256}

// Sessions limits sessions of MCP over HTTP. Each buffers its newest notices.
var Sessions = Limits{Agent: 64, Owner: 256}

// Servers limits MCP servers: there is one for each agent, project and session that a
// bearer names. Each takes about 200 KB.
var Servers = Limits{Agent: 16, Owner: 64}

// of returns the limit of a bearer; 0 means no limit.
func (l *Limits) of(b Bearer) int {
	switch b {
	case Owner:
		return l.Owner
	case Anonymous:
		return l.Anonymous
	}
	return l.Agent
}
