// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
	"github.com/fovea-memory/fovea/internal/fault"
)

// metaHanded is the field of an answer's _meta with the ids of the messages that it hands over.
const metaHanded = "io.github.fovea-memory/handed"

// How long a hand-over waits for the one before it, whose answer is not written yet.
const (
	maxMarking = time.Second // then it is refused: the client does not read
	maxFlying  = time.Minute // after the other one began: then that one got lost, and no answer will come. HTTP holds no answer back: maxMarking there
)

// errFlying refuses to hand messages over twice.
var errFlying = errors.New("the messages are in the answer to another call, which is not written yet; they are there to be read")

// handing are hand-overs of messages whose answers are on their way: they are marked as read when
// the answer was written, so that nothing is marked that a client did not get. It is safe for
// concurrent use.
type handing struct {
	mu      sync.Mutex
	reports bool                          // the transport reports what was written
	lost    time.Duration                 // after which an answer that was not written is lost
	marks   map[string]func(arrived bool) // of answers that are not written yet, by the ids
	last    chan struct{}                 // closed when the newest is marked, or was in vain
	began   time.Time                     // when that one was prepared
}

// wait returns when the hand-overs before are marked, so that nothing is handed over twice. Errors:
// Busy (errFlying) after some time, and that of ctx.
func (h *handing) wait(ctx context.Context, most time.Duration) error {
	h.mu.Lock()
	last := h.last
	h.mu.Unlock()
	if last == nil {
		return nil
	}
	select {
	case <-last:
		return nil
	default: // if both cases below were ready, either could be taken
	}
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-last:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last == last && time.Since(h.began) >= h.lost {
		clear(h.marks)
		h.last = nil
		return nil
	}
	return fault.Wrap("inbox", "", fault.Busy, errFlying)
}

// reply calls a tool again where what it hands over is on its way to the client already, and marks
// messages as read: at once, or if the transport reports it, when the answer is written.
func (s *Server) reply(ctx context.Context, call func() (reply, error)) (reply, *mcp.CallToolResult, error) {
	for range 4 { // at most two others are on their way
		flies := s.handing.wait(ctx, 0) != nil
		r, err := call()
		if err != nil {
			return r, nil, err
		}
		if flies && len(r.handed) > 0 { // other calls wait for nothing
			if err := s.handing.wait(ctx, maxMarking); err != nil {
				return r, nil, err
			}
			continue
		}
		answer := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.shown()}}}
		flies, err = s.handOver(ctx, r.handed, answer)
		if err != nil || !flies {
			return r, answer, err
		}
	}
	return reply{}, nil, fault.Wrap("inbox", "", fault.Busy, errFlying)
}

// handOver marks the messages of an answer, or prepares that, unless one flies already.
func (s *Server) handOver(ctx context.Context, ids []string, answer *mcp.CallToolResult) (flies bool, err error) {
	if len(ids) == 0 {
		return false, nil
	}
	mark := func(ctx context.Context) error {
		_, err := agents.OpMessageRead.Call(ctx, api.WithSync(s.service, api.SyncNone), agents.MessageReadRequest{IDs: ids})
		return err
	}
	h := &s.handing
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.reports {
		return false, mark(ctx)
	}
	for key := range h.marks {
		if slices.ContainsFunc(strings.Fields(key), func(id string) bool { return slices.Contains(ids, id) }) {
			return true, nil
		}
	}
	key, done := strings.Join(ids, " "), make(chan struct{})
	h.last, h.began = done, time.Now()
	h.marks[key] = func(arrived bool) {
		defer close(done)
		if !arrived {
			// they stay unread
		} else if err := mark(context.WithoutCancel(ctx)); err != nil && s.opts.Faults != nil { // likewise
			s.opts.Faults.Warn("messages that were handed over are not marked as read", "error", err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.marks, key)
	}
	answer.Meta = mcp.Meta{metaHanded: ids}
	return false, nil
}

// arrived marks what the result of an answer has handed over, if it arrived.
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
	key, h := strings.Join(ids, " "), &s.handing
	h.mu.Lock()
	mark := h.marks[key]
	if mark != nil {
		h.marks[key] = nil // once: an event that a client asks for again is written again
	}
	h.mu.Unlock()
	if mark != nil {
		mark(ok)
		go s.Changed(context.Background()) // not within the write, which its notices need
	}
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

// report makes hand-overs wait until it is reported that their answers were written, and takes for
// lost what was not after some time.
func (h *handing) report(lost time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reports, h.lost, h.marks = true, lost, map[string]func(arrived bool){}
}

// wrote reports what was written to a client over HTTP: an event of a stream, which has one message.
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

// reply is the answer of a tool: text for the model, and data for a program, which quotes no
// notes. Clients such as Claude Code and Codex show their model the data alone where there is
// any. So text says nothing but what the fields of data say, all else stands in remark, and a
// reply that quotes notes has no data.
type reply struct {
	text   string
	data   any
	remark string   // whole sentences, behind text and in data
	handed []string // ids of the messages in the text
}

// maxData is the maximum number of bytes of the JSON data in an answer. Larger data is left
// out, and the model reads the text.
const maxData = 64 << 10

// shown returns the text of a reply with its remark.
func (r reply) shown() string {
	if r.remark == "" {
		return r.text
	}
	return strings.TrimSpace(r.text + " " + r.remark)
}

// structured returns the data of a reply with its remark, nil for none.
func (r reply) structured() any {
	if r.data == nil {
		return nil
	}
	fields, err := json.Marshal(r.data) // an object
	if err != nil {
		return nil
	}
	if r.remark != "" {
		last, _ := json.Marshal(map[string]string{"remark": r.remark}) // a text is JSON
		fields = append(append(fields[:len(fields)-1], ','), last[1:]...)
	}
	if len(fields) > maxData {
		return nil
	}
	return json.RawMessage(fields)
}
