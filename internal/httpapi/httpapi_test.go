// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// admit knows a person and an agent by their word; the word is no secret here.
func admit(r *http.Request) (api.Grant, error) {
	switch r.Header.Get("Authorization") {
	case "Bearer person":
		return api.Grant{Role: api.Owner}, nil
	case "Bearer agent":
		return api.Grant{Role: api.Agent, Agent: "ada"}, nil
	}
	return api.Grant{}, errors.New("no token, or a wrong one")
}

// site is a real memory over HTTP.
type site struct {
	t    *testing.T
	url  string
	dir  string
	m    *fovea.Memory
	feed *api.Feed
}

func open(t *testing.T, files map[string]string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), feed: &api.Feed{}}
	for name, text := range files {
		s.write(name, text)
	}
	secret, public, err := note.GenerateKey(rand.Reader, "test")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	s.m, err = fovea.Open(t.Context(), s.dir, &fovea.Options{
		StateDir: filepath.Join(t.TempDir(), "state"), Committed: s.feed.Committed, Buffers: &s.feed.Buffers, Signer: signer,
		PublicKey: public, Verifiers: note.VerifierList(key),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.m.Close() })
	s.serve()
	return s
}

// serve begins a server over the memory, which remembers nothing of another.
func (s *site) serve() {
	server := httptest.NewServer(httpapi.New(httpapi.Options{
		Service: api.NewLocal(s.m, &api.LocalOptions{Logs: func() (log, calls []string) { return []string{"1 one", "3 three"}, []string{"2 two"} }}),
		Feed:    s.feed, BodyLimit: 1 << 16,
		Hello: func() api.Hello {
			return api.Hello{Protocol: api.Protocol, Memex: s.dir, Root: s.m.View().Root().String(), Seq: s.m.View().Head().Seq}
		},
	}).Handler(admit))
	s.t.Cleanup(server.Close)
	s.url = server.URL
}

func (s *site) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, name)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o644)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r reply) problem(t *testing.T) api.Fault {
	t.Helper()
	var f api.Fault
	if kind := r.header.Get("Content-Type"); kind != "application/problem+json" || json.Unmarshal(r.body, &f) != nil {
		t.Fatalf("%d %s: %s: no problem", r.status, kind, r.body)
	}
	return f
}

// ask sends a request as the person; headers are name and value in turn and go
// before that.
func (s *site) ask(method, path, body string, headers ...string) reply {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer person")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{answer.StatusCode, answer.Header, text}
}

// TestAbuse: whatever is sent, the answer is a problem that tells what is wrong,
// and nothing changes.
func TestAbuse(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n", "mine.org": "* Mine\n"})
	s.ask("POST", "/v1/ingest", "{}")
	root := s.m.View().Root()
	for _, tc := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     string // in the detail
	}{
		{"no token", "POST", "/v1/status", "{}", []string{"Authorization", ""}, 401, "no token"},
		{"wrong token", "POST", "/v1/status", "{}", []string{"Authorization", "Bearer persom"}, 401, "wrong one"},
		{"unknown place", "GET", "/v2/status", "", nil, 404, "there is no such path"},
		{"a file", "GET", "/v1/etc/passwd", "", nil, 404, "there is no such path"},
		{"a write by GET", "GET", "/v1/edit?id=A", "", nil, 405, "use POST"},
		{"malformed", "POST", "/v1/query", "{", nil, 400, "ends in the middle"},
		{"a list", "POST", "/v1/query", "[1]", nil, 400, "send an object"},
		{"wrong type", "POST", "/v1/query", `{"limit":"x"}`, nil, 400, "limit: a string cannot stand here"},
		{"unknown key", "POST", "/v1/query", `{"limits":1}`, nil, 400, `unknown key "limits"`},
		{"unknown parameter", "GET", "/v1/query?limits=1", "", nil, 400, `unknown parameter "limits"`},
		{"parameter of a POST", "POST", "/v1/query?query=A", "{}", nil, 400, `unknown parameter "query"`},
		{"wrong parameter", "GET", "/v1/query?limit=x", "", nil, 400, "limit: "},
		{"twice", "GET", "/v1/query?query=a&query=b", "", nil, 400, "more than once"},
		{"object as parameter", "GET", "/v1/context?payload=x", "", nil, 400, "use POST"},
		{"a cursor of earlier versions", "GET", "/v1/query?limit=1&cursor=AAAA", "", nil, 400, "ask for a larger limit"},
		{"bad escape", "GET", "/v1/query?query=%zz", "", nil, 400, "not encoded"},
		{"too large", "POST", "/v1/remember", `{"title":"` + strings.Repeat("x", 1<<17) + `"}`, nil, 413, "more than 65536 bytes; send less"},
		{"a form", "POST", "/v1/rollback", "to=0", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "send JSON"},
		{"unknown sync", "POST", "/v1/status?sync=maybe", "{}", nil, 400, "scan or none"},
		{"long key", "POST", "/v1/snapshot", "{}", []string{"Idempotency-Key", strings.Repeat("k", 151)}, 400, "at most 150 bytes"},
		{"no such node", "POST", "/v1/show", `{"id":"Nobody"}`, nil, 404, "Nobody"},
		{"no such log line", "GET", "/v1/logs?limit=1001", "", nil, 400, "between 0 and 1000"},
		{"events from nowhere", "GET", "/v1/events?since=x", "", nil, 400, "not the number of a commit"},
		{"an agent's edit of a person's note", "POST", "/v1/edit", `{"id":"Mine","title":"Yours"}`, []string{"Authorization", "Bearer agent"}, 403,
			"agent ada writes below"},
		{"an agent's purge", "POST", "/v1/purge", `{"text":"Mine"}`, []string{"Authorization", "Bearer agent"}, 403, "may not"},
		{"an agent that says it is another", "POST", "/v1/edit", `{"id":"Mine","title":"Yours"}`,
			[]string{"Authorization", "Bearer agent", "Fovea-Agent", "person", "Fovea-Role", "owner"}, 403, "agent ada"},
		{"a path out of the memex", "POST", "/v1/remember", `{"title":"x","under":"../../x.org"}`, nil, 400, "../../x.org"},
		{"a name that no file has", "POST", "/v1/remember", `{"title":"x","under":"` + strings.Repeat("n", 300) + `.org"}`, nil, 400, "too long"},
		{"nothing to remember", "POST", "/v1/remember", "", nil, 400, "nothing to remember"},
		{"a note of nothing", "POST", "/v1/remember", `{"under":"a.org"}`, nil, 400, "nothing to remember"},
		{"a note of blanks", "POST", "/v1/remember", `{"title":" ","body":"\n\t"}`, nil, 400, "nothing to remember"},
		{"a note with a NUL", "POST", "/v1/remember", `{"title":"x","body":"a\u0000b"}`, nil, 400, "NUL"},
		{"stale", "POST", "/v1/edit", `{"id":"A","title":"B","base":"` + root.String() + `"}`, nil, 409, "changed since"},
		{"a condition as a header", "POST", "/v1/edit", `{"id":"A","title":"B"}`, []string{"If-Match", `"` + root.String() + `"`}, 400, "as base"},
		{"a condition of a new note", "POST", "/v1/remember", `{"title":"x"}`, []string{"If-Match", "*"}, 400, "as base"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := s.ask(tc.method, tc.path, tc.body, tc.headers...)
			f := r.problem(t)
			if r.status != tc.status || f.Status != tc.status || !strings.Contains(f.Detail, tc.want) {
				t.Errorf("%d %q, want %d %q", r.status, f.Detail, tc.status, tc.want)
			}
		})
	}
	if now := s.m.View().Root(); now != root {
		t.Errorf("something changed: %v, was %v", now, root)
	}
}

// TestBaseGuardsAWrite: the digest of a node as it was read guards a write.
func TestBaseGuardsAWrite(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n* B\n"})
	s.ask("POST", "/v1/ingest", "{}")
	shown := s.ask("GET", "/v1/show?id=A", "")
	n, ok := s.m.View().Get(nodeOf(t, shown))
	if !ok {
		t.Fatal(shown)
	}
	edit := fmt.Sprintf(`{"id":"A","append":"More.\n","base":"%v"}`, n.Own)
	if r := s.ask("POST", "/v1/edit", edit); r.status != 200 {
		t.Errorf("edit: %d %s", r.status, r.body)
	}
	if f := s.ask("POST", "/v1/edit", edit).problem(t); f.Status != 409 || f.Theirs == "" {
		t.Errorf("the same again: %+v", f)
	}
}

func nodeOf(t *testing.T, r reply) string {
	t.Helper()
	var n api.Shown
	if err := json.Unmarshal(r.body, &n); err != nil {
		t.Fatal(err)
	}
	return n.ID
}

// TestAgentsAreLimited: of 1,500 writes at once the first thousand pass, the next
// few wait, the rest are refused; others do not notice.
func TestAgentsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := api.Service(func(_ context.Context, c api.Call) (any, error) {
			return reflect.Zero(c.Op.Answer).Interface(), nil
		})
		h := httpapi.New(httpapi.Options{Service: svc, Feed: &api.Feed{}, Hello: func() api.Hello { return api.Hello{} }}).Handler(admit)
		ask := func(who, name string) int {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/"+name, nil)
			r.Header.Set("Authorization", "Bearer "+who)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code
		}
		var mu sync.Mutex
		count := map[int]int{}
		for range 1500 {
			go func() {
				code := ask("agent", "assign-ids")
				mu.Lock()
				defer mu.Unlock()
				count[code]++
			}()
		}
		synctest.Wait()
		if codes := []int{ask("person", "assign-ids"), ask("agent", "status")}; !cmp.Equal(codes, []int{200, 200}) {
			t.Errorf("the person's write and a read: %v", codes)
		}
		<-time.After(time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if want := (map[int]int{200: 1125, 429: 375}); !cmp.Equal(count, want) {
			t.Errorf("answers %v, want %v", count, want)
		}
		if code := ask("agent", "assign-ids"); code != 200 {
			t.Errorf("after a second: %d", code)
		}
	})
}

// TestBesideOperations: health, log, and who it is.
func TestBesideOperations(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	if r := s.ask("GET", "/healthz", "", "Authorization", ""); r.status != 200 {
		t.Errorf("health: %d", r.status)
	}
	if r := s.ask("GET", "/readyz", ""); r.status != 200 {
		t.Errorf("ready: %d", r.status)
	}
	if r := s.ask("GET", "/v1/logs?limit=2", ""); string(r.body) != "{\"lines\":[\"2 two\",\"3 three\"]}\n" {
		t.Errorf("logs: %s", r.body)
	}
	var h api.Hello
	if err := json.Unmarshal(s.ask("GET", "/v1/hello", "").body, &h); err != nil || h.Protocol != api.Protocol || h.Memex != s.dir {
		t.Errorf("hello: %+v, %v", h, err)
	}
}

// TestAgentsAreLimitedOverMCP, too: both faces count the writes of an agent together.
func TestAgentsAreLimitedOverMCP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := api.Service(func(_ context.Context, c api.Call) (any, error) {
			return reflect.Zero(c.Op.Answer).Interface(), nil
		})
		var mcp api.Service
		httpapi.New(httpapi.Options{
			Service: svc, Feed: &api.Feed{}, Hello: func() api.Hello { return api.Hello{} },
			MCP: func(svc api.Service) http.Handler { mcp = svc; return http.NotFoundHandler() },
		})
		as := func(agent string) context.Context {
			return author.WithGrant(t.Context(), api.Grant{Agent: agent, Role: api.Agent})
		}
		begun, stored := time.Now(), 0
		for range 100_000 {
			switch _, err := api.OpRemember.Call(as("ada"), mcp, api.RememberRequest{}); {
			case err == nil:
				stored++
			case fovea.KindOf(err) != fovea.Busy:
				t.Fatal(err)
			}
			if time.Since(begun) >= time.Minute {
				break
			}
			<-time.After(600 * time.Microsecond) // 100,000 a minute, where none has to wait
		}
		if took := time.Since(begun); took < time.Minute || stored < 30_000 || stored > 31_000 {
			t.Errorf("%d stored in %v", stored, took)
		}
		if _, err := api.OpRemember.Call(as("bob"), mcp, api.RememberRequest{}); err != nil {
			t.Errorf("another agent: %v", err)
		}
		for name, keep := range map[string]func(context.Context) error{ // each keeps a state for ever
			"eve": func(ctx context.Context) error {
				_, err := api.OpSnapshot.Call(ctx, mcp, api.SnapshotRequest{})
				return err
			},
			"mia": func(ctx context.Context) error {
				_, err := api.OpCheckpoint.Call(ctx, mcp, api.CheckpointRequest{})
				return err
			},
		} {
			for begun, kept := time.Now(), 0; ; <-time.After(100 * time.Millisecond) {
				switch err := keep(as(name)); {
				case err == nil:
					kept++
				case fovea.KindOf(err) != fovea.Busy:
					t.Fatal(err)
				}
				if time.Since(begun) > time.Minute {
					if kept < 110 || kept > 130 {
						t.Errorf("%s: %d states kept in a minute", name, kept)
					}
					break
				}
			}
			if err := keep(author.WithGrant(t.Context(), api.Grant{Role: api.Owner})); err != nil {
				t.Errorf("the owner: %v", err)
			}
		}
	})
}
