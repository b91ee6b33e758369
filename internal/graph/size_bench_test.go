// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/node"
)

// live is the bytes of what can be reached.
func live() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first left to be swept
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkSize reports what a state of 110,000 nodes takes in memory beside its
// nodes: the map from ids to nodes, and all maps.
func BenchmarkSize(b *testing.B) {
	for b.Loop() {
		s := generated(10_000)
		var nodes []*node.Node
		for n := range s.All() {
			nodes = append(nodes, n)
		}
		n := float64(len(nodes))
		both := live()
		runtime.KeepAlive(s)
		s = nil
		rest := live()
		b.ReportMetric((both-rest)/n, "maps-B/node")
		ids := champ.Map[*node.Node]{}.Edit()
		for _, n := range nodes {
			ids.Set(n.ID, n)
		}
		ofIDs := ids.Map()
		ids = nil
		b.ReportMetric((live()-rest)/n, "ids-B/node")
		runtime.KeepAlive(ofIDs)
		runtime.KeepAlive(nodes)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkChurn reports how much more memory 20 snapshots of a state of 110,000
// nodes take than the last of them alone, where 1 % of the nodes changed between
// each two: scattered over the files, or file by file.
func BenchmarkChurn(b *testing.B) {
	const files, per, snapshots = 10_000, 11, 20
	for _, c := range []struct {
		name    string
		changes int // nodes of a file that change with it
	}{{"scattered", 1}, {"together", per}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				kept := []*State{generated(files)}
				for round := range snapshots {
					d := kept[round].Edit(int64(round + 2))
					for f := range files * per / 100 / c.changes {
						churn(d, (f*91+round*37)%files, round, c.changes)
					}
					next, delta := d.Seal()
					if want := files * per / 100; len(delta.Changes) != want {
						b.Fatalf("%d nodes changed, want %d", len(delta.Changes), want)
					}
					kept = append(kept, next)
				}
				all := live()
				last := kept[snapshots]
				clear(kept)
				one := live()
				runtime.KeepAlive(last)
				b.ReportMetric(all/one, "all/one")
				b.ReportMetric(one/(1<<20), "one-MiB")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// churn changes the document of a file, which has no parent, or all nodes of one.
func churn(d *Draft, f, round, changes int) {
	path := fmt.Sprintf("f%05d.org", f)
	mark := fmt.Sprintf("# round %d\n", round)
	var text strings.Builder
	for i, n := range d.current(path) {
		text.WriteString(n.Content)
		if i < changes {
			text.WriteString(mark)
		}
	}
	d.Put(path, document.File(text.String(), false))
}
