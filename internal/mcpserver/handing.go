// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/fault"
)

// metaHanded is the field of an answer's _meta with the ids of the messages that it hands over.
const metaHanded = "io.github.fovea-memory/handed"

// How long a hand-over waits for the previous one, whose answer is not written yet.
const (
	maxMarking = time.Second // then it is refused: the client does not read
	maxFlying  = time.Minute // after the answer was ready it counts as lost; over HTTP, which delays no answer, after maxMarking
)

// errFlying refuses to hand messages over twice.
var errFlying = errors.New("the messages are in the answer to another call, which is not written yet; read them there")

// handing lets one answer at a time hand messages over. They are marked as read once the answer was
// written, so that messages that a client did not get stay unread. It is safe for concurrent use.
type handing struct {
	mu      sync.Mutex
	reports bool          // the transport reports what was written
	lost    time.Duration // after which an unwritten answer counts as lost
	current *handOver     // nil if there is none
}

// handOver is an answer that hands messages over, from its call until they are marked as read.
type handOver struct {
	ready time.Time // when the answer was ready; zero before: a running call is not lost
	ids   string    // of the messages in the answer, "" before it is ready and after it was written
	mark  func()    // marks them as read
	done  chan struct{}
}

// report makes hand-overs wait until their answers are reported as written, or lost after some time.
func (h *handing) report(lost time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reports, h.lost = true, lost
}

// begin begins a hand-over once the previous one is marked or lost. Errors: Busy (errFlying) after maxMarking, that of ctx.
func (h *handing) begin(ctx context.Context) (*handOver, error) {
	late, isLate := time.NewTimer(maxMarking), false
	defer late.Stop()
	for {
		h.mu.Lock()
		before := h.current
		if before == nil || isLate && !before.ready.IsZero() && time.Since(before.ready) >= h.lost {
			h.current = &handOver{done: make(chan struct{})}
			defer h.mu.Unlock()
			return h.current, nil
		}
		h.mu.Unlock()
		if isLate {
			return nil, fault.Wrap("inbox", "", fault.Busy, errFlying)
		}
		select {
		case <-before.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late.C:
			isLate = true
		}
	}
}

// end ends a hand-over, so that the next one begins.
func (h *handing) end(one *handOver) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current == one {
		h.current = nil
	}
	close(one.done)
}

// handOver calls a tool that hands messages over, and marks them as read, after the answer is written if that is reported.
func (s *Server) handOver(ctx context.Context, call func() (face.Reply, error)) (r face.Reply, meta mcp.Meta, err error) {
	one, err := s.handing.begin(ctx)
	if err != nil {
		return r, nil, err
	}
	defer func() {
		if meta == nil {
			s.handing.end(one)
		}
	}()
	if r, err = call(); err != nil || len(r.Handed) == 0 {
		return r, nil, err
	}
	mark := func(ctx context.Context) error {
		_, err := ops.OpMessageRead.Call(ctx, api.WithSync(s.service, api.SyncNone), ops.MessageReadRequest{IDs: r.Handed})
		return err
	}
	s.handing.mu.Lock()
	defer s.handing.mu.Unlock()
	if !s.handing.reports {
		return r, nil, mark(ctx)
	}
	one.ready, one.ids = time.Now(), strings.Join(r.Handed, " ")
	one.mark = func() {
		if err := mark(context.WithoutCancel(ctx)); err != nil { // they stay unread
			s.opts.Faults.Warn("messages that were handed over are not marked as read", "error", err)
		}
	}
	return r, mcp.Meta{metaHanded: r.Handed}, nil
}

// arrived marks the messages in the result of an answer as read if ok reports that it was written.
func (s *Server) arrived(result json.RawMessage, ok bool) {
	if !strings.Contains(string(result), metaHanded) {
		return
	}
	var answer struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	var ids []string
	if json.Unmarshal(result, &answer) != nil || json.Unmarshal(answer.Meta[metaHanded], &ids) != nil {
		return
	}
	h := &s.handing
	h.mu.Lock()
	one := h.current
	if one == nil || one.ids == "" || one.ids != strings.Join(ids, " ") {
		h.mu.Unlock()
		return
	}
	one.ids = "" // a client may ask for the same event again
	h.mu.Unlock()
	if ok {
		one.mark()
	}
	h.end(one)
	go s.Changed(context.Background()) // after this write, since its notices are written too
}

// Run serves one session over a transport until it or ctx ends.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	if lines, ok := t.(*Transport); ok {
		told := *lines
		told.Arrived, t = s.arrived, &told
		s.handing.report(maxFlying)
	}
	return s.mcp.Run(ctx, t)
}

// wrote handles a write to a client over HTTP: an event of a stream, which has one message.
func (s *Server) wrote(event []byte, ok bool) {
	if !bytes.Contains(event, []byte(metaHanded)) {
		return
	}
	var message struct {
		Result json.RawMessage `json:"result"`
	}
	if _, data, _ := bytes.Cut(event, []byte("data: ")); json.Unmarshal(data, &message) == nil {
		go s.arrived(message.Result, ok) // the stream is locked while it is written to
	}
}
