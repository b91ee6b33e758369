// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/fovea-memory/fovea/internal/place"
)

// maxPrefix leaves room for the name of an object in a key of at most 1024 bytes.
const maxPrefix = 700

// BucketOpener returns a function that opens the place at an address, without a request. known returns
// further settings for the profile in the address, "" for none. Errors do not contain the address, which
// may contain a key.
func BucketOpener(known func(profile string) (BucketSettings, error)) func(context.Context, string, bool) (place.Place, error) {
	return func(_ context.Context, address string, _ bool) (place.Place, error) {
		o, profile, err := parseBucket(address)
		if err != nil {
			return nil, err
		}
		found, err := known(profile)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", place.ErrRight, err)
		}
		o.Region, o.Endpoint, o.Credentials = cmp.Or(o.Region, found.Region), cmp.Or(o.Endpoint, found.Endpoint), found.Credentials
		return OpenBucket(o)
	}
}

// parseBucket parses s3://NAME/PREFIX?endpoint=URL&region=REGION&style=path|host&profile=NAME
// &insecure=true.
func parseBucket(address string) (o BucketOptions, profile string, err error) {
	wrong := func(what string) (BucketOptions, string, error) {
		return BucketOptions{}, "", fmt.Errorf("%w; %s", place.ErrURL, what)
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return wrong("this one is invalid")
	case u.User != nil || strings.Contains(u.Host, "@"):
		return wrong("leave the key out of the address: Fovea reads it from the environment or from the files of Amazon's tools")
	case u.Port() != "" || u.Fragment != "":
		return wrong("give the host and port of a store that is not Amazon's as its endpoint: s3://BUCKET/PREFIX?endpoint=https://HOST:PORT")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return wrong("the parameters after ? are invalid")
	}
	for name, values := range query {
		value := values[0]
		switch {
		case len(values) > 1:
			return wrong("a parameter after ? is repeated")
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
			return wrong("the parameters after ? are endpoint=URL, region=NAME, profile=NAME, style=path, style=host or insecure=true")
		}
	}
	o.Name, o.Prefix = u.Host, strings.Trim(u.Path, "/")
	if len(o.Prefix) > maxPrefix {
		return wrong(fmt.Sprintf("the prefix has more than %d bytes", maxPrefix))
	}
	control := func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }
	for part := range strings.SplitSeq(o.Prefix, "/") {
		if o.Prefix != "" && (part == "" || part == "." || part == "..") || strings.ContainsFunc(part, control) {
			return wrong("the prefix has a part that is empty, a dot, two dots, or not text")
		}
	}
	return o, profile, nil
}
