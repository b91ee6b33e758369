// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

func testEmpty(h *history) {
	for range 2 {
		h.equal("records", len(h.replay(store.Pos{})), 0)
		h.equal("commits", len(h.commits(store.Span{From: 0, To: 9})), 0)
		h.equal("head", h.s.Head(), store.Head{})
		h.fails(errorOf(h.s.LoadImage()), store.ErrNoImage)
		h.block([]byte("nothing"), store.ErrNotFound)
		end, err := h.s.Append(h.Context(), &store.Batch{})
		if err != nil || end != h.s.End() {
			h.Errorf("an empty batch ends at %v, %v; the store at %v", end, err, h.s.End())
		}
		h.reopen()
	}
}

func testAppendReplay(h *history) {
	kinds := []store.Kind{store.Block, store.Intent, store.Commit, store.Mark}
	var want []entry
	var ends []store.Pos
	for i := range 12 {
		name := fmt.Sprint("batch ", i)
		end := h.append(name, kinds[:1+i%4]...)
		if i > 0 && end.Compare(ends[i-1]) <= 0 || end != h.s.End() {
			h.Fatalf("batch %d ends at %v, the store at %v, and the batches before at %v", i, end, h.s.End(), ends)
		}
		ends = append(ends, end)
		for j, k := range kinds[:1+i%4] {
			want = append(want, entry{Kind: k, Batch: uint64(i + 1), Data: string(dataOf(name, j))})
		}
		if i%5 == 4 {
			h.reopen()
		}
	}
	all := h.replay(store.Pos{})
	for i := range min(len(all), len(want)) {
		want[i].Pos = all[i].Pos
		if i > 0 && all[i].Pos.Compare(all[i-1].Pos) <= 0 {
			h.Errorf("record %d is at %v, and the one before at %v", i, all[i].Pos, all[i-1].Pos)
		}
	}
	h.equal("records", all, want)
	for i, end := range ends {
		later := slices.DeleteFunc(slices.Clone(want), func(e entry) bool { return e.Batch <= uint64(i+1) })
		if len(later) > 0 {
			h.equal(fmt.Sprint("records behind ", end), h.replay(end), later)
		}
	}
	h.equal("records behind all batches", len(h.replay(ends[len(ends)-1])), 0)
	h.equal("records behind the end", len(h.replay(store.Pos{Segment: 1 << 40, Offset: 1 << 40})), 0)
}

func testReplayEnds(h *history) {
	h.append("a", store.Block, store.Commit)
	h.append("b", store.Commit)
	stop := errors.New("enough")
	calls := 0
	count := func(store.Record) error { calls++; return stop }
	if err := h.s.Replay(store.Pos{}, count); err != stop || calls != 1 {
		h.Errorf("replay: %v after %d calls, want the function's own error after one", err, calls)
	}
	if err := h.s.Commits(h.Context(), store.Span{From: 1, To: 2}, count); err != stop || calls != 2 {
		h.Errorf("commits: %v after %d calls, want the function's own error after one", err, calls-1)
	}
	ctx, cancel := context.WithCancel(h.Context())
	cancel()
	h.fails(h.s.Commits(ctx, store.Span{From: 1, To: 2}, count), context.Canceled)
	if err := h.s.Err(); err != nil {
		h.Errorf("an error of a function made the store read-only: %v", err)
	}
}

// testAppendTogether appends from several goroutines. No batch is torn, each end is that
// of its batch, and the batches of a goroutine keep their order.
func testAppendTogether(h *history) {
	const writers, each = 8, 20
	kinds := []store.Kind{store.Block, store.Commit, store.Mark}
	nameOf := func(w, i int) string { return fmt.Sprintf("%d/%d", w, i) }
	var ends [writers][each]store.Pos
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				var b store.Batch
				for j, k := range kinds {
					b.Add(k, dataOf(nameOf(w, i), j))
				}
				var err error
				if ends[w][i], err = h.s.Append(h.Context(), &b); err != nil {
					h.Error(err)
				}
			}
		})
	}
	wg.Wait()
	h.reopen()
	all := h.replay(store.Pos{})
	if len(all) != len(kinds)*writers*each {
		h.Fatalf("%d records, want %d", len(all), len(kinds)*writers*each)
	}
	place := map[string]int{}
	for i, e := range all {
		name, _, _ := strings.Cut(e.Data, " ")
		if e.Kind != kinds[i%3] || e.Batch != uint64(i/3+1) || e.Data != string(dataOf(name, i%3)) {
			h.Fatalf("record %d is a %v of batch %d: %.20q", i, e.Kind, e.Batch, e.Data)
		}
		place[name] = i / 3 * 3
	}
	for w := range writers {
		for i, end := range ends[w] {
			at := place[nameOf(w, i)]
			if i > 0 && at <= place[nameOf(w, i-1)] {
				h.Errorf("batch %d of writer %d is before the batch that was appended first", i, w)
			}
			if next := at + 3; next < len(all) && all[next].Pos.Compare(end) < 0 || all[at+2].Pos.Compare(end) >= 0 {
				h.Errorf("batch %d of writer %d ends at %v, and its last record begins at %v", i, w, end, all[at+2].Pos)
			}
		}
	}
}

func testAppendRefused(h *history) {
	want := h.append("before", store.Block)
	var b store.Batch
	b.Add(store.Block, []byte("a good record before a bad one"))
	b.Add(0, nil)
	b.Add(store.Block, []byte("a good record behind it"))
	h.fails(errorOf(h.s.Append(h.Context(), &b)), store.ErrKind)
	ctx, cancel := context.WithCancel(h.Context())
	cancel()
	var late store.Batch
	late.Add(store.Block, []byte("too late"))
	h.fails(errorOf(h.s.Append(ctx, &late)), context.Canceled)
	if n := len(h.replay(store.Pos{})); n != 1 || h.s.End() != want || h.s.Err() != nil {
		h.Errorf("refused batches left %d records, the end at %v and the error %v", n, h.s.End(), h.s.Err())
	}
	h.append("behind", store.Commit)
	if n := len(h.replay(store.Pos{})); n != 2 {
		h.Errorf("behind refused batches there are %d records, want 2", n)
	}
}

func testBlocks(h *history) {
	kinds := []store.Kind{store.Block, store.Intent, store.Commit, store.Mark}
	h.append("a", kinds...)
	h.block(dataOf("a", 0), nil)
	h.append("b", kinds...) // after the first look
	h.append("a", store.Block)
	for range 2 {
		for _, name := range []string{"a", "b", "a"} { // once more: the result of the first call was changed
			for i, k := range kinds {
				if k.HasDigest() {
					h.block(dataOf(name, i), nil)
				} else {
					h.block(dataOf(name, i), store.ErrNotFound)
				}
			}
		}
		h.block([]byte("not there"), store.ErrNotFound)
		h.reopen()
	}
}

func testCommits(h *history) {
	var all []string
	for i := range 7 {
		name := fmt.Sprint("batch ", i)
		kinds := [][]store.Kind{{store.Commit}, {store.Block, store.Commit, store.Commit}, {store.Mark}}[i%3]
		h.append(name, kinds...)
		for j, k := range kinds {
			if k == store.Commit {
				all = append(all, string(dataOf(name, j)))
			}
		}
		if i == 3 {
			h.commits(store.Span{From: 1, To: 2}) // more come after the first look
		}
	}
	n := uint64(len(all))
	for range 2 {
		for _, span := range [][2]uint64{{0, n + 5}, {1, n}, {n / 2, n}, {n, n}, {2, n / 2}, {n + 1, n + 2}, {5, 4}, {0, 0}, {3, 3}} {
			from, to := min(max(span[0], 1), n+1), min(span[1], n)
			var want []string
			want = append(want, all[from-1:max(to, from-1)]...)
			h.equal(fmt.Sprint("commits ", span), h.commits(store.Span{From: span[0], To: span[1]}), want)
			slices.Reverse(want)
			h.equal(fmt.Sprint("commits backward ", span), h.commits(store.Span{From: span[0], To: span[1], Backward: true}), want)
		}
		h.reopen()
	}
}

// testCallsInside calls the store from the functions that are given to it.
func testCallsInside(h *history) {
	h.append("a", store.Block, store.Commit)
	h.append("b", store.Block, store.Commit)
	inside := func(r store.Record) error {
		h.block(slices.Clone(r.Data), nil)
		return h.s.Commits(h.Context(), store.Span{From: 1, To: 1}, func(store.Record) error { return h.s.Err() })
	}
	before, calls := h.s.End(), 0
	if err := h.s.Replay(store.Pos{}, func(r store.Record) error {
		calls++
		h.append(fmt.Sprint("during ", calls), store.Block)
		return inside(r)
	}); err != nil || calls != 4 {
		h.Errorf("replay: %v after %d records, want the 4 that were there when it began", err, calls)
	}
	h.equal("records that were appended meanwhile", len(h.replay(before)), calls)
	if err := h.s.Commits(h.Context(), store.Span{From: 1, To: 2}, inside); err != nil {
		h.Error(err)
	}
}

// testRewrite leaves out a block that is here, one that is not and one that is a commit.
func testRewrite(h *history) {
	h.append("a", store.Block, store.Commit, store.Block)
	h.append("b", store.Block, store.Mark, store.Commit)
	before, commits := h.replay(store.Pos{}), h.commits(store.Span{From: 1, To: 9})
	here, never := merkle.Sum(dataOf("a", 0)), merkle.Sum(dataOf("elsewhere", 1))
	gone := map[merkle.Digest]uint64{here: 7, never: 5}
	if err := h.s.Rewrite(h.Context(), gone); err != nil {
		h.Fatal(err)
	}
	for range 2 {
		h.block(dataOf("a", 0), store.ErrPurged)
		for d, by := range gone {
			if purged, ok := errors.AsType[*store.Purged](errorOf(h.s.Block(d))); !ok || purged.By != by {
				h.Errorf("block %v: %+v, and commit %d left it out", d, purged, by)
			}
		}
		got, err := h.s.Gone()
		if err != nil || !maps.Equal(got, gone) {
			h.Errorf("gone: %v, %v", got, err)
		}
		h.block(dataOf("a", 2), nil)
		h.equal("records", h.replay(store.Pos{}), before[1:])
		h.equal("commits", h.commits(store.Span{From: 1, To: 9}), commits)
		h.reopen()
	}
	h.append("a", store.Block)
	h.block(dataOf("a", 0), nil) // it came back
}
