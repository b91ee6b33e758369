// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/place"
)

// TestBucketAddress: the meaning of an address of a bucket. One with a key in it is refused, and no
// error has the key.
func TestBucketAddress(t *testing.T) {
	for address, want := range map[string]BucketOptions{
		"s3://notes":                       {Name: "notes"},
		"s3://notes/a/b/?region=eu-west-1": {Name: "notes", BucketSettings: BucketSettings{Region: "eu-west-1"}},
		"s3://notes/a%20b?endpoint=https://box:9000&style=host&profile=p": {Name: "notes", VirtualHost: true,
			BucketSettings: BucketSettings{Endpoint: "https://box:9000"}},
		"s3://notes?endpoint=http://box&insecure=true&style=path": {Name: "notes", Insecure: true, BucketSettings: BucketSettings{Endpoint: "http://box"}},
	} {
		got, profile, err := parseBucket(address)
		if err != nil || got.Name != want.Name || got.VirtualHost != want.VirtualHost || got.Insecure != want.Insecure ||
			got.Region != want.Region || got.Endpoint != want.Endpoint ||
			strings.HasSuffix(got.Prefix, "/") || (profile == "p") != strings.Contains(address, "profile") {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
	keys := func(string) (BucketSettings, error) {
		return BucketSettings{Credentials: func(context.Context) (Credentials, error) { return Credentials{}, nil }}, nil
	}
	for _, address := range []string{
		"s3://id:verysecret@notes/x", "s3://verysecret@notes", "s3://notes/x?secret=verysecret", "s3://notes?endpoint=https://id:verysecret@box",
		"s3://notes?region=a&region=verysecret", "s3://notes?style=verysecret", "s3://notes/../x", "s3://notes/a//b", "s3://notes:9000/x",
		"s3://notes#verysecret", "s3://No/x", "s3:///x", "s3://", "s3://notes/%00", "s3://notes/%zz?verysecret", "s3://notes/%ff",
		"s3://notes/" + strings.Repeat("x", 800), "s3://notes?insecure=verysecret", "s3://notes?endpoint=http://box",
	} {
		_, err := place.Open(t.Context(), address, place.Openers{"s3": BucketOpener(keys)})
		if !errors.Is(err, place.ErrURL) || strings.Contains(err.Error(), "verysecret") || len(err.Error()) > 300 {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := place.Open(t.Context(), "s3://notes", nil); !errors.Is(err, place.ErrURL) {
		t.Error(err)
	}
}

// FuzzBucketAddress: an address that is taken names one bucket, and a prefix that stays below it.
func FuzzBucketAddress(f *testing.F) {
	f.Add("s3://notes/a?endpoint=https://box&region=r")
	f.Fuzz(func(t *testing.T, rest string) {
		o, _, err := parseBucket("s3://" + rest)
		if err != nil {
			return
		}
		if o.Name == "" && o.Prefix == "" {
			return // Open refuses it
		}
		for part := range strings.SplitSeq(o.Prefix, "/") {
			if part == ".." || part == "." || part == "" && o.Prefix != "" {
				t.Errorf("%q has the prefix %q", rest, o.Prefix)
			}
		}
	})
}
