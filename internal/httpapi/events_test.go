// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// listen opens a stream of events as the person; headers are as in ask.
func (s *site) listen(ctx context.Context, path string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer person")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// told is one commit as a stream tells of it.
type told struct {
	ID     string
	Commit api.Commit
}

// commits reads that many commits of a stream.
func commits(t *testing.T, lines *bufio.Scanner, number int) []told {
	t.Helper()
	list, one := []told{}, told{}
	for len(list) < number && lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			one.ID = value
		case "data":
			if one.ID == "" {
				continue // of progress
			}
			if err := json.Unmarshal([]byte(value), &one.Commit); err != nil {
				t.Fatal(err)
			}
			list, one = append(list, one), told{}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("after %d of %d commits: %v", len(list), number, err)
	}
	return list
}

// TestEventsFromAnywhere: a stream begins after any commit, also where the history was
// purged and thinned since; each commit comes once and in order, then those that are
// made. Who names a commit that is not there yet is told of all that come.
func TestEventsFromAnywhere(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\nsecret one\n"})
	s.must("ingest", "{}")
	for i := range 4 {
		s.write("a.org", fmt.Sprintf("* A\nsecret %d\n", i))
		s.must("ingest", "{}")
	}
	s.write("a.org", "* A\n")
	s.must("ingest", "{}")
	for _, step := range []struct{ name, op, body string }{
		{"as it came", "", ""},
		{"after a purge", "purge", `{"text":"secret 2"}`},
		{"after a retain", "retain", `{"keep_all":"1ns"}`},
	} {
		t.Run(step.name, func(t *testing.T) {
			s := s.of(t)
			if step.op != "" {
				s.must(step.op, step.body)
			}
			for i := range 12 {
				var log []api.Commit
				if err := json.Unmarshal(s.must("log", "{}").body, &log); err != nil {
					t.Fatal(err)
				}
				head := len(log)
				since := []int{0, 1, head / 2, head - 1, head, head + 3}[i/2]
				s.streamFrom(t, since, i%2 == 1, log)
			}
		})
	}
}

// streamFrom opens a stream after a commit, makes commits, and checks its events.
func (s *site) streamFrom(t *testing.T, since int, header bool, log []api.Commit) {
	t.Helper()
	const more = 2
	head := len(log)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	path, headers := fmt.Sprintf("/v1/events?since=%d", since), []string{}
	if header {
		path, headers = "/v1/events", []string{"Last-Event-ID", fmt.Sprint(since)}
	}
	a := s.listen(ctx, path, headers...)
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	past := commits(t, lines, max(0, head-since))
	for i, c := range past {
		want := log[head-since-1-i]
		if diff := cmp.Diff(told{fmt.Sprint(since + 1 + i), want}, c); diff != "" {
			t.Fatalf("behind %d, header %v (-log +stream):\n%s", since, header, diff)
		}
	}
	for i := range more {
		s.write("b.org", fmt.Sprintf("* B %d %d %v\n", since, i, header))
		s.must("ingest", "{}")
	}
	for i, c := range commits(t, lines, more) {
		if want := fmt.Sprint(head + 1 + i); c.ID != want || fmt.Sprint(c.Commit.Seq) != want {
			t.Fatalf("behind %d, header %v: %s of commit %d is told live, want %s", since, header, c.ID, c.Commit.Seq, want)
		}
	}
}

// TestStreamsEndWithTheServer: a stream ends when the server stops, also that of a request for its header alone.
func TestStreamsEndWithTheServer(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		stop, begun, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
		hello := func() api.Hello { close(begun); return api.Hello{} }
		h := httpapi.New(httpapi.Options{Feed: &api.Feed{}, Hello: hello, Stop: stop}).Handler(owner)
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, method, "/v1/events", nil))
			close(ended)
		}()
		<-begun
		close(stop)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: it goes on", method)
		}
		leave()
	}
}
