// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/s3"
)

// Buckets returns what is known about buckets in addition to their addresses. profile is that of the
// address, "" for none.
type Buckets func(profile string) (s3.Settings, error)

// bucket is a place in a bucket.
type bucket struct {
	of     *s3.Bucket
	prefix string // "" or ends with a slash
}

// maxPrefix leaves room for the name of an object: a key has 1024 bytes.
const maxPrefix = 700

// openBucket opens the place that an address names. It sends no request. No error has the address:
// somebody may have written a key into it.
func openBucket(address string, buckets Buckets) (Place, error) {
	o, prefix, profile, err := parseBucket(address)
	if err != nil {
		return nil, err
	}
	if buckets == nil {
		return nil, fmt.Errorf("%w; buckets are not reached from here", ErrURL)
	}
	known, err := buckets(profile)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRight, err)
	}
	if o.Region == "" {
		o.Region = known.Region
	}
	if o.Endpoint == "" {
		o.Endpoint = known.Endpoint
	}
	o.Credentials = known.Credentials
	return OpenBucket(o, prefix)
}

// OpenBucket opens the place below a prefix of a bucket. It sends no request. Errors: ErrURL.
func OpenBucket(o s3.Options, prefix string) (Place, error) {
	b, err := s3.Open(o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return &bucket{b, prefix}, nil
}

// parseBucket reads s3://NAME/PREFIX?endpoint=URL&region=REGION&style=path|host&profile=NAME
// &insecure=true.
func parseBucket(address string) (o s3.Options, prefix, profile string, err error) {
	wrong := func(what string) (s3.Options, string, string, error) {
		return s3.Options{}, "", "", fmt.Errorf("%w; %s", ErrURL, what)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return wrong("this one cannot be read")
	case u.User != nil || strings.Contains(u.Host, "@"):
		return wrong("leave the key out of the address: it is taken from the environment or from the files of Amazon's tools")
	case u.Port() != "" || u.Fragment != "":
		return wrong("the host and the port of another store than Amazon's are its endpoint: s3://BUCKET/PREFIX?endpoint=https://HOST:PORT")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return wrong("what stands behind ? cannot be read")
	}
	for name, values := range query {
		value := values[0]
		switch {
		case len(values) > 1:
			return wrong("something stands twice behind ?")
		case name == "endpoint":
			o.Endpoint = value
		case name == "region":
			o.Region = value
		case name == "profile":
			profile = value
		case name == "style" && (value == "path" || value == "host"):
			o.VirtualHost = value == "host"
		case name == "insecure" && value == "true":
			o.Insecure = true
		default:
			return wrong("behind ? stand endpoint=URL, region=NAME, profile=NAME, style=path, style=host or insecure=true")
		}
	}
	o.Name, prefix = u.Host, strings.Trim(u.Path, "/")
	if len(prefix) > maxPrefix {
		return wrong(fmt.Sprintf("the prefix has more than %d bytes", maxPrefix))
	}
	control := func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }
	for part := range strings.SplitSeq(prefix, "/") {
		if prefix != "" && (part == "" || part == "." || part == "..") || strings.ContainsFunc(part, control) {
			return wrong("the prefix has a part that is empty, a dot, two dots, or no text")
		}
	}
	return o, prefix, profile, nil
}

// kindOfBucket makes errors of a bucket those of places.
func kindOfBucket(err error) error {
	for from, to := range map[error]error{
		s3.ErrNone: ErrNone, s3.ErrChanged: ErrChanged, s3.ErrSize: ErrDamaged,
		s3.ErrDenied: ErrRight, s3.ErrKey: ErrRight, s3.ErrClock: ErrRight, s3.ErrBucket: ErrRight,
	} {
		if errors.Is(err, from) {
			return &bucketError{to, err}
		}
	}
	return err
}

// bucketError is an error of a bucket that is one of places, too.
type bucketError struct{ kind, err error }

func (e *bucketError) Error() string   { return e.err.Error() }
func (e *bucketError) Unwrap() []error { return []error{e.kind, e.err} }

func (b *bucket) Get(ctx context.Context, name string) ([]byte, string, error) {
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	data, tag, err := b.of.Get(ctx, b.prefix+name, MaxObject)
	return data, tag, kindOfBucket(err)
}

func (b *bucket) Put(ctx context.Context, name, tag string, data []byte) error {
	_, err := b.putSlowly(ctx, name, tag, data, nil)
	return err
}

func (b *bucket) putSlowly(ctx context.Context, name, tag string, data []byte, halfway func()) (kept bool, err error) {
	if err := checkName(name); err != nil {
		return false, err
	}
	if len(data) > MaxObject {
		return false, fmt.Errorf("%s has %d bytes, more than %d: %w", name, len(data), MaxObject, ErrDamaged)
	}
	kept, err = b.of.Put(ctx, b.prefix+name, tag, data, halfway)
	return kept, kindOfBucket(err)
}

func (b *bucket) List(ctx context.Context, prefix string) ([]string, error) {
	keys, err := b.of.List(ctx, b.prefix+prefix)
	if err != nil {
		return nil, kindOfBucket(err)
	}
	var names []string
	for _, key := range keys {
		name, ok := strings.CutPrefix(key, b.prefix)
		if ok && strings.HasPrefix(name, prefix) && checkName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (b *bucket) Remove(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return kindOfBucket(b.of.Remove(ctx, b.prefix+name))
}

func (b *bucket) Close() error {
	b.of.Close()
	return nil
}
