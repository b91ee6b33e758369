// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
)

// TestPatience: a look is how many wait and how long after the look before.
func TestPatience(t *testing.T) {
	type look struct {
		waiting int
		after   time.Duration
	}
	looks := func(n int, l look) []look { return slices.Repeat([]look{l}, n) }
	for _, tc := range []struct {
		name    string
		writers int
		looks   []look
		want    int // looks until it does not wait any more
	}{
		{"the first writer of all", 0, looks(9, look{1, 0}), 1},
		{"a single writer", 1, looks(9, look{1, 0}), 1},
		{"all are there", 64, looks(9, look{64, 0}), 1},
		{"more than there were", 2, looks(9, look{3, 0}), 1},
		{"the last one comes", 3, []look{{1, 0}, {2, 0}, {2, 0}, {3, 0}, {3, 0}}, 4},
		{"nobody waits any more", 2, looks(99, look{0, 0}), gatherYields + 1},
		{"nobody else comes", 2, looks(99, look{1, 0}), gatherYields + 1},
		{"one comes late", 3, append(looks(gatherYields, look{1, 0}), looks(99, look{2, 0})...), 2*gatherYields + 1},
		{"others have the processors", 2, looks(99, look{1, gatherTime / 2}), 4},
		{"one came while others had them", 3, []look{{1, 0}, {2, time.Second}, {3, time.Second}}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			now := time.Unix(0, 0)
			g := gathering{since: now}
			for i, l := range tc.looks {
				if now = now.Add(l.after); !g.goesOn(l.waiting, tc.writers, now) {
					if i+1 != tc.want {
						t.Errorf("it ended with look %d, want %d", i+1, tc.want)
					}
					return
				}
			}
			t.Error("it does not end")
		})
	}
}

// held is a store whose first group waits for its sync, which release lets go on.
type held struct {
	*Store
	release chan struct{}
	groups  []int // batches of each group that was synced later
}

// holdSync opens a store in a bubble of synctest and begins to append a batch.
func holdSync(t *testing.T) *held {
	in := faultfs.New()
	h := &held{Store: mustOpen(t, in, &Options{SegmentMin: 64 << 20}), release: make(chan struct{})}
	fillStore(t, h.Store, 0, 1) // makes the segment
	syncs, from := 0, uint64(0)
	in.OnOp(func(op faultfs.Op) error {
		if op.Kind != faultfs.OpSync || op.Name != segmentName(1) {
			return nil
		}
		if syncs++; syncs == 1 {
			<-h.release
		} else {
			h.groups = append(h.groups, int(h.log.writer.next-from))
		}
		from = h.log.writer.next
		return nil
	})
	h.put(t, t.Context(), markBatch(0), nil)
	return h
}

// put begins to append a batch, which is to end with an error, and returns when
// everybody waits.
func (h *held) put(t *testing.T, ctx context.Context, b *store.Batch, want error) {
	go func() {
		if _, err := h.Append(ctx, b); !errors.Is(err, want) {
			t.Errorf("append: got %v, want %v", err, want)
		}
	}()
	synctest.Wait()
}

// TestGroups queues batches behind a sync, lets some give up, and looks at the
// groups that the rest become and at their order.
func TestGroups(t *testing.T) {
	for _, tc := range []struct {
		name   string
		large  []int // of the batches 1 to 5, those of which a group holds one
		leave  []int // those that give up, in this order
		groups []int
		want   []int
	}{
		{"all in one", nil, nil, []int{5}, []int{1, 2, 3, 4, 5}},
		{"one is left out", nil, []int{3}, []int{4}, []int{1, 2, 4, 5}},
		{"the first leaves", nil, []int{1}, []int{4}, []int{2, 3, 4, 5}},
		{"the first two leave", nil, []int{1, 2}, []int{3}, []int{3, 4, 5}},
		{"all but the last leave", nil, []int{1, 4, 3, 2}, []int{1}, []int{5}},
		{"all leave", nil, []int{5, 1, 2, 3, 4}, nil, nil},
		{"the group is full", []int{2, 3}, nil, []int{2, 3}, []int{1, 2, 3, 4, 5}},
		{"each is a group", []int{1, 2, 3, 4, 5}, nil, []int{1, 1, 1, 1, 1}, []int{1, 2, 3, 4, 5}},
		{"the first of the second group leaves", []int{2, 3}, []int{3}, []int{4}, []int{1, 2, 4, 5}},
		{"a group between two leaves", []int{1, 2, 3}, []int{2}, []int{1, 3}, []int{1, 3, 4, 5}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := holdSync(t)
				leave := map[int]context.CancelFunc{}
				for i := 1; i <= 5; i++ {
					ctx, b, want := t.Context(), markBatch(i), error(nil)
					if slices.Contains(tc.large, i) {
						b.Add(store.Pad, make([]byte, maxGroupSize*3/4))
					}
					if slices.Contains(tc.leave, i) {
						ctx, leave[i] = context.WithCancel(ctx)
						want = context.Canceled
					}
					h.put(t, ctx, b, want)
				}
				for _, i := range tc.leave {
					leave[i]()
					synctest.Wait()
				}
				close(h.release)
				synctest.Wait()
				if diff := cmp.Diff(tc.groups, h.groups); diff != "" {
					t.Errorf("groups (-want +got):\n%s", diff)
				}
				var got []int
				for _, r := range mustReplay(t, h.Store, store.Pos{}) {
					if i := 0; r.Kind == store.Mark {
						if _, err := fmt.Sscanf(string(r.Data), "mark %d", &i); err != nil {
							t.Fatal(err)
						}
						got = append(got, i)
					}
				}
				if diff := cmp.Diff(append([]int{0}, tc.want...), got); diff != "" {
					t.Errorf("batches (-want +got):\n%s", diff)
				}
				mustClose(t, h.Store)
			})
		})
	}
}
