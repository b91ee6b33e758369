// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// benchLeaf has about the encoded size of a node's entry: an id of 36 bytes, a
// version, the parent's id and a path.
type benchLeaf struct {
	key     Digest
	id      string
	version Digest
}

func (l *benchLeaf) Key() Digest { return l.key }

func (l *benchLeaf) AppendCanonical(dst []byte) []byte {
	dst = AppendList(dst, 4)
	dst = AppendText(dst, l.id)
	dst = AppendLink(dst, l.version)
	dst = AppendText(dst, l.id)
	return AppendBytes(dst, "projects/rain-gauge.org")
}

func benchLeaves(n int) []*benchLeaf {
	all := make([]*benchLeaf, n)
	for i := range all {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", i, i)
		all[i] = &benchLeaf{Sum([]byte(id)), id, Sum([]byte{byte(i)})}
	}
	return all
}

// BenchmarkMapBuild builds a map of 100k leaves from scratch. B/leaf is the
// memory of the map, without the leaves.
func BenchmarkMapBuild(b *testing.B) {
	all := benchLeaves(100_000)
	var m Map[*benchLeaf]
	before := heap()
	for b.Loop() {
		m = Build(all)
	}
	b.ReportMetric(float64(heap()-before)/float64(len(all)), "B/leaf")
	runtime.KeepAlive(m)
	runtime.KeepAlive(all)
}

// BenchmarkMapChange sets leaves in a map of 100k and computes the new root.
func BenchmarkMapChange(b *testing.B) {
	all := benchLeaves(100_000)
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := Build(all)
			i := 0
			for b.Loop() {
				e := m.Edit()
				for range n {
					l := *all[i]
					l.version[1]++
					e.Set(&l)
					i = (i + 997) % len(all)
				}
				m = e.Map()
			}
		})
	}
}

func BenchmarkMapDiff(b *testing.B) {
	all := benchLeaves(100_000)
	old := Build(all)
	e := old.Edit()
	for i := range 100 {
		l := *all[i*997]
		l.version[1]++
		e.Set(&l)
	}
	changed := e.Map()
	for b.Loop() {
		n := 0
		for range Diff(old, changed, func(x, y *benchLeaf) bool { return x.version == y.version }) {
			n++
		}
		if n != 100 {
			b.Fatal(n)
		}
	}
}

func BenchmarkMapGet(b *testing.B) {
	all := benchLeaves(100_000)
	m := Build(all)
	i := 0
	for b.Loop() {
		if _, ok := m.Get(all[i].key); !ok {
			b.Fatal("lost")
		}
		i = (i + 7919) % len(all)
	}
}

func BenchmarkProof(b *testing.B) {
	all := benchLeaves(100_000)
	m := Build(all)
	size := 0
	p := m.Prove(all[7].key)
	for _, s := range p.Steps {
		size += 4 + len(s.Beside)*DigestSize
	}
	for b.Loop() {
		m.Prove(all[7].key)
	}
	b.ReportMetric(float64(size), "B/proof")
}

func BenchmarkCodec(b *testing.B) {
	text := strings.Repeat("a line of a note\n", 24)
	appendNode := func(dst []byte) []byte {
		dst = AppendUint(AppendText(AppendMap(dst, 4), "f"), 0)
		dst = AppendText(AppendText(dst, "type"), "headline")
		dst = AppendList(AppendText(dst, "attrs"), 0)
		dst, _ = AppendContent(AppendText(dst, "content"), text, nil)
		return dst
	}
	block := appendNode(nil)
	b.Run("append", func(b *testing.B) {
		b.SetBytes(int64(len(block)))
		buf := make([]byte, 0, len(block))
		for b.Loop() {
			appendNode(buf)
		}
	})
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(len(block)))
		for b.Loop() {
			if err := Check(block); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(block)))
		for b.Loop() {
			r := NewReader(block)
			r.FixedMap(4)
			r.Key("f")
			r.Uint()
			r.Key("type")
			r.Text()
			r.Key("attrs")
			r.List()
			r.Key("content")
			if _, err := ReadContent(r, nil); err != nil || r.Done() != nil {
				b.Fatal(err, r.Err())
			}
		}
	})
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
