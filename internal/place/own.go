// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
)

const pushedFile = "pushed.json"

const (
	maxUnsure = 16 // unanswered writes that are stored whole; of earlier ones only the sum is
	maxBefore = 64 // earlier versions whose sums are stored
)

// pushed is what this machine has recorded about its own log.
type pushed struct {
	Machine string `json:"machine"`
	written        // the present version
	// Unsure are versions whose write got no answer. Each may be there instead, or arrive later as
	// long as the head that it was to replace is present.
	Unsure []written `json:"unsure,omitempty"`
	// Series begins the names of pieces that no head names yet, so that an interrupted push can
	// continue. It ends when a head is written: no name is reused after it may have been removed.
	Series string `json:"series,omitempty"`
	// Before are the sums of versions that were there or may have been. A sync program or a restored
	// backup may bring one back.
	Before []string `json:"before,omitempty"`
}

// written is one version of the log.
type written struct {
	Head Head   `json:"head"`
	Sum  string `json:"sum"`  // of the object
	Gone int    `json:"gone"` // number of purged blocks of the histories
}

// settle finds out which version of the log is there. It returns its tag, and whether it is certainly
// unchanged. If the version is an earlier one or missing, the whole log has to be written again. A log that
// this memory did not write belongs to another copy of it: then this machine takes another name.
func (r *Remote) settle(ctx context.Context, own *pushed) (tag string, isKept bool, err error) {
	data, tag, isKept, err := known(ctx, r.Place, HeadFolder+own.Machine)
	sum := tagOf(data)
	switch {
	case errors.Is(err, ErrNone):
		r.known = own.Sum == "" // otherwise the place may have been emptied
		own.restart()
		return "", false, r.same(ctx)
	case err != nil:
		return "", false, err
	case own.Sum == sum:
		return tag, isKept, nil
	}
	for _, w := range own.Unsure {
		if w.Sum == sum {
			return tag, false, own.now(w, r)
		}
	}
	if slices.Contains(own.Before, sum) {
		own.restart()
		return tag, false, nil
	}
	*own = pushed{Machine: NewMachine(own.Machine)}
	r.Machine = own.Machine
	return "", false, nil
}

// Scrub reads this machine's log and its pieces, and returns how many are intact and the names of the
// others. It removes a damaged piece: the next push notices that it is missing and writes everything
// again. Errors: those of the place, ErrAway, ErrOther, ErrReplaced.
func (r *Remote) Scrub(ctx context.Context) (read int, damaged []string, err error) {
	var own pushed
	if err := cmp.Or(r.same(ctx), vfs.ReadJSON(r.State, pushedFile, &own)); err != nil || own.Sum == "" {
		return 0, nil, err
	}
	head := HeadFolder + own.Machine
	names := map[string]bool{head: true}
	own.Head.names(names)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		data, _, err := r.Place.Get(ctx, name)
		sum, isGone := tagOf(data), errors.Is(err, ErrNone)
		switch {
		case err == nil && (sum == own.Sum || strings.HasSuffix(name, sum)):
			read++
			continue
		case err != nil && !isGone && !errors.Is(err, ErrDamaged):
			return read, damaged, err
		case name != head: // also if it is missing: some of its chunks may remain
			if err := r.Place.Remove(ctx, name); err != nil {
				return read, damaged, err
			}
		}
		damaged = append(damaged, name)
	}
	return read, damaged, nil
}

// restart prepares for writing the whole log again. The version that was there may come back.
func (known *pushed) restart() {
	if known.Sum != "" {
		known.unsure(known.written)
	}
	known.written = written{Head: Head{Count: known.count()}}
}

// count returns the highest count of the versions that may be there.
func (known *pushed) count() uint64 {
	n := known.Head.Count
	for _, w := range known.Unsure {
		n = max(n, w.Head.Count)
	}
	return n
}

// unsure records a version that may be there or arrive.
func (known *pushed) unsure(w written) {
	if known.Unsure = append(known.Unsure, w); len(known.Unsure) > maxUnsure {
		known.forget(known.Unsure[0])
		known.Unsure = known.Unsure[1:]
	}
}

// forget reduces a version to its sum.
func (known *pushed) forget(w written) {
	if w.Sum == "" {
		return
	}
	known.Before = append(known.Before, w.Sum)
	known.Before = known.Before[max(0, len(known.Before)-maxBefore):]
}

// now records which version is there. From then on no other can arrive.
func (known *pushed) now(w written, r *Remote) error {
	for _, other := range append(known.Unsure, known.written) {
		if other.Sum != w.Sum {
			known.forget(other)
		}
	}
	known.written, known.Unsure, known.Series = w, nil, ""
	return vfs.WriteJSON(r.State, pushedFile, known)
}

// ownPieces returns the prefix of the names of a machine's pieces.
func ownPieces(machine string) string { return machine[strings.LastIndexByte(machine, '.')+1:] + "-" }

// random returns random bytes as hexadecimal digits.
func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// NewMachine returns a unique name for the log of a machine: the readable part of another name or
// of a host name, and 48 random bits.
func NewMachine(like string) string {
	host, _, _ := strings.Cut(like, ".")
	host = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, host)
	return cmp.Or(strings.Trim(host[:min(len(host), 40)], "-"), "machine") + "." + random(6)
}
