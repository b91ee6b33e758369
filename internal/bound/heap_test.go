// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestHeapSorts compares a heap with a sorted slice while items come and go.
func TestHeapSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.IntRange(-9, 9)).Draw(t, "items")
		h := Heap[int]{slices.Clone(want), func(a, b int) bool { return a < b }}
		h.Init()
		for _, step := range rapid.SliceOf(rapid.IntRange(-9, 30)).Draw(t, "steps") {
			slices.Sort(want)
			switch {
			case step <= 9:
				h.Push(step)
				want = append(want, step)
			case len(want) > 0 && step < 20:
				if got := h.Pop(); got != want[0] {
					t.Fatalf("Pop = %d, want %d", got, want[0])
				}
				want = want[1:]
			case len(want) > 0:
				h.Items[0], want[0] = step-25, step-25
				h.down(0)
			}
		}
		slices.Sort(want)
		var got []int
		for len(h.Items) > 0 {
			got = append(got, h.Pop())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("popped %v, want %v", got, want)
		}
	})
}

// TestTopIsSorting asserts that Top equals a stable sort and a cut.
func TestTopIsSorting(t *testing.T) {
	type item struct{ score, order int }
	better := func(a, b item) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order)) }
	worse := func(a, b item) bool { return better(a, b) > 0 }
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(-1, 8).Draw(t, "limit")
		top := NewTop(limit, worse, make([]item, 3, 5))
		var all []item
		for i, score := range rapid.SliceOf(rapid.IntRange(0, 5)).Draw(t, "scores") {
			one := item{score, i}
			kept := min(len(all), max(limit, 0))
			slices.SortFunc(all, better)
			want := kept < limit || limit > 0 && better(one, all[limit-1]) < 0
			if got := top.Accepts(one); got != want {
				t.Fatalf("limit %d of %v: Accepts(%v) = %v", limit, all, one, got)
			}
			worst, full := top.Worst()
			if full != (limit > 0 && kept == limit) || full && worst != all[limit-1] {
				t.Fatalf("limit %d of %v: Worst = %v, %v", limit, all, worst, full)
			}
			top.Add(one)
			all = append(all, one)
		}
		slices.SortFunc(all, better)
		want := append([]item{}, all[:min(len(all), max(limit, 0))]...)
		if diff := gocmp.Diff(want, append([]item{}, top.Sorted()...), gocmp.AllowUnexported(item{})); diff != "" {
			t.Fatal(diff)
		}
	})
}
