// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fovea-memory/fovea/api"
)

// must asks as the person for what has to succeed.
func (s *site) must(op, body string, headers ...string) reply {
	s.t.Helper()
	r := s.ask("POST", "/v1/"+op, body, headers...)
	if r.status != 200 {
		s.t.Fatalf("%s %s: %d %s", op, body, r.status, r.body)
	}
	return r
}

// of is the same site for another test.
func (s *site) of(t *testing.T) *site {
	one := *s
	one.t = t
	return &one
}

// TestOnceAtOnce: of many that ask at once under one key, one is carried out.
func TestOnceAtOnce(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	s.must("ingest", "{}")
	bodies := make([]string, 8)
	var group sync.WaitGroup
	for i := range bodies {
		group.Go(func() {
			r := s.ask("POST", "/v1/snapshot", `{}`, api.HeaderOp, "k1")
			bodies[i] = fmt.Sprintf("%d %s", r.status, r.body)
		})
	}
	group.Wait()
	for _, body := range bodies {
		if body != bodies[0] || !strings.HasPrefix(body, "200 ") {
			t.Errorf("answered %s and %s", bodies[0], body)
		}
	}
	if list := s.m.History().Snapshots(); len(list) != 1 {
		t.Errorf("%d snapshots", len(list))
	}
}

// TestOnceAfterAFailure: a request that failed is carried out when it comes again.
func TestOnceAfterAFailure(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	const body = `{"id":"B","todo":"TODO"}`
	if r := s.ask("POST", "/v1/edit", body, api.HeaderOp, "k1"); r.status != 404 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	s.write("b.org", "* B\n")
	s.must("edit", body, api.HeaderOp, "k1")
}

// TestOnceForgets: the newest thousand answers are kept, and keys tell other requests
// long after.
func TestOnceForgets(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	s.must("ingest", "{}")
	keep := func(name, key string) reply {
		return s.ask("POST", "/v1/snapshot", fmt.Sprintf(`{"name":"%s"}`, name), api.HeaderOp, key)
	}
	first := keep("first", "k-first")
	for i := range 1000 {
		keep("first", fmt.Sprint("k", i))
	}
	s.write("a.org", "* B\n")
	s.must("ingest", "{}")
	if r := keep("first", "k999"); !bytes.Equal(r.body, first.body) {
		t.Errorf("the newest is answered %s, want %s", r.body, first.body)
	}
	if r := keep("first", "k-first"); r.status != 200 || bytes.Equal(r.body, first.body) {
		t.Errorf("the oldest of 1001 is answered as the first time: %s", r.body)
	}
	if r := keep("other", "k0"); r.status != 422 {
		t.Errorf("another request under a key: %d %s", r.status, r.body)
	}
}
