// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package champ

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

type value struct{ _ string }

func benchKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = testKey(i)
	}
	return keys
}

func loadKeys(keys []string, v *value) Map[*value] {
	e := Map[*value]{}.Edit()
	for _, k := range keys {
		e.Set(k, v)
	}
	return e.Map()
}

func sizes(b *testing.B, f func(b *testing.B, n int)) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { f(b, n) })
	}
}

func BenchmarkGet(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		keys := benchKeys(n)
		m := loadKeys(keys, &value{})
		rng := rand.New(rand.NewPCG(1, 2))
		rng.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		i := 0
		for b.Loop() {
			if _, ok := m.Get(keys[i]); !ok {
				b.Fatal("lost")
			}
			if i++; i == n {
				i = 0
			}
		}
	})
}

func BenchmarkSet(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		keys := benchKeys(n)
		v := &value{}
		m := loadKeys(keys, v)
		i := 0
		b.ReportAllocs()
		for b.Loop() {
			m = m.Set(keys[i], v)
			if i += 7919; i >= n {
				i -= n
			}
		}
	})
}

// BenchmarkLoad fills an empty map with an Editor. B/key is the memory of the
// map, without the bytes of keys and values.
func BenchmarkLoad(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		keys := benchKeys(n)
		v := &value{}
		var m Map[*value]
		before := heap()
		for b.Loop() {
			m = loadKeys(keys, v)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
		b.ReportMetric(float64(heap()-before)/float64(n), "B/key")
		runtime.KeepAlive(m)
		runtime.KeepAlive(keys)
	})
}

// BenchmarkBuild builds the map of BenchmarkLoad in one step.
func BenchmarkBuild(b *testing.B) {
	sizes(b, func(b *testing.B, n int) {
		keys := benchKeys(n)
		v := &value{}
		for b.Loop() {
			entries := make([]Entry[*value], n)
			for i, k := range keys {
				entries[i] = NewEntry(k, v)
			}
			Build(entries)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
	})
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
