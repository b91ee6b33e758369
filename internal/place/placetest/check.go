// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package placetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/fovea-memory/fovea/internal/place"
)

// many is more than a page of a bucket.
const many = 1100

// Check tests the promises of places on an empty place. It leaves the place empty.
func Check(t *testing.T, p place.Place) {
	t.Helper()
	CheckUpTo(t, p, many)
}

// CheckUpTo is Check for a slow place, with fewer objects in its list.
func CheckUpTo(t *testing.T, p place.Place, objects int) {
	t.Helper()
	c := check{t, p}
	c.conditions()
	c.bytes()
	c.names()
	c.list(objects)
}

type check struct {
	t *testing.T
	p place.Place
}

func (c check) put(name, tag string, data []byte, want error) {
	c.t.Helper()
	if err := c.p.Put(c.t.Context(), name, tag, data); !errors.Is(err, want) {
		c.t.Errorf("put %s under %q: %v, want %v", name, tag, err, want)
	}
}

func (c check) get(name string, want []byte) (tag string) {
	c.t.Helper()
	data, tag, err := c.p.Get(c.t.Context(), name)
	if err != nil || !bytes.Equal(data, want) || tag == "" {
		c.t.Errorf("get %s: %d bytes, tag %q, %v; want %d bytes", name, len(data), tag, err, len(want))
	}
	return tag
}

func (c check) remove(name string) {
	c.t.Helper()
	if err := c.p.Remove(c.t.Context(), name); err != nil {
		c.t.Errorf("remove %s: %v", name, err)
	}
	if _, _, err := c.p.Get(c.t.Context(), name); !errors.Is(err, place.ErrNone) {
		c.t.Errorf("get %s, which was removed: %v", name, err)
	}
}

// conditions: an object is created once, and replaced only under its tag.
func (c check) conditions() {
	c.t.Helper()
	const name = "heads/a.0123456789ab"
	c.put(name, "", []byte("one"), nil)
	c.put(name, "", []byte("two"), place.ErrChanged)
	first := c.get(name, []byte("one"))
	c.put(name, first, []byte("two"), nil)
	second := c.get(name, []byte("two"))
	c.put(name, first, []byte("three"), place.ErrChanged)
	c.get(name, []byte("two"))
	c.remove(name)
	c.put(name, second, []byte("four"), place.ErrChanged)
	c.put(name, "", []byte("five"), nil)
	c.remove(name)
	c.remove(name)
}

// bytes: each object comes back unchanged, up to the largest.
func (c check) bytes() {
	c.t.Helper()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for i, data := range [][]byte{{}, {0}, all, bytes.Repeat(all, place.MaxObject/256)} {
		name := fmt.Sprintf("packs/%064x", i)
		c.put(name, "", data, nil)
		c.get(name, data)
		c.remove(name)
	}
}

// names: only objects of the place can be named.
func (c check) names() {
	c.t.Helper()
	for _, name := range []string{"", ".", "..", "../x", "/x", "a/../b", "a/b/c", ".hidden", "a//b", "a b", "a%2fb", "é", "heads/"} {
		_, _, err := c.p.Get(c.t.Context(), name)
		if err == nil || errors.Is(err, place.ErrNone) || c.p.Put(c.t.Context(), name, "", nil) == nil || c.p.Remove(c.t.Context(), name) == nil {
			c.t.Errorf("%q is a name: %v", name, err)
		}
	}
}

// list: names are listed by prefix, however many there are.
func (c check) list(objects int) {
	c.t.Helper()
	var want []string
	for i := range objects {
		want = append(want, fmt.Sprintf("packs/%04d", i))
	}
	var puts errgroup.Group
	puts.SetLimit(8)
	for _, name := range want {
		puts.Go(func() error { return c.p.Put(c.t.Context(), name, "", []byte("x")) })
	}
	if err := puts.Wait(); err != nil {
		c.t.Errorf("put: %v", err)
	}
	c.put("heads/x", "", nil, nil)
	for prefix, names := range map[string][]string{"packs/": want, "packs/000": want[:10], "heads/": {"heads/x"}, "none/": nil} {
		got, err := c.p.List(c.t.Context(), prefix)
		if err != nil || !slices.Equal(got, names) {
			c.t.Errorf("list %s: %d names, %v, want %d", prefix, len(got), err, len(names))
		}
	}
	for _, name := range append(want, "heads/x") {
		if err := c.p.Remove(c.t.Context(), name); err != nil {
			c.t.Fatal(err)
		}
	}
}
