// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// An archive of many pushes has few packs and few lists, so that its manifest stays small: a push
// joins its data with that of earlier pushes.
const (
	// An archive with joinPlain or joinSealed packs joins some, and keeps at most keepPlain or
	// keepSealed. Joining plain packs writes only their lists, joining sealed ones all their bytes.
	joinPlain, keepPlain   = MaxPacks * 7 / 32, MaxPacks * 5 / 32
	joinSealed, keepSealed = MaxPacks / 2, MaxPacks / 4
	// joinLists is the number of lists of states that become a list of lists.
	joinLists = 4
)

// joined finds out which pieces of the packs to join the daemon has, which need not be written again.
// If the daemon lacks a list or has damaged it, its pieces are written again.
func (p *pushing) joined(packs []place.Pack) error {
	if p.next.Manifest.Sealed {
		return nil
	}
	p.there = map[merkle.Digest]bool{}
	for _, pack := range packs {
		pieces := walkOf(pack.List, func(d merkle.Digest) ([]byte, error) { return p.Client.Block(p.ctx, d) })
		d, err := pieces.next()
		for ; err == nil; d, err = pieces.next() {
			p.there[d] = true
		}
		if errors.Is(err, ErrSlow) || errors.Is(err, ErrDown) || p.ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// lists describes the lists of states in a manifest.
type lists struct {
	// Levels counts how often each list was joined, in the order of the manifest. The numbers never
	// rise, except after the first list, which has a whole state and is never joined.
	Levels []int `json:"levels,omitempty"`
	// Whole is the number of blocks in the first list, Added that in the others.
	Whole int `json:"whole"`
	Added int `json:"added"`
}

// stale reports whether the whole state must be written: obsolete blocks could outnumber its own, or
// there are too many lists.
func (l *lists) stale(states []merkle.Digest) bool {
	return len(l.Levels) != len(states) || len(states) >= MaxPacks/2 || l.Added > l.Whole
}

// add adds a list of blocks, and joins lists when a level has joinLists of them.
func (l *lists) add(out *place.Writer, states, fresh []merkle.Digest) ([]merkle.Digest, error) {
	list, err := writeList(out, fresh)
	if err != nil {
		return nil, err
	}
	if len(states) == 0 {
		*l = lists{Levels: []int{0}, Whole: len(fresh)}
		return []merkle.Digest{list}, nil
	}
	states, l.Levels = append(states, list), append(slices.Clone(l.Levels), 0)
	l.Added += len(fresh)
	for {
		n := len(states) - joinLists
		level := l.Levels[len(states)-1]
		if n < 1 || l.Levels[n] != level {
			return states, nil
		}
		list, err := out.Put(listOf(codedLink, states[n:]))
		if err != nil {
			return nil, err
		}
		states, l.Levels = append(states[:n], list), append(l.Levels[:n], level+1)
	}
}
