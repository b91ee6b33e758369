// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// bucketAt opens a place in the bucket of the gateways, as reached at an address.
func bucketAt(t testing.TB, g *foveatest.Gateways, endpoint, prefix string, with func(*hosted.BucketOptions)) place.Place {
	t.Helper()
	o := hosted.BucketOptions{Name: g.Bucket, Prefix: prefix}
	o.Endpoint, o.Credentials = endpoint, staticKeys(g.KeyID, g.Secret)
	if with != nil {
		with(&o)
	}
	p, err := hosted.OpenBucket(o)
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
		if keeps, err := place.Probe(t.Context(), p); err != nil || keeps {
			t.Fatalf("probe below %q: %v, %v", prefix, keeps, err)
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
	if _, err := place.Probe(t.Context(), bucketAt(t, honest, placetest.Proxy(t, honest.URLs, nil, nil), "", nil)); err != nil {
		t.Errorf("two gateways that lock: %v", err)
	}
	racing := foveatest.StartGateways(t, 2, "--disable-object-lock-file")
	dropped := func(r *http.Request) {
		r.Header.Del("If-Match")
		r.Header.Del("If-None-Match")
	}
	for what, p := range map[string]place.Place{
		"two gateways without a lock":   bucketAt(t, racing, placetest.Proxy(t, racing.URLs, nil, nil), "", nil),
		"a proxy that drops conditions": bucketAt(t, honest, placetest.Proxy(t, honest.URLs, dropped, nil), "", nil),
	} {
		_, err := place.Probe(t.Context(), p)
		t.Logf("%s: %v", what, err)
		if !errors.Is(err, place.ErrLies) && !errors.Is(err, place.ErrRight) {
			t.Errorf("%s: %v", what, err)
		}
		if names, err := p.List(t.Context(), ""); err != nil || len(names) > 0 {
			t.Errorf("%s: after the probe there are %q, %v", what, names, err)
		}
	}
}

// govern sets something of the bucket, such as its policy, as its owner.
func govern(t *testing.T, g *foveatest.Gateways, what, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, g.URLs[0]+"/"+g.Bucket+"?"+what+"=", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(body))
	payload := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Content-Sha256", payload)
	keys := aws.Credentials{AccessKeyID: g.KeyID, SecretAccessKey: g.Secret}
	if err := v4.NewSigner().SignHTTP(t.Context(), keys, r, payload, "s3", "us-east-1", time.Now()); err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if said, _ := io.ReadAll(answer.Body); answer.StatusCode/100 != 2 {
		t.Fatalf("%s: %s %s", what, answer.Status, said)
	}
}

// staticKeys are the keys that a machine signs with.
func staticKeys(id, secret string) func(context.Context) (hosted.Credentials, error) {
	return func(context.Context) (hosted.Credentials, error) {
		return hosted.Credentials{KeyID: id, Secret: secret}, nil
	}
}

// TestBucketRights: who may not do all is told which right is missing; a wrong key, a clock a year
// off, a bucket that is not there are said as such. Nothing is left there.
func TestBucketRights(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	keys := func(id, secret string) func(*hosted.BucketOptions) {
		return func(o *hosted.BucketOptions) { o.Credentials = staticKeys(id, secret) }
	}
	guest := keys(g.Guest, g.GuestSecret)
	aYearAgo := func(o *hosted.BucketOptions) { o.Now = func() time.Time { return time.Now().AddDate(-1, 0, 0) } }
	for _, c := range []struct {
		name, may string
		with      func(*hosted.BucketOptions)
		want      string
	}{
		{"a wrong secret", "", keys(g.KeyID, "wrong"), "the secret key is wrong"},
		{"a key that nobody knows", "", keys("nobody", "x"), "the store does not know the access key"},
		{"another bucket", "", func(o *hosted.BucketOptions) { o.Name = "absent" }, "there is no such bucket"},
		{"a clock a year off", "", aYearAgo, "365 days behind"},
		{"no right", "", guest, "it lacks s3:ListBucket on notes"},
		{"the right to list", "ListBucket", guest, "it lacks s3:PutObject on notes"},
		{"no right to read", "ListBucket PutObject DeleteObject", guest, "it lacks s3:GetObject"},
		{"all rights", "ListBucket PutObject GetObject DeleteObject", guest, ""},
		{"no right to remove", "ListBucket PutObject GetObject", guest, "it lacks s3:DeleteObject on notes"},
	} {
		if c.may != "" {
			const policy = `{"Statement":[{"Effect":"Allow","Principal":{"AWS":[%q]},"Action":["s3:%s"],
				"Resource":["arn:aws:s3:::notes","arn:aws:s3:::notes/*"]}]}`
			govern(t, g, "policy", fmt.Sprintf(policy, g.Guest, strings.ReplaceAll(c.may, " ", `","s3:`)))
		}
		_, err := place.Probe(t.Context(), bucketAt(t, g, g.URLs[0], "", c.with))
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, place.ErrRight) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		for _, entry := range dirNames(t, filepath.Join(g.Folder, g.Bucket, "probe")) {
			if c.name != "no right to remove" {
				t.Errorf("%s: %s was left", c.name, entry)
			}
		}
	}
}

func dirNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestBucketKeepsVersions: a bucket with versions is told from one without.
func TestBucketKeepsVersions(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	govern(t, g, "versioning", `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>`)
	if keeps, err := place.Probe(t.Context(), bucketAt(t, g, g.URLs[0], "", nil)); err != nil || !keeps {
		t.Error(keeps, err)
	}
}

// TestBucketPurged: what is purged here goes from the bucket with the next push, also what an
// earlier push left there that did not end.
func TestBucketPurged(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	l := &late{Place: bucketAt(t, g, g.URLs[0], "", nil)}
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	r := a.at(l, "")
	a.write("a.org", "* A secret password\n")
	if _, err := a.push(r); err != nil {
		t.Fatal(err)
	}
	a.write("b.org", "* Another secret password\n")
	l.on = true
	if _, err := a.push(r); !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	l.on = false
	holds := func() (n int) {
		dir := filepath.Join(g.Folder, g.Bucket, "packs")
		for _, name := range dirNames(t, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			n += strings.Count(string(data), "secret password")
		}
		return n
	}
	if holds() < 2 {
		t.Fatal("the test has no secret")
	}
	a.write("a.org", "* Nothing\n")
	a.write("b.org", "* Nothing\n")
	if _, _, err := a.m.Mending().Purge(t.Context(), nil, "secret password", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.push(r); err != nil {
		t.Fatal(err)
	}
	if n := holds(); n > 0 {
		t.Errorf("the bucket still has it %d times", n)
	}
}
