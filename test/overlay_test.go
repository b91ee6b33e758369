// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// over returns the memex under scopes.
func (w *world) over(scopes ...string) fovea.View {
	w.t.Helper()
	v, err := w.m.Over(w.t.Context(), scopes...)
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

func TestOver(t *testing.T) {
	w := newProjects(t, map[string][]string{"boat": {"work/boat"}}, projectFiles)
	w.ingest()
	w.scope("project/boat")
	v := w.over("project/boat", "session/none")
	if diff := cmp.Diff([]string{"home.org", "work/boat/rivets.org", "work/plan.org"}, paths(v)); diff != "" {
		t.Error(diff)
	}
	for n := range v.All() {
		want := "memex"
		if strings.HasPrefix(n.Path, "work/boat/") {
			want = "project/boat"
		}
		if got := v.Scope(n); got != want {
			t.Errorf("%s is said to be of %s", n.ID, got)
		}
	}
	if w.over("project/boat", "session/none") != v {
		t.Error("a view of what did not change was made anew")
	}
	if got := w.over(); got != w.m.View() {
		t.Error("without scopes it is not the memex")
	}
	for scope, want := range map[string]fovea.Kind{"project/none": fovea.NotFound, "x": fovea.Invalid, "session/": fovea.Invalid} {
		if _, err := w.m.Over(t.Context(), scope); fovea.KindOf(err) != want {
			t.Errorf("%s: %v", scope, err)
		}
	}
	if got, _ := w.m.Scopes(); len(got) != 1 {
		t.Errorf("asking made scopes: %v", got)
	}
}

// An id that both claim is the project's while one looks at the project.
func TestUpperScopeBearsTheID(t *testing.T) {
	drawer := ":PROPERTIES:\n:ID: one\n:END:\n"
	w := newProjects(t, map[string][]string{"z": {"z"}}, map[string]string{
		"a.org": "* Below\n" + drawer, "z/b.org": "* Above\n" + drawer,
	})
	w.ingest()
	w.scope("project/z")
	for name, want := range map[string]string{"": "Below", "project/z": "Above"} {
		v := w.over()
		if name != "" {
			v = w.over(name)
		}
		if n, ok := v.Get("one"); !ok || n.Title() != want {
			t.Errorf("%q: got %v", name, n)
		}
	}
}

// TestOverlayModel drives a memex with two projects, one in the other. What lies
// over the memex is, after whatever happened, what an index built fresh from it
// would give, and what a memex over the same folder without projects holds.
func TestOverlayModel(t *testing.T) {
	files := []string{"a.org", "p/b.org", "p/c.org", "p/q/d.org"}
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{t: t, dir: t.TempDir(), store: faultfs.New(), clock: time.Now().Add(time.Hour)}
		w.projects = map[string][]string{"p": {"p"}, "q": {"p/q"}}
		w.open()
		defer func() { w.m.Close() }()
		serial := 0
		sync := func() {
			w.ingest()
			w.scope("project/p")
			w.scope("project/q")
		}
		rt.Repeat(map[string]func(*rapid.T){
			"write": func(rt *rapid.T) {
				var text strings.Builder
				for range rapid.IntRange(1, 3).Draw(rt, "headlines") {
					serial++
					fmt.Fprintf(&text, "* %s %s\n:PROPERTIES:\n:ID: id-%d\n:END:\n%s\n", rapid.SampledFrom([]string{"TODO", "DONE", ""}).Draw(rt, "todo"),
						rapid.SampledFrom([]string{"rivets", "gauge", "rivets gauge"}).Draw(rt, "title"), serial,
						rapid.SampledFrom([]string{"steel", "steel steel", "rain on the gauge"}).Draw(rt, "body"))
				}
				w.write(map[string]string{rapid.SampledFrom(files).Draw(rt, "file"): text.String()})
				sync()
			},
			"rollback": func(rt *rapid.T) {
				m := w.scope(rapid.SampledFrom([]string{"memex", "project/p", "project/q"}).Draw(rt, "scope"))
				if _, _, err := m.History().Rollback(t.Context(), "0", nil); err != nil && fovea.KindOf(err) != fovea.NotFound {
					rt.Fatal(err)
				}
			},
			"tree": func(rt *rapid.T) {
				serial++
				text := fmt.Sprintf(`{"type":"headline","properties":{"ID":%q,"TITLE":"rivets %d","TODO":"TODO"},"raw-content":%q,"contents":[{"type":"paragraph",`+
					`"properties":{"ID":%q},"raw-content":"rain"}]}`,
					rapid.SampledFrom([]string{"one", "two"}).Draw(rt, "id"), serial, rapid.SampledFrom([]string{"steel", "gauge"}).Draw(rt, "body"),
					rapid.SampledFrom([]string{"three", "four"}).Draw(rt, "kid"))
				m := w.scope(rapid.SampledFrom([]string{"session/one", "project/r"}).Draw(rt, "scope"))
				w.take(m, text, "")
			},
			"look":    func(*rapid.T) { w.over("project/p") },
			"restart": func(*rapid.T) { w.reopen() },
			"": func(rt *rapid.T) {
				w.scope("project/r")
				v := w.over("project/p", "project/q", "project/r", "session/one")
				sameAnswers(rt, fresh(v), v)
			},
			"alone": func(rt *rapid.T) {
				v := w.over("project/p", "project/q")
				plain := &world{t: t, dir: w.dir, store: faultfs.New(), clock: w.clock}
				plain.open()
				defer plain.m.Close()
				if fresh := plain.ingest(); fresh.Root() != v.Root() {
					rt.Errorf("the folder alone has another root: %v, %v", paths(fresh), paths(v))
				}
			},
		})
	})
}

// sameAnswers compares what two views answer.
func sameAnswers(t interface{ Errorf(string, ...any) }, want, got fovea.View) {
	now := time.Now()
	for _, words := range []string{"rivets", "steel gauge", "rain"} {
		a, errA := want.Search(words, 0, nil, now)
		b, errB := got.Search(words, 0, nil, now)
		if diff := cmp.Diff(hitList(a), hitList(b)); diff != "" || errA != nil || errB != nil {
			t.Errorf("search %q: %v, %v\n%s", words, errA, errB, diff)
		}
	}
	for _, text := range []string{"todo:TODO", "todo:DONE", "heading:rivets", "type:headline"} {
		e, err := query.Parse(text)
		if err != nil {
			panic(err)
		}
		a, errA := want.Query(e, 0, now)
		b, errB := got.Query(e, 0, now)
		if fmt.Sprint(idsOf(a)) != fmt.Sprint(idsOf(b)) || errA != nil || errB != nil {
			t.Errorf("query %s: %v and %v, %v, %v", text, idsOf(a), idsOf(b), errA, errB)
		}
	}
	for n := range want.All() {
		if o, ok := got.Get(n.ID); !ok || o.Version != n.Version || o.Path != n.Path {
			t.Errorf("get %s: %v", n.ID, o)
		}
	}
}

func hitList(hits []node.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, fmt.Sprint(h.Node.ID, " ", h.Score))
	}
	return out
}

func idsOf(nodes []*node.Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = n.ID
	}
	return out
}
