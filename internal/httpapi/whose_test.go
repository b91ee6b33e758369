// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/foveatest/looking"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// callers have the name ada, or none, with different rights.
var callers = map[string]api.Grant{
	"the owner":              {Role: api.Owner},
	"the owner in a name":    {Role: api.Owner, Agent: "ada"},
	"an owner's token":       {Role: api.Owner, Agent: "ada", Vouched: true},
	"who says so":            {Role: api.Agent, Agent: "ada"},
	"a keeper":               {Role: api.Keeper, Agent: "ada"},
	"a token":                {Role: api.Agent, Agent: "ada", Vouched: true},
	"a token with a path":    {Role: api.Agent, Agent: "ada", Vouched: true, Paths: []string{"b.org"}},
	"a token with operation": {Role: api.Agent, Agent: "ada", Vouched: true, Operations: []string{"edit", "purge"}},
	"a token of a scope":     {Role: api.Agent, Agent: "ada", Vouched: true, Scopes: []string{"project/river"}, Paths: []string{"b.org"}},
	"a reader":               {Role: api.Reader, Agent: "ada", Vouched: true},
	"another's token":        {Role: api.Agent, Agent: "bob", Vouched: true},
	"nobody":                 {},
}

// TestNobodyIsAnsweredForAnother: who is refused a request is refused it also under a key
// that another one's came under, who bears the same name and may do more.
func TestNobodyIsAnsweredForAnother(t *testing.T) {
	s := open(t, map[string]string{"b.org": "* Two\n:PROPERTIES:\n:ID: two\n:END:\n"})
	s.must("ingest", "{}")
	server := httpapi.New(httpapi.Options{Service: looking.First(api.NewLocal(s.m, nil)), Feed: s.feed, Hello: func() api.Hello { return api.Hello{} }})
	ask := func(g api.Grant, key, title string) (int, string) {
		h := server.Handler(func(*http.Request) (api.Grant, error) { return g, nil })
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/edit", strings.NewReader(`{"id":"two","title":"`+title+`"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(api.HeaderOp, key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	n := 0
	for first, a := range callers {
		for second, b := range callers {
			n++
			key, title := "key-"+strings.Repeat("x", n%100)+string(rune('a'+n/100)), "Title "+strings.Repeat("i", n)
			if code, _ := ask(a, key, title); code != http.StatusOK {
				continue
			}
			if may, _ := ask(b, key+"-own", title); may == http.StatusOK {
				continue
			}
			if code, text := ask(b, key, title); code == http.StatusOK {
				t.Errorf("%s is answered what %s was: %s", second, first, text)
			}
		}
	}
}

// TestEveryCallerIsKeptApart: what is kept for one who asks is kept for nobody else.
func TestEveryCallerIsKeptApart(t *testing.T) {
	seen := map[string]string{}
	for name, g := range callers {
		if other, is := seen[g.Holder()]; is {
			t.Errorf("%s and %s are one", name, other)
		}
		seen[g.Holder()] = name
	}
}

// TestEventsTellWhatTheLogTells: a commit whose words are withheld by the time it is told
// comes without them, as in the log.
func TestEventsTellWhatTheLogTells(t *testing.T) {
	const planSkill = ":PROPERTIES:\n:ID: plan\n:SKILL_PRIORITY: 7\n:END:\n#+TITLE: Plan\n"
	s := open(t, map[string]string{"skills/plan.org": planSkill + "* Zy9title\n:PROPERTIES:\n:ID: zy9\n:END:\n"})
	s.must("ingest", "{}")
	s.must("edit", `{"id":"zy9","title":"Zy9secret"}`)
	told := s.m.View().Head()
	s.write("skills/plan.org", planSkill+"* Another step\n")
	s.must("ingest", "{}")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	a := s.listen(ctx, "/v1/events", "Authorization", "Bearer agent")
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	lines.Scan() // it listens
	s.feed.Committed(told)
	s.feed.Committed(s.m.View().Head())
	seq := told.Seq
	for range 2 {
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
		}
		text := lines.Text()
		if strings.Contains(strings.ToLower(text), "zy9") || !strings.Contains(text, fmt.Sprintf(`"seq":%d,`, seq)) {
			t.Errorf("told of %d: %s", seq, text)
		}
		seq++
	}
}

// TestEventsOfManyCommitsHaveTheirPaths: an agent that is told of several commits at once hears of the
// files of each.
func TestEventsOfManyCommitsHaveTheirPaths(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	s.must("ingest", "{}")
	var made []fovea.Commit
	for _, name := range []string{"b.org", "c.org", "d.org"} {
		s.write(name, "* Note\n")
		s.must("ingest", "{}")
		c := s.m.View().Head()
		c.Paths = []string{name}
		made = append(made, c)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	a := s.listen(ctx, "/v1/events", "Authorization", "Bearer agent")
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	lines.Scan() // it listens
	for _, c := range made {
		s.feed.Committed(c)
	}
	for i, c := range commits(t, lines, len(made)) {
		if !slices.Equal(c.Commit.Paths, made[i].Paths) {
			t.Errorf("commit %d: %q, want %q", c.Commit.Seq, c.Commit.Paths, made[i].Paths)
		}
	}
}

// TestWhoNeverReadsIsLetGo: a stream of MCP whose client does not read has a deadline for
// each write, so that it ends, and gives back its share.
func TestWhoNeverReadsIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		mcp := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					ended <- err
					return
				}
			}
		})
		server := httpapi.New(httpapi.Options{Service: api.Service(nil), Feed: &api.Feed{}, Hello: func() api.Hello { return api.Hello{} },
			MCP: func(api.Service) http.Handler { return mcp }})
		here, there := net.Pipe()
		l := &one{conn: make(chan net.Conn, 1), gone: make(chan struct{})}
		l.conn <- there
		web := &http.Server{Handler: server.Handler(func(*http.Request) (api.Grant, error) { return api.Grant{Role: api.Agent, Agent: "ada"}, nil })}
		go func() { _ = web.Serve(l) }()
		if _, err := io.WriteString(here, "GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := <-ended; err == nil || time.Since(begun) > 2*time.Minute {
			t.Errorf("it ended after %v: %v", time.Since(begun), err)
		}
		here.Close()
		web.Close()
	})
}

// one is a listener that has one connection.
type one struct {
	conn chan net.Conn
	gone chan struct{}
}

func (l *one) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.gone:
		return nil, errors.New("closed")
	}
}
func (l *one) Close() error   { close(l.gone); return nil }
func (l *one) Addr() net.Addr { return &net.UnixAddr{} }
