// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
	"github.com/fovea-memory/fovea/internal/vfs"
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

// renew notes that a claim continues; end, that it ends now.
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

// machines are n machines with a remote each, which keep a connection as a daemon does, and whose longest
// lease is given.
func machines(t *testing.T, s *placetest.Servers, n int, maxLease time.Duration) []place.Referee {
	t.Helper()
	return machinesAt(t, n, maxLease, func() string { return s.URL("team", "") })
}

// machinesAt are machines that reach the servers by an address of their own.
func machinesAt(t *testing.T, n int, maxLease time.Duration, address func() string) (all []place.Referee) {
	t.Helper()
	for i := range n {
		url := address()
		if i == 0 {
			if p, err := hosted.OpenCluster(t.Context(), url, true); err != nil || p.Close() != nil {
				t.Fatal(err)
			}
		}
		open, dir := hosted.OpenerOf(maxLease), filepath.Join(t.TempDir(), place.Folder, "team")
		p, err := open(t.Context(), url, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		if err := errors.Join(os.MkdirAll(dir, 0o700),
			os.WriteFile(filepath.Join(dir, place.RemoteFile), fmt.Appendf(nil, `{"url": %q}`, url), 0o600)); err != nil {
			t.Fatal(err)
		}
		state, err := vfs.Dir(filepath.Dir(filepath.Dir(dir)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { state.Close() })
		all = append(all, place.RefereeOf(state, place.Openers{"nats": open}))
	}
	return all
}

// isYoung reports whether a referee grants nothing yet.
func isYoung(err error) bool { return err != nil && strings.Contains(err.Error(), "keep claims since") }

// adult waits until a referee grants claims.
func adult(t *testing.T, r place.Referee) time.Duration {
	t.Helper()
	for begun := time.Now(); ; {
		c, err := r.Grant(t.Context(), "first", 4*time.Second, 1, false)
		if err == nil {
			if err := r.Release(t.Context(), "first", c); err != nil {
				t.Error(err)
			}
			return time.Since(begun)
		}
		if errors.Is(err, place.ErrChanged) || t.Context().Err() != nil || time.Since(begun) > 30*time.Second {
			t.Fatal(err)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// streamOf is the stream of the memory team.
func streamOf(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	for info := range js.ListStreams(t.Context()).Info() {
		return info.Config.Name
	}
	t.Fatal("there is no stream")
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
// killed, leases end and are renewed, and the stream is recreated.
func TestReferee(t *testing.T) {
	const lease = 4 * time.Second
	s := placetest.StartServers(t, 3, "")
	all := machines(t, s, 16, lease)
	if _, err := all[0].Grant(t.Context(), "early", lease, 1, false); !isYoung(err) {
		t.Errorf("a referee that was just made: %v", err)
	}
	adult(t, all[0])
	js := connected(t, s)
	stream := streamOf(t, js)

	h := &holders{t: t, until: map[string]time.Time{}, number: map[string]uint64{}, killed: make(chan struct{}), at: 400}
	var held, silent int
	var mu sync.Mutex
	run(len(all), func(i int) {
		for _, task := range rand.Perm(1000) {
			name := fmt.Sprint("task ", task)
			for range 3 {
				begun := time.Now()
				c, err := all[i].Grant(t.Context(), name, time.Hour, 1, false)
				mu.Lock()
				switch {
				case err == nil:
					h.take(name, c, begun, time.Hour)
				case errors.Is(err, place.ErrChanged):
					held++
				default:
					silent++
				}
				mu.Unlock()
				if err == nil || errors.Is(err, place.ErrChanged) {
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
	renewed, anew := turns(t, h, all, lease, func() { // and after three seconds the stream is recreated
		<-time.After(3 * time.Second)
		if err := js.DeleteStream(t.Context(), stream); err != nil {
			t.Error(err)
		}
		if _, err := hosted.OpenCluster(t.Context(), s.URL("team", ""), true); err != nil {
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
			c, err := all[i].Grant(ctx, name, lease, least, false)
			if isYoung(err) {
				mu.Lock()
				young++
				mu.Unlock()
			}
			if err != nil {
				<-time.After(10 * time.Millisecond)
				continue
			}
			h.take(name, c, begun, lease)
			if rand.N(2) == 0 {
				begun = time.Now()
				if c, err = all[i].Grant(ctx, name, lease, c, true); err == nil {
					h.renew(name, c, begun.Add(lease))
					mu.Lock()
					renewed++
					mu.Unlock()
				}
			}
			if err == nil && rand.N(4) > 0 {
				h.end(name, c)
				_ = all[i].Release(ctx, name, c) // else it ends with its lease
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
// granted, and a claim continues under the tickets of its renewals alone.
func TestRefereeInMinority(t *testing.T) {
	s := placetest.StartServers(t, 3, "")
	r := machines(t, s, 2, 0)
	adult(t, r[0])
	claim := func(by place.Referee, task string, number uint64, renews bool) (uint64, error) {
		return by.Grant(t.Context(), task, time.Minute, number, renews)
	}
	for i, renews := range []bool{false, true, true} {
		if number, err := claim(r[i%2], "paint", 7, renews); err != nil || number != 7 {
			t.Fatal(number, err)
		}
	}
	if _, err := claim(r[0], "paint", 6, true); !errors.Is(err, place.ErrChanged) {
		t.Errorf("renewed under another number: %v", err)
	}
	if err := r[1].Release(t.Context(), "paint", 6); !errors.Is(err, place.ErrChanged) {
		t.Errorf("released under another number: %v", err)
	}
	if _, err := claim(r[1], "paint", 1, false); !errors.Is(err, place.ErrChanged) {
		t.Errorf("what was released under another number is free: %v", err)
	}
	if err := r[1].Release(t.Context(), "paint", 7); err != nil {
		t.Error(err)
	}
	if number, err := claim(r[1], "paint", 1, false); err != nil || number != 8 {
		t.Errorf("the next claim has the number %d, %v", number, err)
	}
	s.Kill(0)
	s.Kill(1)
	for i, one := range r {
		begun := time.Now()
		_, err := claim(one, fmt.Sprint("hang ", i), 1, false)
		took := time.Since(begun)
		t.Logf("told after %v: %v", took.Round(time.Millisecond), err)
		if err == nil || errors.Is(err, place.ErrChanged) || took > 5*time.Second {
			t.Errorf("a minority was told after %v: %v", took, err)
		}
	}
}

// TestLostClaim: a claim whose answer is lost is found, and so are a renewal and the greatest number.
func TestLostClaim(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	create(t, s.URL("team", ""))
	var left atomic.Int32
	p, err := hosted.OpenerOf(0)(t.Context(), lossy(t, s, func(reply []byte) bool {
		return bytes.Contains(reply, []byte(`{"stream":`)) && left.Add(-1) == 0 // a publish was done
	}), false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	adult(t, p.(place.Referee))
	ctx, stop := context.WithTimeout(t.Context(), 12*time.Second)
	defer stop()
	for _, lost := range []struct {
		what, task string
		nth        int32
		renews     bool
	}{{"claim", "paint", 1, false}, {"renewal", "paint", 1, true}, {"number", "hang", 2, false}} {
		left.Store(lost.nth)
		if number, err := p.(place.Referee).Grant(ctx, lost.task, time.Minute, 7, lost.renews); err != nil || number != 7 || left.Load() > 0 {
			t.Errorf("lost answer to the %s: %d, %v, left %d", lost.what, number, err, left.Load())
		}
	}
}

// TestRenewedAgain: a claim that the servers no longer keep continues under its number unless another one was
// granted since; numbers continue beyond 52 bits.
func TestRenewedAgain(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	r := machines(t, s, 1, 0)[0]
	adult(t, r)
	for _, c := range []struct {
		number uint64
		renews bool
		want   uint64
	}{{7, false, 7}, {7, true, 7}, {1, false, 8}, {7, true, 9}, {1<<52 + 7, false, 1<<52 + 7}, {1, false, 1<<52 + 8}} {
		got, err := r.Grant(t.Context(), "paint", time.Minute, c.number, c.renews)
		if err != nil || got != c.want {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
		if err := r.Release(t.Context(), "paint", got); err != nil {
			t.Error(err)
		}
	}
}
