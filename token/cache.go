// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/internal/bound"
)

// Cache stores counts by counter name and by a key of 32 bytes that identifies the
// text, such as its digest. It holds a bounded number of counts and evicts those not
// used recently. It is safe for concurrent use. Create one with [NewCache].
type Cache struct {
	limit  int // never changes
	mu     sync.Mutex
	counts bound.Map[cacheKey, int]
}

type cacheKey struct {
	counter string
	key     [32]byte
}

// NewCache returns an empty cache that holds at most max(limit, 2) counts, always
// including the last limit/2 requested. A count takes about 100 bytes.
func NewCache(limit int) *Cache {
	return &Cache{limit: limit, counts: bound.Map[cacheKey, int]{Size: max(limit/2, 1)}}
}

// Count returns counter's count of the text with the given key. It calls text only on a
// miss; concurrent misses of one key may each call it. Equal keys must identify equal
// texts.
func (c *Cache) Count(counter Counter, key [32]byte, text func() string) int {
	k := cacheKey{counter.Name(), key}
	c.mu.Lock()
	n, ok := c.counts.Get(k)
	c.mu.Unlock()
	if ok {
		return n
	}
	n = counter.Count(text()) // without the lock: it may be slow
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Set(k, n)
	return n
}

// Len returns the number of stored counts.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts.Len()
}

// The encoding of a cache is
//
//	magic "FOVTOKEN", version (1 byte), then per counter in the order of names
//	    length of its name (uvarint), name, number of counts (uvarint), and per
//	    count in the order of keys: key (32 bytes), count (uvarint),
//	and the CRC-32C of all that, 4 bytes, little-endian.
//
// cacheVersion is incremented when the encoding or the result of a counter changes.
const (
	cacheMagic   = "FOVTOKEN"
	cacheVersion = 0
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary encodes the counts for UnmarshalBinary. Equal contents give equal
// bytes. The error is always nil.
func (c *Cache) MarshalBinary() ([]byte, error) {
	c.mu.Lock()
	counts := maps.Collect(c.counts.All())
	c.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b cacheKey) int {
		return cmp.Or(cmp.Compare(a.counter, b.counter), bytes.Compare(a.key[:], b.key[:]))
	})
	out := append(make([]byte, 0, 40*len(keys)+64), cacheMagic...)
	out = append(out, cacheVersion)
	for len(keys) > 0 {
		name := keys[0].counter
		n := slices.IndexFunc(keys, func(k cacheKey) bool { return k.counter != name })
		if n < 0 {
			n = len(keys)
		}
		out = binary.AppendUvarint(out, uint64(len(name)))
		out = append(out, name...)
		out = binary.AppendUvarint(out, uint64(n))
		for _, k := range keys[:n] {
			out = append(out, k.key[:]...)
			out = binary.AppendUvarint(out, uint64(counts[k]))
		}
		keys = keys[n:]
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli)), nil
}

// UnmarshalBinary replaces the counts with those in data, up to the limit of the cache. It
// returns [ErrCache] and changes nothing if data is damaged or of another version.
func (c *Cache) UnmarshalBinary(data []byte) error {
	const trailer = 4
	body := len(data) - trailer
	if body < len(cacheMagic)+1 || string(data[:len(cacheMagic)]) != cacheMagic {
		return fmt.Errorf("%w: it does not start with %s", ErrCache, cacheMagic)
	}
	if version := data[len(cacheMagic)]; version != cacheVersion {
		return fmt.Errorf("%w: version %d, not %d", ErrCache, version, cacheVersion)
	}
	if crc32.Checksum(data[:body], castagnoli) != binary.LittleEndian.Uint32(data[body:]) {
		return fmt.Errorf("%w: checksum mismatch", ErrCache)
	}
	loaded := NewCache(c.limit)
	if err := loaded.decode(data[len(cacheMagic)+1 : body]); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts = loaded.counts
	return nil
}

// decode inserts the counts of an encoding without header and checksum.
func (c *Cache) decode(b []byte) error {
	uvarint := func() (uint64, bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, false
		}
		b = b[n:]
		return v, true
	}
	for len(b) > 0 {
		length, ok := uvarint()
		if !ok || length > uint64(len(b)) {
			return fmt.Errorf("%w: a name ends early", ErrCache)
		}
		name := string(b[:length])
		b = b[length:]
		counts, ok := uvarint()
		for range counts {
			var k cacheKey
			if !ok || len(b) < len(k.key) {
				return fmt.Errorf("%w: the counts of %q end early", ErrCache, name)
			}
			k.counter, k.key = name, [32]byte(b)
			b = b[len(k.key):]
			var n uint64
			if n, ok = uvarint(); !ok || n > 1<<40 {
				return fmt.Errorf("%w: the counts of %q end early", ErrCache, name)
			}
			c.counts.Set(k, int(n))
		}
		if !ok {
			return fmt.Errorf("%w: the counts of %q end early", ErrCache, name)
		}
	}
	return nil
}
