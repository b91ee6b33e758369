// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package s3

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea/internal/transfer"
)

// Settings are what is known of buckets besides their addresses.
type Settings struct {
	// Region and Endpoint stand in for those that an address does not name; "" for none.
	Region, Endpoint string
	// Credentials returns those that sign. It is asked again before they expire, and must be safe
	// for concurrent use.
	Credentials func(context.Context) (Credentials, error)
}

// Options say which bucket, and how it is reached.
type Options struct {
	Settings
	// Name is that of the bucket.
	Name string
	// VirtualHost puts the name before the host instead of the path; it is so at Amazon.
	VirtualHost bool
	// Insecure allows HTTP to other machines.
	Insecure bool
	// Transport sends requests; nil is one of the bucket's own.
	Transport http.RoundTripper
	// Now is the clock, and Wait waits; nil are those of the system.
	Now  func() time.Time
	Wait func(context.Context, time.Duration) error
}

// Bucket is one bucket. Its methods are safe for concurrent use.
type Bucket struct {
	name, region string
	base         url.URL // with the path before keys, which ends with a slash
	http         *http.Client
	ask          func(context.Context) (Credentials, error)
	now          func() time.Time
	wait         func(context.Context, time.Duration) error

	mu    sync.Mutex
	known Credentials // guarded by mu
}

// standardRegion signs where nobody names a region, as other stores than Amazon's expect.
const standardRegion = "us-east-1"

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	regionName = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
)

// Open opens a bucket. It asks nobody. Errors: ErrOptions.
func Open(o Options) (*Bucket, error) {
	b := &Bucket{name: o.Name, region: firstOf(o.Region, standardRegion), ask: o.Credentials, now: o.Now, wait: o.Wait}
	switch {
	case !bucketName.MatchString(o.Name):
		return nil, fmt.Errorf("%w: a bucket has 3 to 63 lower-case letters, digits, dots and hyphens", ErrOptions)
	case !regionName.MatchString(b.region):
		return nil, fmt.Errorf("%w: the region has other characters than letters, digits and hyphens", ErrOptions)
	case b.ask == nil:
		return nil, fmt.Errorf("%w: there are none", ErrKey)
	}
	if err := b.place(o); err != nil {
		return nil, err
	}
	base := o.Transport
	if base == nil {
		own := transfer.Direct()
		own.DisableCompression, own.MaxIdleConnsPerHost = true, 8
		base = own
	}
	b.http = transfer.NewClient(&transfer.Transport{Base: base, Limit: answerWait})
	if b.now == nil {
		b.now = time.Now
	}
	if b.wait == nil {
		b.wait = delay
	}
	return b, nil
}

// place sets where the bucket is.
func (b *Bucket) place(o Options) error {
	virtual := o.VirtualHost
	endpoint := o.Endpoint
	if endpoint == "" {
		domain := "amazonaws.com"
		if strings.HasPrefix(b.region, "cn-") {
			domain += ".cn"
		}
		endpoint = "https://s3." + b.region + "." + domain
		virtual = !strings.Contains(o.Name, ".") // the certificate covers no further dot
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Host == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("%w: the endpoint is https://HOST or https://HOST:PORT, without a key", ErrOptions)
	case u.Scheme == "http" && !o.Insecure && !loopback(u.Hostname()):
		return fmt.Errorf("%w: the endpoint is reached over plain HTTP; use https, or say insecure=true", ErrOptions)
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%w: the endpoint does not begin with https://", ErrOptions)
	}
	b.base = url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/" + o.Name + "/"}
	if virtual {
		b.base.Host, b.base.Path = o.Name+"."+u.Host, "/"
	}
	return nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// delay waits, unless the context ends.
func delay(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// backoff returns how long to wait before an attempt, at random, so that machines do not
// come again all at once.
func backoff(attempt int) time.Duration {
	longest := min(firstWait<<min(attempt, 10), maxWait)
	return longest/2 + rand.N(longest/2)
}

// credentials returns those that sign now.
func (b *Bucket) credentials(ctx context.Context) (Credentials, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known.KeyID != "" && (b.known.Expires.IsZero() || b.now().Before(b.known.Expires.Add(-renewBefore))) {
		return b.known, nil
	}
	c, err := b.ask(ctx)
	if err == nil && (c.KeyID == "" || c.Secret == "") {
		err = fmt.Errorf("%w: there are none", ErrKey)
	}
	if err == nil {
		b.known = c
	}
	return c, err
}

// forget has credentials asked for again.
func (b *Bucket) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known = Credentials{}
}

// Close closes idle connections.
func (b *Bucket) Close() { b.http.CloseIdleConnections() }
