// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
)

// BenchmarkSwitch makes a state that is kept the present one and back, as the end of
// a rollback of one file among 1,000 does: the view that follows, and its head. The
// difference of the states, the files, the commit and its sync are not in it.
func BenchmarkSwitch(b *testing.B) {
	files := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	for i := range 1000 {
		files.Put(fmt.Sprintf("f%05d.org", i), document.File(foveatest.GenFile(i, 10), false))
	}
	state, _ := files.Seal()
	was := New(state, chain.Commit{}, "memex")
	d := was.State.Edit(2)
	d.Put("f00500.org", document.File(foveatest.GenFile(500, 10)+"changed\n", false))
	next, forth := d.Seal()
	back := graph.Diff(next, was.State)
	b.ReportAllocs()
	v := was
	for b.Loop() {
		v = v.follow(next, &forth, was.commit)
		v = v.follow(was.State, &back, was.commit)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/switch")
}
