// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/merkle"
)

func TestResolveConflicts(t *testing.T) {
	const id = ":PROPERTIES:\n:ID: a\n:END:\n"
	const two = "* B :x:conflict:\n" + id + ":CONFLICT:\n- title :: by ann\n: -B\n: +C\n- body :: by ann\n: -1\n: +2\n: +3\n:END:\n1\n** Child\n"
	tests := []struct {
		name, text string
		take       bool
		which      []int
		want, says string
	}{
		{"what stands", two, false, nil, "* B :x:\n" + id + "1\n** Child\n", ""},
		{"what was lost", two, true, nil, "* C :x:\n" + id + "2\n3\n** Child\n", ""},
		{"one of them", two, true, []int{1}, "* B :x:conflict:\n" + id + ":CONFLICT:\n- title :: by ann\n: -B\n: +C\n:END:\n2\n3\n** Child\n", ""},
		{"deleted", "* B :conflict:\n" + id + ":CONFLICT:\n- deleted :: by ann\n:END:\n** Child\n* C\n", true, nil, "* C\n", ""},
		{"not deleted", "* B :conflict:\n" + id + ":CONFLICT:\n- deleted :: by ann\n:END:\n* C\n", false, nil, "* B\n" + id + "* C\n", ""},
		{"changed since", strings.Replace(two, "* B", "* Z", 1), true, nil, "", "it changed since"},
		{"no such one", two, true, []int{5}, "", "no conflict 6; the node keeps 2"},
		{"none", "* B\n" + id, false, nil, "", "keeps no conflict"},
		{"a place", "* B :conflict:\n" + id + ":CONFLICT:\n- place :: by ann\n: -a.org\n: +b.org\n:END:\n", true, nil, "", "move or forget the node"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": tt.text})
			w.ingest()
			_, err := w.m.Notes().ResolveConflicts(t.Context(), "a", nil, tt.take, tt.which...)
			want := tt.want
			if tt.says != "" {
				want = tt.text
			}
			if diff := cmp.Diff(map[string]string{"a.org": want}, w.onDisk()); diff != "" {
				t.Error(diff)
			}
			if (err != nil) != (tt.says != "") || !strings.Contains(fmt.Sprint(err), tt.says) && tt.says != "" {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
	w := newWorld(t, map[string]string{"a.org": two})
	w.ingest()
	if _, err := w.m.Notes().ResolveConflicts(t.Context(), "a", &fovea.WriteOptions{Base: merkle.Sum([]byte("old"))}, false); fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("on a stale digest: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"a.org": two}, w.onDisk()); diff != "" {
		t.Error(diff)
	}
}
