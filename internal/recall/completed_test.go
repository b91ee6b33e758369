// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// changed returns a view of files ingested one after another, each at its time in
// milliseconds.
func changed(files []string, moments []int64) View {
	s := graph.Empty(document.Formats{org.Format{}})
	for i, text := range files {
		d := s.Edit(moments[i])
		d.Put(string(rune('a'+i))+".org", document.File(text, false))
		s, _ = d.Seal()
	}
	return View{State: s}
}

// completed joins the titles of recently finished entries.
func completed(t *testing.T, v View, keep query.Expr, limit int) string {
	t.Helper()
	nodes, err := v.Completed(keep, limit, now)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, n := range nodes {
		out = append(out, n.Title())
	}
	return strings.Join(out, ", ")
}

// TestRecentCompletedTasks expects headlines with CLOSED, newest first, and after them,
// whenever they changed, the others by time of change.
func TestRecentCompletedTasks(t *testing.T) {
	today := now.UnixMilli()
	v := changed([]string{
		"#+todo: TODO | DONE CANCELLED\n* DONE old\nCLOSED: [1960-01-01 Fri]\n* DONE new :x:\nCLOSED: [2026-11-10 Tue 08:00]\n" +
			"* CANCELLED newer\nCLOSED: [2026-11-10 Tue 09:00]\n* DONE seen :x:\n* TODO open\nCLOSED: [2026-11-11 Wed]\n" +
			"* DONE seen too\n* plain\nCLOSED: [2026-11-11 Wed]\n",
		"* DONE seen last\n* DONE as new\nCLOSED: [2026-11-10 Tue 08:00]\n",
		"* DONE seen first\n* DONE coming\nCLOSED: [2030-01-01 Tue]\n* DONE no time\nCLOSED: [soon]\n",
	}, []int64{today, today + 1, 1})
	tagged := query.Pred{Name: "tags", Args: []string{"x"}}
	for _, tc := range []struct {
		name  string
		keep  query.Expr
		limit int
		want  string
	}{
		{"all", nil, 0, "coming, newer, new, as new, old, seen last, seen, seen too, seen first, no time"},
		{"the latest", nil, 1, "coming"},
		{"more than there are", nil, 100, "coming, newer, new, as new, old, seen last, seen, seen too, seen first, no time"},
		{"a condition", tagged, 0, "new, seen"},
		{"a condition and a limit", tagged, 1, "new"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := completed(t, v, tc.keep, tc.limit); got != tc.want {
				t.Errorf("completed are %q, want %q", got, tc.want)
			}
		})
	}
	if _, err := v.Completed(query.Pred{Name: "nope"}, 0, time.Time{}); err == nil {
		t.Error("a query that cannot be is accepted")
	}
}
