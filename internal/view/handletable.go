// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"maps"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/internal/champ"
	"github.com/fovea-memory/fovea/merkle"
)

// minLetters is the minimum length of a handle.
const minLetters = 5

// maxLetters is the number of letters that a hash gives. A longer handle is padded with the letter
// a.
const maxLetters = 13

// handleTable holds the handles of all ids that a history ever had. It is immutable and safe for
// concurrent use. A nil handleTable has no handles.
type handleTable struct {
	gone champ.Map[bool]          // ids that are no longer live; all true
	long champ.Map[string]        // by id, the handles that are longer than minLetters
	hash func(string) string      // returns the letters of an id
	ids  func() champ.Map[string] // by handle, of live and gone ids
}

// noHandles returns the table of a history without nodes.
func noHandles() *handleTable { return newHandles(letters) }

// newHandles returns an empty table that takes the letters of an id from another function, for
// tests: it returns at least five, the same for equal ids.
func newHandles(hash func(id string) string) *handleTable {
	return &handleTable{hash: hash, ids: func() champ.Map[string] { return champ.Map[string]{} }}
}

// letters returns the letters of an id: digits to the base 26 of a hash.
func letters(id string) string {
	sum := sha256.Sum256([]byte(id))
	n := binary.BigEndian.Uint64(sum[:])
	var b [maxLetters]byte
	for i := range b {
		b[i] = 'a' + byte(n%26)
		n /= 26
	}
	return string(b[:])
}

// isHandle reports whether a name has the form of a handle.
func isHandle(name string) bool {
	for i := range len(name) {
		if name[i] < 'a' || name[i] > 'z' {
			return false
		}
	}
	return len(name) >= minLetters
}

// Of returns the handle of an id of the history, "" in a nil table. O(1).
func (t *handleTable) Of(id string) string {
	if t == nil {
		return ""
	}
	if word, ok := t.long.Get(id); ok {
		return word
	}
	return t.hash(id)[:minLetters]
}

// ID returns the id that has a handle, live or not. The first call for a table that was
// read from an image takes O(ids of the history), others O(1).
func (t *handleTable) ID(word string) (string, bool) {
	if t == nil || !isHandle(word) {
		return "", false
	}
	return t.ids().Get(word)
}

// Follow returns the table after a change that added and removed ids, both in order. A restored id
// gets its former handle. O(ids added and removed), plus once O(ids of the history).
func (t *handleTable) Follow(added, removed []string) *handleTable {
	next := *t
	gone := t.gone.Edit()
	var fresh []string
	for _, id := range added {
		if _, back := gone.Get(id); back {
			gone.Delete(id)
		} else {
			fresh = append(fresh, id)
		}
	}
	for _, id := range removed {
		gone.Set(id, true)
	}
	next.gone = gone.Map()
	if len(fresh) > 0 {
		next.assign(fresh)
	}
	return &next
}

// assign gives fresh ids their handles.
func (t *handleTable) assign(fresh []string) {
	ids, long := t.ids().Edit(), t.long.Edit()
	for _, id := range fresh {
		all := t.hash(id)
		word := all[:minLetters]
		for n := minLetters + 1; ; n++ {
			if _, taken := ids.Get(word); !taken {
				break
			}
			if n > len(all) {
				all += "a"
			}
			word = all[:n]
		}
		ids.Set(word, id)
		if len(word) > minLetters {
			long.Set(id, word)
		}
	}
	known := ids.Map()
	t.ids, t.long = func() champ.Map[string] { return known }, long.Map()
}

// savedHandles is the part of a table that an image stores: ids that are gone, and long handles. It
// omits the ids of live nodes.
type savedHandles struct {
	gone map[string]bool
	long map[string]string
}

func (s savedHandles) code(c *merkle.Codec) {
	c.Record(merkle.Entries(s.gone, strings.Compare, func(id *string, gone *bool, c *merkle.Codec) {
		c.Fields(id)
		*gone = true
	}), merkle.Entries(s.long, strings.Compare, func(id, word *string, c *merkle.Codec) { c.Record(id, word) }))
}

// Encode encodes the table for decodeHandles.
func (t *handleTable) Encode() []byte {
	return merkle.Encode(savedHandles{maps.Collect(t.gone.All()), maps.Collect(t.long.All())}.code)
}

// decodeHandles returns a table without live ids, until WithLive.
func decodeHandles(data []byte) (*handleTable, error) {
	t, s := noHandles(), savedHandles{map[string]bool{}, map[string]string{}}
	if err := merkle.Decode(data, s.code); err != nil {
		return nil, err
	}
	gone, long := t.gone.Edit(), t.long.Edit()
	for id := range s.gone {
		gone.Set(id, true)
	}
	for id, word := range s.long {
		long.Set(id, word)
	}
	t.gone, t.long = gone.Map(), long.Map()
	return t, nil
}

// WithLive returns a decoded table with the ids of the live nodes. It iterates over live once, when
// it first needs them: in ID, or in Follow with an added id. Until then it keeps the data that live
// reads in memory.
func (t *handleTable) WithLive(live iter.Seq[string]) *handleTable {
	next := *t
	next.ids = sync.OnceValue(func() champ.Map[string] {
		var all []champ.Entry[string]
		add := func(id string) { all = append(all, champ.NewEntry(t.Of(id), id)) }
		for id := range live {
			add(id)
		}
		for id := range t.gone.All() {
			add(id)
		}
		return champ.Build(all)
	})
	return &next
}
