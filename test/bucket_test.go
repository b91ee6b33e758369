// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/remote"
	"github.com/fovea-memory/fovea/internal/remote/placetest"
	"github.com/fovea-memory/fovea/internal/s3"
)

// bucketAt opens a place in the bucket of the gateways, as reached at an address.
func bucketAt(t testing.TB, g *foveatest.Gateways, endpoint, prefix string, with func(*s3.Options)) remote.Place {
	t.Helper()
	o := s3.Options{Name: g.Bucket, Settings: s3.Settings{Endpoint: endpoint, Credentials: func(context.Context) (s3.Credentials, error) {
		return s3.Credentials{KeyID: g.KeyID, Secret: g.Secret}, nil
	}}}
	if with != nil {
		with(&o)
	}
	p, err := remote.OpenBucket(o, prefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestBucket: a bucket is a place, with the errors of one; what a probe writes is gone after it.
func TestBucket(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	for _, prefix := range []string{"", "a folder/é+ü%/x"} {
		p := bucketAt(t, g, g.URLs[0], prefix, nil)
		if done, err := remote.Probe(t.Context(), p); err != nil || done.Keeps {
			t.Fatalf("probe below %q: %v, %v", prefix, done, err)
		}
		if names, err := p.List(t.Context(), ""); err != nil || len(names) > 0 {
			t.Errorf("after a probe: %q, %v", names, err)
		}
		placetest.Check(t, p)
	}
}

// TestBucketMeets: two machines meet in a bucket.
func TestBucketMeets(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	p := bucketAt(t, g, g.URLs[0], "meet", nil)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b := a.copy("b")
	ours, theirs := a.at(p, ""), b.at(p, "")
	a.write("a.org", "* In a bucket\n"+lines(300_000))
	for range 2 {
		if err := errors.Join(a.exchange(ours), b.exchange(theirs)); err != nil {
			t.Fatal(err)
		}
		b.write("b.org", "* Back\n")
	}
	if err := errors.Join(b.exchange(theirs), a.exchange(ours)); err != nil {
		t.Fatal(err)
	}
	if a.m.View().Root() != b.m.View().Root() {
		t.Error("the machines have not met")
	}
}

// TestBucketLies: a bucket that does not keep its conditions is refused, whatever lies.
func TestBucketLies(t *testing.T) {
	honest := foveatest.StartGateways(t, 2)
	if _, err := remote.Probe(t.Context(), bucketAt(t, honest, placetest.Proxy(t, honest.URLs, nil, nil), "", nil)); err != nil {
		t.Errorf("two gateways that lock: %v", err)
	}
	racing := foveatest.StartGateways(t, 2, "--disable-object-lock-file")
	dropped := func(r *http.Request) {
		r.Header.Del("If-Match")
		r.Header.Del("If-None-Match")
	}
	for what, p := range map[string]remote.Place{
		"two gateways without a lock":   bucketAt(t, racing, placetest.Proxy(t, racing.URLs, nil, nil), "", nil),
		"a proxy that drops conditions": bucketAt(t, honest, placetest.Proxy(t, honest.URLs, dropped, nil), "", nil),
	} {
		_, err := remote.Probe(t.Context(), p)
		t.Logf("%s: %v", what, err)
		if !errors.Is(err, remote.ErrLies) && !errors.Is(err, remote.ErrRight) {
			t.Errorf("%s: %v", what, err)
		}
		if names, err := p.List(t.Context(), ""); err != nil || len(names) > 0 {
			t.Errorf("%s: after the probe there are %q, %v", what, names, err)
		}
	}
}

// TestBucketRights: who may not do all is told which right is missing; a wrong key, a clock a year
// off, a bucket that is not there are said as such.
func TestBucketRights(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	keys := func(id, secret string) func(*s3.Options) {
		return func(o *s3.Options) {
			o.Credentials = func(context.Context) (s3.Credentials, error) { return s3.Credentials{KeyID: id, Secret: secret}, nil }
		}
	}
	for _, c := range []struct {
		name string
		with func(*s3.Options)
		want string
	}{
		{"a wrong secret", keys(g.KeyID, "wrong"), "the secret key is wrong"},
		{"a key that nobody knows", keys("nobody", "x"), "the store does not know the access key"},
		{"another bucket", func(o *s3.Options) { o.Name = "absent" }, "there is no such bucket"},
	} {
		_, err := remote.Probe(t.Context(), bucketAt(t, g, g.URLs[0], "", c.with))
		if !errors.Is(err, remote.ErrRight) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(g.Folder, g.Bucket)); err != nil || len(entries) > 0 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
}
