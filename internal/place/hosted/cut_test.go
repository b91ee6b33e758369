// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// TestCutLinks: a machine knows no way to servers besides its links, and goes on when these are healed.
func TestCutLinks(t *testing.T) {
	links := placetest.NewLinks(t, 1)
	s := placetest.StartLinked(t, 3, links)
	ways, url := s.Ways(links, "team", "")
	p, err := hosted.OpenCluster(t.Context(), url, true)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Put(t.Context(), "heads/a", "", []byte("one")); err != nil {
		t.Fatal(err)
	}
	placetest.Cut(ways...)
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
	defer stop()
	if _, _, err := p.Get(ctx, "heads/a"); !errors.Is(err, place.ErrNoAnswer) {
		t.Errorf("with all links cut: %v", err)
	}
	for _, l := range ways {
		l.Heal()
	}
	if data, _, err := p.Get(t.Context(), "heads/a"); err != nil || string(data) != "one" {
		t.Errorf("with all links whole: %q, %v", data, err)
	}
	leader := s.Leader(streamOf(t, connected(t, s)))
	placetest.Cut(s.LinksOf(leader)...)
	for begun := time.Now(); ; { // the other two choose who leads
		err := p.Put(t.Context(), "heads/b", "", []byte("two"))
		if err == nil || errors.Is(err, place.ErrChanged) {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal(err)
		}
	}
	if now := s.Leader(streamOf(t, connected(t, s))); now == leader {
		t.Log("the one that is cut off takes itself for the leader still")
	}
	t.Log(links.Cuts())
}

// TestRefereeAtCutLeader: a server that led, and is cut off, refuses nobody a task that nobody holds, although it knows
// of a claim that it could not pass on.
func TestRefereeAtCutLeader(t *testing.T) {
	links := placetest.NewLinks(t, 1)
	s := placetest.StartLinked(t, 3, links)
	var ways []*placetest.Link
	r := machinesAt(t, 1, 0, func() (url string) {
		ways, url = s.Ways(links, "team", "")
		return url
	})[0]
	adult(t, r)
	leader := s.Leader(streamOf(t, connected(t, s)))
	for i, l := range ways {
		if i != leader {
			placetest.Cut(l)
		}
	}
	adult(t, r) // over the way that is left
	placetest.Cut(s.LinksOf(leader)...)
	for range 5 {
		begun := time.Now()
		_, err := r.Grant(t.Context(), "paint", time.Minute, 1, false)
		took := time.Since(begun)
		if err == nil || errors.Is(err, place.ErrChanged) || took > 5*time.Second {
			t.Errorf("told after %v: %v", took, err)
		}
	}
}

// TestRefereeOverCutLinks: no task has two holders while links are cut, those of machines and those between the servers.
func TestRefereeOverCutLinks(t *testing.T) {
	const lease = 4 * time.Second
	links := placetest.NewLinks(t, 1)
	s := placetest.StartLinked(t, 3, links)
	groups := [][]*placetest.Link{}
	all := machinesAt(t, 16, lease, func() string {
		ways, url := s.Ways(links, "team", "")
		groups = append(groups, ways)
		return url
	})
	adult(t, all[0])
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	storms := make(chan struct{})
	h := &holders{t: t, until: map[string]time.Time{}, number: map[string]uint64{}, killed: make(chan struct{}), at: -1}
	go func() {
		defer close(storms)
		run(3, func(int) { links.Storm(ctx, 2*time.Second, groups...) }, func() {
			links.Storm(ctx, 3*time.Second, s.LinksOf(0), s.LinksOf(1), s.LinksOf(2))
		})
	}()
	renewed, _ := turns(t, h, all, lease, func() {})
	stop()
	<-storms
	cuts := links.Cuts()
	t.Logf("20 tasks for 14 s, leases of %v: %d granted, %d renewed; %v", lease, h.grants, renewed, cuts)
	if h.grants < 20 || renewed == 0 || cuts.Links < 10 || cuts.Ended == 0 || cuts.Swallows == 0 || cuts.Late == 0 {
		t.Error("too little was tried")
	}
}

// TestObjectsOverCutLinks: while links are cut, a read has the bytes of one version, also where these are in several messages;
// once all links are whole, an object is the version that was acknowledged last, or a later one that got no answer.
func TestObjectsOverCutLinks(t *testing.T) {
	links := placetest.NewLinks(t, 2)
	s := placetest.StartLinked(t, 3, links)
	var groups [][]*placetest.Link
	var all []place.Place
	for range 4 {
		ways, url := s.Ways(links, "team", "own=true")
		p, err := hosted.OpenCluster(t.Context(), url, true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		groups, all = append(groups, ways), append(all, p)
	}
	ctx, stop := context.WithTimeout(t.Context(), 15*time.Second)
	defer stop()
	var written, unsure atomic.Int64
	run(len(all), func(i int) {
		name, tag, draw := fmt.Sprint("heads/w", i), "", rand.New(rand.NewPCG(2, uint64(i)))
		var tried [][]byte // since the last one that was acknowledged, which is the first
		for ctx.Err() == nil {
			data := make([]byte, 1+draw.IntN(1500<<10))
			_, _ = rand.NewChaCha8([32]byte{byte(i), byte(len(tried)), byte(draw.Uint32())}).Read(data) // it never fails
			err := all[i].Put(ctx, name, tag, data)
			if tried = append(tried, data); err == nil {
				tried = tried[len(tried)-1:]
				written.Add(1)
			} else {
				unsure.Add(1)
			}
			_, now, err := all[i].Get(ctx, name)
			if tag = now; err != nil && !errors.Is(err, place.ErrNoAnswer) && !errors.Is(err, place.ErrNone) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for again := t.Context(); again.Err() == nil; {
			there, _, err := all[i].Get(again, name)
			if errors.Is(err, place.ErrNoAnswer) {
				continue
			}
			if err != nil || !isAny(there, tried) {
				t.Errorf("%s has %d bytes, which are none of the %d versions that may be there: %v", name, len(there), len(tried), err)
			}
			return
		}
	}, func() {
		run(3, func(int) { links.Storm(ctx, 2*time.Second, groups...) }, func() {
			links.Storm(ctx, 3*time.Second, s.LinksOf(0), s.LinksOf(1), s.LinksOf(2))
		})
	})
	t.Logf("%d written, %d without an answer or refused; %v", written.Load(), unsure.Load(), links.Cuts())
	if written.Load() == 0 || unsure.Load() == 0 {
		t.Error("too little was tried")
	}
}

func isAny(data []byte, of [][]byte) bool {
	return slices.ContainsFunc(of, func(one []byte) bool { return bytes.Equal(one, data) })
}
