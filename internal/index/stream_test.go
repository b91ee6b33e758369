// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"testing"
)

// TestStream: notes of two files are neighbours by time where they have to do with each other,
// not where they do not, and never in files without times.
func TestStream(t *testing.T) {
	for _, tc := range []struct {
		name         string
		alike, timed bool
	}{{"one conversation", true, true}, {"two conversations", false, true}, {"no times", true, false}} {
		t.Run(tc.name, func(t *testing.T) {
			var docs []Doc
			texts := map[string]string{}
			files := []*File{{Path: "a"}, {Path: "b"}}
			for i := range 60 {
				for f, file := range files {
					topic := fmt.Sprint("topic", i/3)
					if f == 1 && !tc.alike {
						topic = fmt.Sprint("other", i/3)
					}
					id := fmt.Sprintf("%s%02d", file.Path, i)
					texts[id] = fmt.Sprintf("%s word%d%d shared%d", topic, f, i, (i*i+f)%5)
					docs = append(docs, Doc{ID: id, Body: texts[id]})
					file.IDs, file.Last = append(file.IDs, id), append(file.Last, int32(i))
					if tc.timed {
						file.Times = append(file.Times, uint64(2*i+f+1))
					}
				}
			}
			x := Build(docs)
			o := NewOrder(x, files)
			o.Join(func(id string) string { return texts[id] })
			var s Scores
			o.Score(x.QuestionTerms("word010", 0), &s) // stands in a10 alone
			for id, want := range map[string]bool{"a10": true, "a09": true, "b10": tc.alike && tc.timed, "b09": tc.alike && tc.timed, "b30": false} {
				if pos, _ := o.Position(id); s.Near[pos] > 0 != want {
					t.Errorf("%s is near a10: %v, want %v", id, !want, want)
				}
			}
		})
	}
}
