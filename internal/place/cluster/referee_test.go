// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/cluster"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// holders judges claims by the clock of the test.
type holders struct {
	t      *testing.T
	mu     sync.Mutex
	until  map[string]time.Time
	number map[string]uint64
	grants int
	killed chan struct{} // closed when a number of grants is reached
	at     int
}

// take notes a claim that was granted, asked for at a time.
func (h *holders) take(task string, number uint64, begun time.Time, lease time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); now.Before(h.until[task]) {
		h.t.Errorf("%s has two holders for %v", task, h.until[task].Sub(now))
	}
	if number <= h.number[task] {
		h.t.Errorf("%s was claimed under %d after %d", task, number, h.number[task])
	}
	h.until[task], h.number[task] = begun.Add(lease), number
	if h.grants++; h.grants == h.at {
		close(h.killed)
	}
}

// renew notes that a claim goes on; end, that it ends now.
func (h *holders) renew(task string, number uint64, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.number[task] != number {
		h.t.Errorf("%s was renewed under %d, and is held under %d", task, number, h.number[task])
	}
	h.until[task] = until
}

func (h *holders) end(task string, number uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.number[task] == number {
		h.until[task] = time.Time{}
	}
}

// machines opens a place for each of n machines, whose longest lease is given.
func machines(t *testing.T, s *placetest.Servers, n int, maxLease time.Duration) (all []place.Referee) {
	t.Helper()
	for i := range n {
		p, err := cluster.Open(t.Context(), s.URL("team", ""), i == 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		cluster.SetMaxLease(p, maxLease)
		all = append(all, p.(place.Referee))
	}
	return all
}

// adult waits until a referee grants claims.
func adult(t *testing.T, r place.Referee) time.Duration {
	t.Helper()
	for begun := time.Now(); ; {
		ticket, _, err := r.Claim(t.Context(), "first", time.Second, 1)
		if err == nil {
			if err := r.Release(t.Context(), "first", ticket); err != nil {
				t.Error(err)
			}
			return time.Since(begun)
		}
		if errors.Is(err, place.ErrHeld) || t.Context().Err() != nil || time.Since(begun) > 30*time.Second {
			t.Fatal(err)
		}
		<-time.After(50 * time.Millisecond)
	}
}

const shared = "FOVEA-CLAIMS-"

// claimsStreamOf is the stream of claims of the memory team.
func claimsStreamOf(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	for info := range js.ListStreams(t.Context()).Info() {
		if strings.HasPrefix(info.Config.Name, shared) {
			return info.Config.Name
		}
	}
	t.Fatal("there is no stream of claims")
	return ""
}

func connected(t *testing.T, s *placetest.Servers) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(strings.Split(s.URL("x", ""), "/x")[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// TestReferee: of 1,000 tasks that 16 machines claim, none has two holders, while the server that leads is
// killed, leases end and are renewed, and the stream is made anew.
func TestReferee(t *testing.T) {
	const lease = 4 * time.Second
	s := placetest.StartServers(t, 3, "")
	all := machines(t, s, 16, lease)
	if _, _, err := all[0].Claim(t.Context(), "early", lease, 1); !errors.Is(err, place.ErrYoung) {
		t.Errorf("a referee that was just made: %v", err)
	}
	adult(t, all[0])
	js := connected(t, s)
	stream := claimsStreamOf(t, js)

	h := &holders{t: t, until: map[string]time.Time{}, number: map[string]uint64{}, killed: make(chan struct{}), at: 400}
	var held, silent int
	var mu sync.Mutex
	run(len(all), func(i int) {
		for _, task := range rand.Perm(1000) {
			name := fmt.Sprint("task ", task)
			for range 3 {
				begun := time.Now()
				_, number, err := all[i].Claim(t.Context(), name, time.Hour, 1)
				mu.Lock()
				switch {
				case err == nil:
					h.take(name, number, begun, time.Hour)
				case errors.Is(err, place.ErrHeld):
					held++
				default:
					silent++
				}
				mu.Unlock()
				if err == nil || errors.Is(err, place.ErrHeld) {
					break
				}
			}
		}
	}, func() {
		<-h.killed
		leader := s.Leader(stream)
		s.Kill(leader)
		<-time.After(time.Second)
		s.Start(leader)
	})
	t.Logf("1,000 tasks, 16 machines, a leader killed: %d granted, %d refused, %d without an answer", h.grants, held, silent)
	if h.grants < 900 {
		t.Errorf("only %d tasks were granted", h.grants)
	}

	h.grants, h.at = 0, -1
	renewed, anew := turns(t, h, all, lease, func() { // and after three seconds the stream is made anew
		<-time.After(3 * time.Second)
		if err := js.DeleteStream(t.Context(), stream); err != nil {
			t.Error(err)
		}
		if _, err := cluster.Open(t.Context(), s.URL("team", ""), true); err != nil {
			t.Error(err)
		}
	})
	t.Logf("20 tasks for 14 s, leases of %v, the stream made anew: %d granted, %d renewed, %d refused as young", lease, h.grants, renewed, anew)
	if h.grants < 20 || renewed == 0 || anew == 0 {
		t.Error("too little was tried")
	}
}

// turns lets machines hold 20 tasks in turns, and renew, release or forget them.
func turns(t *testing.T, h *holders, all []place.Referee, lease time.Duration, also func()) (renewed, young int) {
	ctx, stop := context.WithTimeout(t.Context(), 14*time.Second)
	defer stop()
	var mu sync.Mutex
	run(len(all), func(i int) {
		for ctx.Err() == nil {
			name := fmt.Sprint("turn ", rand.N(20))
			h.mu.Lock()
			least := h.number[name] + 1
			h.mu.Unlock()
			begun := time.Now()
			ticket, number, err := all[i].Claim(ctx, name, lease, least)
			if errors.Is(err, place.ErrYoung) {
				mu.Lock()
				young++
				mu.Unlock()
			}
			if err != nil {
				<-time.After(10 * time.Millisecond)
				continue
			}
			h.take(name, number, begun, lease)
			if rand.N(2) == 0 {
				begun = time.Now()
				if ticket, err = all[i].Renew(ctx, name, ticket, lease); err == nil {
					h.renew(name, number, begun.Add(lease))
					mu.Lock()
					renewed++
					mu.Unlock()
				}
			}
			if err == nil && rand.N(4) > 0 {
				h.end(name, number)
				_ = all[i].Release(ctx, name, ticket) // else it ends with its lease
			}
		}
	}, also)
	return renewed, young
}

// run runs the machines and something beside them.
func run(n int, machine func(i int), also func()) {
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() { machine(i) })
	}
	running.Go(also)
	running.Wait()
}

// TestRefereeInMinority: a machine that reaches one server of three learns within 5 s that nothing is
// granted, and a claim goes on under the tickets of its renewals alone.
func TestRefereeInMinority(t *testing.T) {
	s := placetest.StartServers(t, 3, "")
	r := machines(t, s, 2, 0)
	adult(t, r[0])
	ticket, number, err := r[0].Claim(t.Context(), "paint", time.Minute, 7)
	if err != nil || number != 7 {
		t.Fatal(number, err)
	}
	next, err := r[0].Renew(t.Context(), "paint", ticket, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r[0].Renew(t.Context(), "paint", ticket, time.Minute); !errors.Is(err, place.ErrHeld) {
		t.Errorf("renewed under an old ticket: %v", err)
	}
	if err := r[1].Release(t.Context(), "paint", ticket); err != nil {
		t.Error(err)
	}
	if _, _, err := r[1].Claim(t.Context(), "paint", time.Minute, 1); !errors.Is(err, place.ErrHeld) {
		t.Errorf("what was released under an old ticket is free: %v", err)
	}
	if err := r[1].Release(t.Context(), "paint", next); err != nil {
		t.Error(err)
	}
	if _, number, err := r[1].Claim(t.Context(), "paint", time.Minute, 1); err != nil || number != 8 {
		t.Errorf("the next claim has number %d, %v", number, err)
	}
	s.Kill(0)
	s.Kill(1)
	for i, one := range r {
		begun := time.Now()
		_, _, err := one.Claim(t.Context(), fmt.Sprint("hang ", i), time.Minute, 1)
		took := time.Since(begun)
		t.Logf("told after %v: %v", took.Round(time.Millisecond), err)
		if err == nil || errors.Is(err, place.ErrHeld) || took > 5*time.Second {
			t.Errorf("a minority was told after %v: %v", took, err)
		}
	}
}
