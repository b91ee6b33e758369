// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxEventBytes bounds the answers that all sessions together keep for clients whose
	// connection breaks: the streams of the oldest requests are dropped first.
	maxEventBytes = 4 << 20
	// maxNotices is the number of recent notices kept for each session.
	maxNotices = 100
	// eventCost is the memory of an event or a stream in addition to its bytes.
	eventCost = 256
)

// events stores the events of sessions, so that a client can resume a stream. Unlike the mcp.EventStore of the SDK, it
// uses bounded memory. It is safe for concurrent use.
type events struct {
	mu       sync.Mutex
	sessions map[string]map[string]*sent
	order    [][2]string // session and stream of requests, the oldest first
	bytes    int         // of the streams in order
}

// sent holds the events of one stream, from number first on.
type sent struct {
	first int
	data  [][]byte
	bytes int
}

func newEvents() *events { return &events{sessions: map[string]map[string]*sent{}} }

// Open begins a stream. The unnamed one has the notices of a session.
func (e *events) Open(_ context.Context, session, stream string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions[session] == nil {
		e.sessions[session] = map[string]*sent{}
	}
	if e.sessions[session][stream] != nil {
		return nil
	}
	e.sessions[session][stream] = &sent{}
	if stream != "" {
		e.order = append(e.order, [2]string{session, stream})
		e.grow(e.sessions[session][stream], eventCost)
	}
	return nil
}

// Append stores an event. It fails if the stream was dropped.
func (e *events) Append(_ context.Context, session, stream string, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.sessions[session][stream]
	if s == nil {
		return purged(session, stream)
	}
	s.data = append(s.data, data)
	if stream != "" {
		e.grow(s, len(data)+eventCost)
	} else if len(s.data) > maxNotices {
		s.data, s.first = slices.Delete(s.data, 0, 1), s.first+1
	}
	return nil
}

// grow counts bytes of a stream, and drops the oldest streams above the limit.
func (e *events) grow(s *sent, bytes int) {
	s.bytes += bytes
	e.bytes += bytes
	for e.bytes > maxEventBytes && len(e.order) > 0 {
		session, stream := e.order[0][0], e.order[0][1]
		e.bytes -= e.sessions[session][stream].bytes
		delete(e.sessions[session], stream)
		e.order = e.order[1:]
	}
}

// After yields the events of a stream after a number, or fails if one of them was dropped.
func (e *events) After(_ context.Context, session, stream string, number int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		e.mu.Lock()
		s := e.sessions[session][stream]
		gone := s == nil || number+1 < s.first
		var rest [][]byte
		if !gone {
			rest = slices.Clone(s.data[min(number+1-s.first, len(s.data)):])
		}
		e.mu.Unlock()
		if gone {
			yield(nil, purged(session, stream))
			return
		}
		for _, data := range rest {
			if !yield(data, nil) {
				return
			}
		}
	}
}

// SessionClosed drops a session.
func (e *events) SessionClosed(_ context.Context, session string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for stream, s := range e.sessions[session] {
		if stream != "" {
			e.bytes -= s.bytes
		}
	}
	delete(e.sessions, session)
	e.order = slices.DeleteFunc(e.order, func(k [2]string) bool { return k[0] == session })
	return nil
}

func purged(session, stream string) error {
	return fmt.Errorf("stream %q of session %q: %w", stream, session, mcp.ErrEventsPurged)
}
