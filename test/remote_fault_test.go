// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// TestRemoteStateFull: the disk of a machine is full, or fails, at any operation of a push that writes all
// again. Nothing that a log names is lost, and the next push makes up for it under the same name.
func TestRemoteStateFull(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\nsecret\n"})
	const name = "a.0123456789ab"
	there, state := placetest.NewMemory(), faultfs.New()
	before := pusherAt(t, a, there, name, state)
	if err := before.push(there, state); err != nil {
		t.Fatal(err)
	}
	a.write("a.org", "* One\n")
	if _, _, err := a.m.Mending().Purge(t.Context(), nil, "secret", nil); err != nil {
		t.Fatal(err)
	}
	w, failed := pusherAt(t, a, there, name, state), 0
	for n := range 200 {
		p, state := there.Copy(), state.Clone()
		end := state.FailOp(n, syscall.ENOSPC)
		err := w.push(p, state)
		reached := end()
		if err != nil {
			failed++
		}
		for range 2 {
			if lost, _, lerr := placetest.Lost(t.Context(), p); lerr != nil || len(lost) > 0 {
				t.Errorf("operation %d: %q, %v", n, lost, lerr)
			}
			if err := w.push(p, state); err != nil {
				t.Errorf("operation %d: the next push: %v", n, err)
			}
		}
		heads, err := p.List(t.Context(), "heads/")
		_, litter, lerr := placetest.Lost(t.Context(), p)
		if err != nil || lerr != nil || len(heads) != 1 || len(litter) > 0 {
			t.Errorf("operation %d: logs %q, left over %q, %v, %v", n, heads, litter, err, lerr)
		}
		if !reached {
			t.Logf("%d of %d operations end a push", failed, n)
			return
		}
	}
	t.Error("the push has no end")
}

// TestRemoteClocks: a machine whose clock is a year ahead and one whose clock is a year behind meet, and
// have what each wrote.
func TestRemoteClocks(t *testing.T) {
	const year = 365 * 24
	p, _ := openPlace(t)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	a.hour.Store(2 * year)
	all := []*machine{a, a.copy("b"), a.copy("c")}
	var remotes []*place.Remote
	for i, m := range all {
		m.hour = new(atomic.Int64)
		m.hour.Store(int64(3-i) * year)
		m.m.Close()
		m.open()
		r := m.at(p, "")
		r.Now = func() time.Time { return time.Now().AddDate(1-i, 0, 0) }
		remotes = append(remotes, r)
	}
	for round := range 4 {
		for i, m := range all {
			m.write(fmt.Sprintf("%s%d.org", m.name, round), "* Of "+m.name+"\n")
			m.write("all.org", fmt.Sprintf("* Of all\n** Of %s in %d\n", m.name, round))
			if err := m.exchange(remotes[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 {
		for i, m := range all {
			if err := m.exchange(remotes[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, m := range all {
		if m.whole(t); m.root() != a.root() {
			t.Errorf("%s has another root than a", m.name)
		}
		for _, other := range all {
			for round := range 4 {
				if name := fmt.Sprintf("%s%d.org", other.name, round); !strings.Contains(filesOf(m.m.View())[name], "Of "+other.name) {
					t.Errorf("%s lacks %s", m.name, name)
				}
			}
		}
	}
}

// TestBucketRightIsLost: a key that may not list, write or remove any more says so at the next push. What is
// there stays, and a push with all rights makes up for it.
func TestBucketRightIsLost(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	const all = "ListBucket PutObject GetObject DeleteObject"
	allow := func(rights string) {
		t.Helper()
		const policy = `{"Statement":[{"Effect":"Allow","Principal":{"AWS":[%q]},"Action":["s3:%s"],"Resource":["arn:aws:s3:::notes","arn:aws:s3:::notes/*"]}]}`
		govern(t, g, "policy", fmt.Sprintf(policy, g.Guest, strings.ReplaceAll(rights, " ", `","s3:`)))
	}
	allow(all)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	still := bucketAt(t, g, g.URLs[0], "", nil)
	r := a.at(bucketAt(t, g, g.URLs[0], "", func(o *hosted.BucketOptions) { o.Credentials = staticKeys(g.Guest, g.GuestSecret) }), "")
	secret := ""
	for _, without := range []string{"ListBucket", "PutObject", "GetObject", "DeleteObject"} {
		allow(all)
		secret = "secret of " + without
		a.write("a.org", "* "+secret+"\n")
		if _, err := a.push(r); err != nil {
			t.Fatal(err)
		}
		a.write("a.org", "* Without "+without+"\n")
		if _, _, err := a.m.Mending().Purge(t.Context(), nil, secret, nil); err != nil {
			t.Fatal(err)
		}
		allow(strings.TrimSpace(strings.ReplaceAll(" "+all, " "+without, "")))
		if _, err := a.push(r); !errors.Is(err, place.ErrRight) || !strings.Contains(err.Error(), "it lacks s3:"+without) {
			t.Errorf("without %s: %v", without, err)
		}
		if lost, _, err := placetest.Lost(t.Context(), still); err != nil || len(lost) > 0 {
			t.Errorf("without %s: %q, %v", without, lost, err)
		}
	}
	allow(all)
	for range 2 {
		if _, err := a.push(r); err != nil {
			t.Error(err)
		}
	}
	if _, litter, err := placetest.Lost(t.Context(), still); err != nil || len(litter) > 0 {
		t.Errorf("left over: %q, %v", litter, err)
	}
}
