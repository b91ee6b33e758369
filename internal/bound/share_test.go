// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/bound"
)

// model is a naive implementation of shares, at most one user each.
type model struct {
	limits bound.Limits
	order  []*held // least recently used first
}

type held struct {
	bearer bound.Bearer
	busy   bool
	share  *bound.Share
	ended  bool
}

func (m *model) of(b bound.Bearer) []*held {
	return slices.DeleteFunc(slices.Clone(m.order), func(h *held) bool { return h.bearer != b })
}

func (m *model) limit(b bound.Bearer) int {
	switch b {
	case bound.Owner:
		return m.limits.Owner
	case bound.Anonymous:
		return m.limits.Anonymous
	}
	return m.limits.Agent
}

// TestSharesAgainstAModel: after any sequence of calls, no limit is exceeded, an acquired
// share is held, and a bearer within its limit loses nothing while the total is within
// its limit.
func TestSharesAgainstAModel(t *testing.T) {
	bearers := []bound.Bearer{bound.Owner, bound.Anonymous, bound.Agent("ada"), bound.Agent("bob"), bound.Agent("owner"), bound.Agent("")}
	rapid.Check(t, func(t *rapid.T) {
		m := &model{limits: bound.Limits{Agent: 3, Owner: 4, Anonymous: 2, Total: rapid.SampledFrom([]int{0, 8}).Draw(t, "all")}}
		s := bound.NewShares(m.limits)
		grown := func(h *held) {
			if h.ended {
				t.Fatalf("%q lost an acquired share at once", h.bearer)
			}
			for _, b := range bearers {
				if b != h.bearer && m.limits.Total == 0 {
					for _, other := range m.of(b) {
						if other.ended {
							t.Fatalf("%q lost a share to %q", b, h.bearer)
						}
					}
				}
			}
			for _, other := range m.of(bound.Owner) {
				if other.ended && h.bearer != bound.Owner {
					t.Fatalf("the owner lost a share to %q", h.bearer)
				}
			}
			var ended *held
			for _, other := range m.of(h.bearer) {
				if other.ended {
					ended = other
				}
			}
			for _, other := range m.of(h.bearer) {
				if ended == nil || other == h {
					break
				}
				if other == ended {
					break
				}
				if !other.busy || ended.busy {
					t.Fatal("the evicted share was not the oldest idle one")
				}
			}
			m.order = slices.DeleteFunc(m.order, func(o *held) bool { return o.ended })
		}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				h := &held{bearer: rapid.SampledFrom(bearers).Draw(t, "bearer")}
				m.order = append(m.order, h)
				h.share = s.Acquire(h.bearer, func() { h.ended = true })
				grown(h)
			},
			"move": func(t *rapid.T) {
				if len(m.order) == 0 {
					t.Skip("no share is held")
				}
				h := rapid.SampledFrom(m.order).Draw(t, "share")
				b := rapid.SampledFrom(bearers).Draw(t, "bearer")
				if b != h.bearer {
					m.order = append(slices.DeleteFunc(m.order, func(o *held) bool { return o == h }), h)
				}
				h.bearer = b
				h.share.Reassign(b)
				grown(h)
			},
			"use": func(t *rapid.T) {
				if len(m.order) == 0 {
					t.Skip("no share is held")
				}
				h := rapid.SampledFrom(m.order).Draw(t, "share")
				if h.busy {
					h.share.MarkIdle()
				} else {
					h.share.MarkBusy()
					m.order = append(slices.DeleteFunc(m.order, func(o *held) bool { return o == h }), h)
				}
				h.busy = !h.busy
			},
			"release": func(t *rapid.T) {
				if len(m.order) == 0 {
					t.Skip("no share is held")
				}
				h := rapid.SampledFrom(m.order).Draw(t, "share")
				h.share.Release()
				h.share.Release()
				m.order = slices.DeleteFunc(m.order, func(o *held) bool { return o == h })
			},
			"": func(t *rapid.T) {
				all := 0
				for _, b := range bearers {
					n := s.Held(b)
					all += n
					if n != len(m.of(b)) || n > m.limit(b) {
						t.Fatalf("%q holds %d, the model %d, the limit is %d", b, n, len(m.of(b)), m.limit(b))
					}
				}
				if m.limits.Total > 0 && all > m.limits.Total {
					t.Fatalf("all hold %d of %d", all, m.limits.Total)
				}
			},
		})
	})
}
