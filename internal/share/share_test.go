// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package share_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/share"
)

// model is the naive version of shares of which one is in use at most.
type model struct {
	limits share.Limits
	order  []*held // least recently used first
}

type held struct {
	bearer share.Bearer
	busy   bool
	share  *share.Share
	ended  bool
}

func (m *model) of(b share.Bearer) []*held {
	return slices.DeleteFunc(slices.Clone(m.order), func(h *held) bool { return h.bearer != b })
}

func (m *model) limit(b share.Bearer) int {
	switch b {
	case share.Owner:
		return m.limits.Owner
	case share.Nobody:
		return m.limits.Nobody
	}
	return m.limits.Agent
}

// TestSharesAgainstAModel: after any sequence of calls each bearer holds at most what its
// limit says, all together at most what theirs says, who takes one has it, and who is
// within its limit loses nothing while all are within theirs.
func TestSharesAgainstAModel(t *testing.T) {
	bearers := []share.Bearer{share.Owner, share.Nobody, share.Agent("ada"), share.Agent("bob"), share.Agent("owner"), share.Agent("")}
	rapid.Check(t, func(t *rapid.T) {
		m := &model{limits: share.Limits{Agent: 3, Owner: 4, Nobody: 2, All: rapid.SampledFrom([]int{0, 8}).Draw(t, "all")}}
		s := share.New(m.limits)
		grown := func(h *held) {
			if h.ended {
				t.Fatalf("who took a share of %q lost it at once", h.bearer)
			}
			for _, b := range bearers {
				if b != h.bearer && m.limits.All == 0 {
					for _, other := range m.of(b) {
						if other.ended {
							t.Fatalf("%q gave way to %q", b, h.bearer)
						}
					}
				}
			}
			for _, other := range m.of(share.Owner) {
				if other.ended && h.bearer != share.Owner {
					t.Fatalf("the owner gave way to %q", h.bearer)
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
					t.Fatalf("one gave way that was not the oldest of those at rest")
				}
			}
			m.order = slices.DeleteFunc(m.order, func(o *held) bool { return o.ended })
		}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				h := &held{bearer: rapid.SampledFrom(bearers).Draw(t, "bearer")}
				m.order = append(m.order, h)
				h.share = s.Take(h.bearer, func() { h.ended = true })
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
				h.share.Move(b)
				grown(h)
			},
			"use": func(t *rapid.T) {
				if len(m.order) == 0 {
					t.Skip("no share is held")
				}
				h := rapid.SampledFrom(m.order).Draw(t, "share")
				if h.busy {
					h.share.Rest()
				} else {
					h.share.Use()
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
				if m.limits.All > 0 && all > m.limits.All {
					t.Fatalf("all hold %d of %d", all, m.limits.All)
				}
			},
		})
	})
}
