// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/working"
)

// BenchmarkBlocks chooses a window of 4,000 tokens among blocks of working memory, adds one
// block and removes one, each in a commit of its own.
func BenchmarkBlocks(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		w := newWorld(b, map[string]string{"a.org": "* Pump\nThe pump hums.\n"})
		w.ingest()
		ctx := author.WithGrant(b.Context(), api.Grant{Agent: "ada", Role: api.Agent})
		svc := api.WithSync(ops.Guarded(w.serve()), api.SyncNone)
		blocks := make([]working.Block, n)
		for i := range blocks {
			blocks[i] = working.Block{
				Type: working.Task, TaskID: fmt.Sprint(i), Description: fmt.Sprintf("task %d is about pump %d of house %d", i, i%977, i%31),
				Priority: working.Priorities[1+i%3], Confidence: new(float64(i%100) / 100),
			}
		}
		if _, err := api.OpBlockAdd.Call(ctx, svc, api.BlockAddRequest{Blocks: blocks}); err != nil {
			b.Fatal(err)
		}
		if _, err := api.OpContext.Call(ctx, svc, api.ContextRequest{}); err != nil { // which makes the indexes
			b.Fatal(err)
		}
		for _, policy := range []string{"shares", "value"} {
			b.Run(fmt.Sprintf("%s/%d", policy, n), func(b *testing.B) {
				for b.Loop() {
					r, err := api.OpContext.Call(ctx, svc, api.ContextRequest{Budget: 4000, Policy: policy, Format: "json"})
					if err != nil || len(r.Parts) < 10 {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("add/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				more := []working.Block{{Type: working.Task, TaskID: fmt.Sprintf("more%d", i)}}
				if _, err := api.OpBlockAdd.Call(ctx, svc, api.BlockAddRequest{Blocks: more}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
