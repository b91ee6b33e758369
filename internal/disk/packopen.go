// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
)

// readPacks reads the manifest, opens its packs, and removes the segments that they contain from the list. A
// damaged pack is corruption, but leaves the live state whole.
func (o *opening) readPacks(set *packSet) error {
	m, bad, err := readManifest(o.in)
	if err != nil {
		return err
	}
	names, err := listPacks(o.in)
	if err != nil {
		return err
	}
	if bad == nil && len(m.Packs) == 0 && len(names) > 0 && (len(o.segments) == 0 || o.segments[0] != 1) {
		bad = &store.Corruption{File: manifestFile, Reason: "the file is missing"}
		if m, err = guessManifest(o.in); err != nil {
			return err
		}
	}
	set.manifest = *m
	for _, pack := range m.Packs {
		p, err := openSource(o.in, pack)
		if err != nil {
			return err
		}
		set.packs = append(set.packs, p)
		bad = cmp.Or(bad, p.bad)
		names = slices.DeleteFunc(names, func(name string) bool { return name == pack.name() })
	}
	o.packs, o.leftover = m, names
	o.corrupt(bad)
	o.segments = slices.DeleteFunc(o.segments, func(number uint64) bool {
		old := number <= m.last()
		if old {
			o.leftover = append(o.leftover, segmentName(number))
		}
		return old
	})
	return nil
}

// removeLeftovers removes what a crash of Pack or Rewrite left: packs that never became current, and packs and
// segments that were replaced. The names of packs are made durable first: a process that was killed may not
// have made the manifest durable.
func (o *opening) removeLeftovers() error {
	if len(o.leftover) == 0 {
		return nil
	}
	if err := o.in.SyncDir(store.PackFolder); err != nil {
		return err
	}
	for _, name := range o.leftover {
		if err := o.in.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
