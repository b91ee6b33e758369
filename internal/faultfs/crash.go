// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package faultfs

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// sector is the unit, in bytes, that a disk writes whole.
const sector = 512

// Crash returns what the machine finds when power is lost now: all that is
// durable, and of the rest a part that the seed picks. Some seeds keep nothing,
// some everything, most tear. The result is independent of f, has no hook, and
// its own crashes start from what it holds. O(size of all files).
func (f *FS) Crash(seed uint64) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	random := rand.New(rand.NewPCG(seed, 0x666f766561))
	keep := [...]float64{0, 1, 0.5, 0.1, 0.9}[random.IntN(5)]
	c := &copier{made: map[*inode]*inode{}, random: random, keep: keep}
	root := c.copy(f.root)
	for _, change := range f.pending {
		kept := c.chance()
		for _, e := range change {
			to := entry{folder: c.copy(e.folder), name: e.name}
			if e.to != nil {
				to.to = c.copy(e.to)
			}
			if kept {
				to.in(to.folder.kids)
			}
		}
	}
	return c.finish(f, root)
}

// Clone returns a copy of what every process sees now, all of it durable. It is
// for damaging a copy. The result has no hook and no locks. O(size of all files).
func (f *FS) Clone() *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &copier{made: map[*inode]*inode{}, whole: true}
	return c.finish(f, c.copy(f.root))
}

// copier copies inodes, each once.
type copier struct {
	made   map[*inode]*inode
	whole  bool // copy what is seen, not what is durable
	random *rand.Rand
	keep   float64 // chance that something that is not durable is kept
}

func (c *copier) chance() bool { return c.random.Float64() < c.keep }

func (c *copier) copy(n *inode) *inode {
	if done, ok := c.made[n]; ok {
		return done
	}
	to := &inode{mode: n.mode, mtime: n.mtime}
	c.made[n] = to
	kids := n.durableKids
	if c.whole {
		kids = n.kids
	}
	if kids != nil {
		to.kids = make(map[string]*inode, len(kids))
		for _, name := range slices.Sorted(maps.Keys(kids)) {
			to.kids[name] = c.copy(kids[name])
		}
		return to
	}
	if c.whole {
		to.data = slices.Clone(n.data)
		return to
	}
	to.data = slices.Clone(n.durable)
	for _, w := range n.pending {
		to.data = c.tear(to.data, w)
	}
	return to
}

// tear applies a write, part of it or nothing.
func (c *copier) tear(data []byte, w write) []byte {
	if w.data == nil || c.random.IntN(2) == 0 {
		if c.chance() {
			data = w.apply(data)
		}
		return data
	}
	for at := 0; at < len(w.data); {
		end := min(len(w.data), at+sector-int((w.at+int64(at))%sector))
		if c.chance() {
			data = write{at: w.at + int64(at), data: w.data[at:end]}.apply(data)
		}
		at = end
	}
	return data
}

// finish makes all that was copied from f durable. The clock goes on: a file that
// is written in the copy never looks as old as one of another content in f.
func (c *copier) finish(f *FS, root *inode) *FS {
	for _, n := range c.made {
		n.durable = slices.Clone(n.data)
		n.durableKids = maps.Clone(n.kids)
	}
	out := New()
	out.root, out.before = root, f.before+f.ops
	return out
}
