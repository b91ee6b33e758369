// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// countByCache counts text i through the cache and reports whether the cache missed.
func countByCache(c *Cache, counter Counter, i int) (n int, counted bool) {
	text := strings.Repeat("word ", i)
	n = c.Count(counter, sha256.Sum256([]byte(text)), func() string { counted = true; return text })
	return n, counted
}

// otherCounter is a counter with another name than the estimate.
type otherCounter struct{ Counter }

func (otherCounter) Name() string { return "second" }

func TestCacheRemembers(t *testing.T) {
	c := NewCache(10)
	for _, wanted := range []bool{true, false, false} {
		if n, got := countByCache(c, Estimate(), 5); n != Estimate().Count("word word word word word ") || got != wanted {
			t.Errorf("Count = %d, asked for the text: %v, want %v", n, got, wanted)
		}
	}
	if _, wanted := countByCache(c, otherCounter{Estimate()}, 5); !wanted {
		t.Error("two counters share a count")
	}
}

func TestCacheIsBounded(t *testing.T) {
	for _, limit := range []int{-1, 0, 1, 2, 7, 100} {
		rapid.Check(t, func(t *rapid.T) {
			c := NewCache(limit)
			asked := rapid.SliceOfN(rapid.IntRange(0, 12), 0, 60).Draw(t, "asked")
			for at, i := range asked {
				_, counted := countByCache(c, Estimate(), i)
				latest := map[int]bool{}
				for back := at - 1; back >= 0 && len(latest) < max(limit/2, 1); back-- {
					latest[asked[back]] = true
				}
				if counted && latest[i] {
					t.Fatalf("limit %d: %d of %v was forgotten", limit, i, asked[:at])
				}
			}
			if c.Len() > max(limit, 2) {
				t.Fatalf("a cache of %d holds %d", limit, c.Len())
			}
		})
	}
}

func TestCacheRoundTrip(t *testing.T) {
	c := NewCache(100)
	for i := range 20 {
		countByCache(c, Estimate(), i)
		countByCache(c, otherCounter{Estimate()}, i)
	}
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	loaded := NewCache(100)
	if err := loaded.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		want, _ := countByCache(c, Estimate(), i)
		if got, counted := countByCache(loaded, Estimate(), i); got != want || counted {
			t.Errorf("text %d: got %d (counted again: %v), want %d", i, got, counted, want)
		}
	}
	second, err := loaded.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(data, second); diff != "" {
		t.Errorf("the bytes depend on more than the contents:\n%s", diff)
	}
	small := NewCache(4)
	if err := small.UnmarshalBinary(data); err != nil || small.Len() > 4 || small.Len() == 0 {
		t.Errorf("a cache of 4 holds %d after %v", small.Len(), err)
	}
}

func TestCacheRefusesDamage(t *testing.T) {
	c := NewCache(10)
	countByCache(c, Estimate(), 3)
	data, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	loaded := NewCache(10)
	countByCache(loaded, Estimate(), 4)
	refuse := func(name string, damaged []byte) {
		if err := loaded.UnmarshalBinary(damaged); !errors.Is(err, ErrCache) {
			t.Errorf("%s: %v, want ErrCache", name, err)
		}
		if _, counted := countByCache(loaded, Estimate(), 4); counted {
			t.Errorf("%s: what was held is gone", name)
		}
	}
	for i := range data {
		refuse("cut to "+strconv.Itoa(i), data[:i])
		damaged := append([]byte(nil), data...)
		damaged[i] ^= 0x10
		refuse("changed at "+strconv.Itoa(i), damaged)
	}
	for name, body := range map[string]string{
		"name too long":   "\xff\x01a",
		"name endless":    "\xff",
		"counts missing":  "\x01a",
		"count missing":   "\x01a\x01" + strings.Repeat("k", 32),
		"key cut":         "\x01a\x01kkk",
		"count too great": "\x01a\x01" + strings.Repeat("k", 32) + "\xff\xff\xff\xff\xff\xff\x7f",
	} {
		if err := NewCache(10).decode([]byte(body)); !errors.Is(err, ErrCache) {
			t.Errorf("%s: %v, want ErrCache", name, err)
		}
	}
}

func TestCacheIsSafeForConcurrentUse(t *testing.T) {
	c := NewCache(8)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				text := strings.Repeat("word ", (i+g)%12)
				if n, _ := countByCache(c, Estimate(), (i+g)%12); n != Estimate().Count(text) {
					t.Errorf("Count of %q = %d", text, n)
				}
				if data, err := c.MarshalBinary(); err != nil || c.UnmarshalBinary(data) != nil {
					t.Error("the cache does not read what it wrote")
				}
			}
		})
	}
	wg.Wait()
}

// FuzzCacheDecode feeds arbitrary bytes to the decoder.
func FuzzCacheDecode(f *testing.F) {
	c := NewCache(10)
	countByCache(c, Estimate(), 3)
	data, err := c.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[len(cacheMagic)+1 : len(data)-4])
	f.Add([]byte("\x01a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := NewCache(10)
		if err := c.decode(body); err != nil && !errors.Is(err, ErrCache) {
			t.Fatalf("decode(%q): %v", body, err)
		}
		if c.Len() > 10 {
			t.Fatalf("decode(%q) holds %d counts", body, c.Len())
		}
	})
}

func BenchmarkCache(b *testing.B) {
	c := NewCache(1 << 16)
	var keys [1 << 10][32]byte
	for i := range keys {
		keys[i] = sha256.Sum256([]byte(strconv.Itoa(i)))
	}
	for b.Loop() {
		for _, key := range keys {
			c.Count(Estimate(), key, func() string { return "some words to count" })
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(keys)), "ns/count")
}
