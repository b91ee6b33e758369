// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/merkle"
)

// An archive of many pushes has few packs and few lists, so that its manifest stays small: what a
// push adds is joined with what those before it have added.
const (
	// From joinPlain and joinSealed packs on some are joined, and at most keepPlain or keepSealed
	// stay. To join plain ones costs their lists, to join sealed ones all of their bytes.
	joinPlain, keepPlain   = MaxPacks * 7 / 32, MaxPacks * 5 / 32
	joinSealed, keepSealed = MaxPacks / 2, MaxPacks / 4
	// joinLists lists of states become a list of lists.
	joinLists = 4
)

// joined finds out which pieces of the packs to be joined the daemon has; they need not be written
// again. The pieces of a list that the daemon lacks or has damaged are written again.
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
	// Levels are how often each was joined, in the order of the manifest, never rising except for the
	// first: that one has a whole state and is never joined.
	Levels []int `json:"levels,omitempty"`
	// Whole is how many blocks the first one names, Added how many the others do.
	Whole int `json:"whole"`
	Added int `json:"added"`
}

// stale reports whether a state has to be written whole: its dropped blocks would be more
// than it is, or there would be too many lists.
func (l *lists) stale(states []merkle.Digest) bool {
	return len(l.Levels) != len(states) || len(states) >= MaxPacks/2 || l.Added > l.Whole
}

// add adds a list of blocks to lists, and joins levels that have joinLists of them.
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
