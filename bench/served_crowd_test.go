// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build linux

package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/api"
)

const clients = 64

// crowd has 64 clients ask and write: of eight requests five search, two ask for a
// window, one writes. Without a pace each asks again as soon as it is answered: how much
// the daemon takes, and what waiting costs when it has no rest. With a pace each asks
// so often, however long answers take, and a request that had to wait for the one
// before counts from when it was due: what agents at work notice.
func (s *server) crowd(length, pace time.Duration) {
	t := s.m.tb
	before, processor := s.resident(), s.processor()
	var mu sync.Mutex
	var took []time.Duration
	byKind := map[string][]time.Duration{}
	failed := map[string]int{}
	begun := time.Now()
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i, due := c, begun.Add(pace*time.Duration(c)/clients); due.Before(begun.Add(length)); i++ {
				<-time.After(time.Until(due))
				kind, err := s.ask(t.Context(), pace, c, i)
				waited := time.Since(due)
				mu.Lock()
				took = append(took, waited)
				byKind[kind] = append(byKind[kind], waited)
				if err != nil {
					failed[err.Error()]++
				}
				mu.Unlock()
				if due = due.Add(pace); pace == 0 {
					due = time.Now()
				}
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	at := func(percent int) float64 { return ms(took[len(took)*percent/100]) }
	t.Logf("%d clients for %v, pace %v: %.0f requests a second, p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, %.2f ms of the daemon's processors each, errors %v, "+
		"resident %.0f MiB before and %.0f after",
		clients, length, pace, float64(len(took))/time.Since(begun).Seconds(), at(50), at(95), at(99), (s.processor()-processor)/float64(len(took)), failed,
		before, s.resident())
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		took := byKind[kind]
		slices.Sort(took)
		t.Logf("of them %d of %s: p50 %.1f ms, p99 %.1f ms", len(took), kind, ms(took[len(took)/2]), ms(took[len(took)*99/100]))
	}
}

// ask makes request number i of a client and names its kind.
func (s *server) ask(ctx context.Context, pace time.Duration, c, i int) (kind string, err error) {
	switch i % 8 {
	case 0:
		_, err = api.OpRemember.Call(ctx, s.far.Service, api.RememberRequest{Title: fmt.Sprintf("Crowd %d %d, %v", c, i, pace), Body: fmt.Sprint("It says ", i)})
		return "remember", err
	case 1, 2:
		_, err = api.OpContext.Call(ctx, s.far.Service, api.ContextRequest{Focus: fmt.Sprintf("node-%07d", i%s.m.headlines), Budget: 1000})
		return "context", err
	}
	_, err = api.OpSearch.Call(ctx, s.far.Service, api.SearchRequest{Text: fmt.Sprintf("cat-%02d", i%50), Limit: 10})
	return "search", err
}
