// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
)

// beat is the interval of comments in an idle stream.
const beat = 15 * time.Second

// events streams commits: those after the number in the request, then each as it becomes durable, with notices and the
// progress of reading. The owner's stream begins with its name, under which the client holds buffers until it ends.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	seq, past, err := sinceOf(r)
	if err != nil {
		problem(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	live, done := s.opts.Feed.Subscribe() // before reading the log, so that no commit is lost
	defer done()
	head := s.opts.Hello().Seq
	seq = min(seq, head) // a restored memory reuses later numbers
	var missed []api.Commit
	if past {
		if missed, err = s.missed(r, seq, head); err != nil {
			fail(w, "events", err)
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	st := &stream{w: w, control: http.NewResponseController(w), seq: seq}
	st.comment("fovea")
	if g := author.GrantOf(r.Context()); g.Role == api.Owner && g.Agent == "" {
		client := rand.Text()
		defer s.opts.Feed.Buffers.Join(client)()
		st.json("client", map[string]string{"client": client})
	}
	st.commits(missed...)
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	for st.err == nil {
		select {
		case <-r.Context().Done():
			if gaveWay(r.Context()) {
				why := errStreamGaveWay.Error()
				end := api.Fault{Type: "urn:fovea:busy", Title: "busy", Status: http.StatusTooManyRequests, Detail: why}
				st.json("end", end)
			}
			return
		case <-ticks.C:
			st.comment("")
		case e, ok := <-live:
			if !ok {
				return // the client was too slow; it reconnects with its last number
			}
			happened := []api.Event{e}
			for range len(live) {
				happened = append(happened, <-live)
			}
			s.notify(r, st, happened)
		}
	}
}

// notify sends the events that the reader may see. Readers other than the owner get commits as the log shows them now.
func (s *Server) notify(r *http.Request, st *stream, happened []api.Event) {
	g := author.GrantOf(r.Context())
	var log []api.Commit
	for _, e := range happened {
		switch {
		case e.Notice != nil:
			if e.Notice.IsFor(g) {
				st.json(e.Notice.Event, e.Notice.Data)
			}
		case e.Commit == nil:
			st.json("progress", map[string]int{"done": e.Done, "total": e.Total})
		case g.Role == api.Owner:
			st.commits(*e.Commit)
		case e.Commit.Seq > st.seq && st.err == nil:
			if log == nil { // once for all events
				log, st.err = s.missed(r, max(st.seq, e.Commit.Seq-1), s.opts.Hello().Seq)
			}
			for _, c := range log {
				if c.Seq == e.Commit.Seq {
					c.Paths, c.MorePaths = e.Commit.Paths, e.Commit.MorePaths
					st.commits(c)
				}
			}
		}
	}
}

// sinceOf returns the number after which past commits are requested, if any.
func sinceOf(r *http.Request) (seq uint64, past bool, err error) {
	text := r.Header.Get("Last-Event-ID")
	if q := r.URL.Query(); q.Has("since") {
		text = q.Get("since")
	}
	if text == "" {
		return 0, false, nil
	}
	if seq, err = strconv.ParseUint(text, 10, 63); err != nil {
		return 0, false, fmt.Errorf("since: %q is not the number of a commit", text)
	}
	return seq, true, nil
}

// missed lists the commits after a number up to the head, oldest first.
func (s *Server) missed(r *http.Request, seq, head uint64) ([]api.Commit, error) {
	if head == seq {
		return nil, nil
	}
	ctx := author.WithScopes(r.Context(), api.Scopes{}) // the stream covers the memex only
	list, err := api.OpLog.Call(ctx, api.WithSync(s.service, api.SyncNone), api.LogRequest{Limit: int(head - seq)})
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	return slices.DeleteFunc(list, func(c api.Commit) bool { return c.Seq <= seq }), nil
}

// stream writes server-sent events until the first error.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	seq     uint64 // of the newest commit sent
	err     error
}

// json sends an event of a kind.
func (s *stream) json(kind string, data any) {
	text, err := json.Marshal(data)
	s.err = cmp.Or(s.err, err)
	s.send("event: " + kind + "\ndata: " + string(text) + "\n\n")
}

// maxWrite is the size in bytes after which a write takes no more commits.
const maxWrite = 64 << 10

// commits sends commits, each once, as the log shows them to this reader. It batches them into few writes.
func (s *stream) commits(list ...api.Commit) {
	var all strings.Builder
	for i := range list {
		if c := &list[i]; c.Seq > s.seq && s.err == nil {
			text, err := json.Marshal(c)
			fmt.Fprintf(&all, "id: %d\nevent: commit\ndata: %s\n\n", c.Seq, text)
			s.seq, s.err = c.Seq, err
		}
		if all.Len() >= maxWrite {
			s.send(all.String())
			all.Reset()
		}
	}
	if all.Len() > 0 {
		s.send(all.String())
	}
}

func (s *stream) comment(text string) { s.send(": " + text + "\n\n") }

func (s *stream) send(text string) {
	if s.err != nil {
		return
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(transferTimeout)) // not every writer has deadlines
	if _, s.err = s.w.Write([]byte(text)); s.err == nil {
		s.err = s.control.Flush()
	}
}
