// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
)

// BenchmarkRemember keeps notes of an agent, from one caller and from 64, durably:
// notes each second, and the median of one call.
func BenchmarkRemember(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			m := remembering(b)
			ctx := fovea.WithActor(b.Context(), author.Actor{Author: author.Named("ada"), May: anywhere})
			var mu sync.Mutex
			var took []time.Duration
			var wg sync.WaitGroup
			left := b.N
			b.ResetTimer()
			for range callers {
				wg.Go(func() {
					for {
						mu.Lock()
						left--
						n := left
						mu.Unlock()
						if n < 0 {
							return
						}
						begun := time.Now()
						_, _, _, err := m.Notes().Remember(ctx, "agents/ada/", document.InsertHeadline{
							Title: fmt.Sprintf("Note number %d", n), Body: fmt.Sprintf("The %d. gauge of %d speaks about the rivets that came on day %d.", n, n/7, n%11),
						}, nil)
						if err != nil {
							b.Error(err)
							return
						}
						mu.Lock()
						took = append(took, time.Since(begun))
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "notes/s")
		})
	}
}
