// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

const bucketName = "notes"

// fakeStore runs gofakes3 until the test ends.
func fakeStore(t testing.TB) string {
	t.Helper()
	backend := s3mem.New()
	try(backend.CreateBucket(bucketName))
	s := httptest.NewServer(gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server())
	t.Cleanup(s.Close)
	return s.URL
}

// placeAt opens the place in the bucket of a store, which waits for nothing.
func placeAt(t testing.TB, url, prefix string) place.Place {
	t.Helper()
	keys := func(context.Context) (hosted.Credentials, error) {
		return hosted.Credentials{KeyID: "id", Secret: "secret"}, nil
	}
	p := must(hosted.OpenBucket(hosted.BucketOptions{Name: bucketName, Prefix: prefix, BucketSettings: hosted.BucketSettings{Endpoint: url, Credentials: keys},
		Wait: func(int) time.Duration { return 0 }}))
	t.Cleanup(func() { p.Close() })
	return p
}

// TestBucket: the bucket of gofakes3 passes the probe and is a place.
func TestBucket(t *testing.T) {
	p := placeAt(t, fakeStore(t), "a/é ü+%")
	if keeps, err := place.Probe(t.Context(), p); err != nil || keeps {
		t.Fatal(keeps, err)
	}
	placetest.Check(t, p)
}

// TestBucketThatIgnoresConditions: a store behind a proxy that drops conditions says yes to all, as
// some stores do by themselves.
func TestBucketThatIgnoresConditions(t *testing.T) {
	real := fakeStore(t)
	for _, header := range []string{"If-Match", "If-None-Match"} {
		p := placeAt(t, placetest.Proxy(t, []string{real}, func(r *http.Request) { r.Header.Del(header) }, nil), "")
		if _, err := place.Probe(t.Context(), p); !errors.Is(err, place.ErrLies) {
			t.Errorf("without %s: %v", header, err)
		}
		if names := must(p.List(t.Context(), "")); len(names) > 0 {
			t.Errorf("after the probe there are %q", names)
		}
	}
}

// TestBucketWriters: 16 writers append 2,000 lines to one object by its tag, while one request of 20
// meets a fault. No line is lost, none is there twice.
func TestBucketWriters(t *testing.T) {
	const writers, lines, name = 16, 2000, "heads/shared"
	real := fakeStore(t)
	try(placeAt(t, real, "").Put(t.Context(), name, "", []byte("begin\n")))
	var running sync.WaitGroup
	for i := range writers {
		weather := &placetest.Weather{OneOf: 20, Rand: rand.New(rand.NewPCG(3, uint64(i)))}
		p := placeAt(t, placetest.Proxy(t, []string{real}, nil, weather), "")
		running.Go(func() {
			for n := range lines / writers {
				line := fmt.Sprintf("line %d of %d\n", n, i)
				if err := appendTo(t.Context(), p, name, line); err != nil {
					t.Errorf("%s: %v", line, err)
					return
				}
			}
		})
	}
	running.Wait()
	data, _, err := placeAt(t, real, "").Get(t.Context(), name)
	try(err)
	there := map[string]int{}
	for line := range strings.Lines(string(data)) {
		there[line]++
	}
	for line, n := range there {
		if n != 1 {
			t.Errorf("%q is there %d times", line, n)
		}
	}
	if len(there) != lines+1 {
		t.Errorf("there are %d lines, not %d", len(there), lines+1)
	}
}

// appendTo appends a line, as long as it takes. What nobody answered is looked up.
func appendTo(ctx context.Context, p place.Place, name, line string) error {
	for {
		data, tag, err := p.Get(ctx, name)
		if errors.Is(err, place.ErrNoAnswer) {
			continue
		}
		if err != nil {
			return err
		}
		if bytes.Contains(data, []byte(line)) {
			return nil
		}
		switch err := p.Put(ctx, name, tag, append(data, line...)); {
		case err == nil:
			return nil
		case !errors.Is(err, place.ErrNoAnswer) && !errors.Is(err, place.ErrChanged):
			return err
		}
	}
}
