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
	maxUnsure = 16 // unanswered writes that are remembered whole; of those before, the sum is
	maxBefore = 64 // earlier versions that are known by their sums
)

// pushed is what this machine knows of its own log.
type pushed struct {
	Machine string `json:"machine"`
	written        // what is there
	// Unsure are versions whose writing got no answer. Each may be there instead, or arrive later:
	// as long as the present head is the one they were to replace.
	Unsure []written `json:"unsure,omitempty"`
	// Series is the first part of the names of the pieces that are written and that no head
	// names yet, so that an interrupted push can continue. A written head ends it: no name is
	// ever used again after it may have been removed.
	Series string `json:"series,omitempty"`
	// Before are the sums of versions that were there, or may have been. A sync program, or who
	// restores a backup, puts one of them back.
	Before []string `json:"before,omitempty"`
}

// written is one version of the log.
type written struct {
	Head Head   `json:"head"`
	Sum  string `json:"sum"`  // of the object
	Gone int    `json:"gone"` // blocks that the histories were without
}

// settle finds out which version of the log is there, and returns its tag, and whether nothing can have
// happened to it. An earlier one, or none at all, has to be written again whole. A log that this memory did
// not write belongs to another copy of it: this one takes another name then.
func (r *Remote) settle(ctx context.Context, own *pushed) (tag string, isKept bool, err error) {
	data, tag, isKept, err := known(ctx, r.Place, HeadFolder+own.Machine)
	sum := tagOf(data)
	switch {
	case errors.Is(err, ErrNone):
		r.known = own.Sum == "" // else the place may have been emptied
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

// Scrub reads back this machine's log with the pieces that it names, and returns how many are as
// written, and the names of the others. A piece of other bytes is removed: the next push finds out
// what is missing, and writes all again. Errors: those of the place, ErrAway, ErrOther, ErrReplaced.
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
		case name != head: // also if it is gone: chunks of it may be left
			if err := r.Place.Remove(ctx, name); err != nil {
				return read, damaged, err
			}
		}
		damaged = append(damaged, name)
	}
	return read, damaged, nil
}

// restart prepares for writing all again. The version that was there may come back.
func (known *pushed) restart() {
	if known.Sum != "" {
		known.unsure(known.written)
	}
	known.written = written{Head: Head{Count: known.count()}}
}

// count is the highest of the versions of the log that may be seen.
func (known *pushed) count() uint64 {
	n := known.Head.Count
	for _, w := range known.Unsure {
		n = max(n, w.Head.Count)
	}
	return n
}

// unsure notes a version that may be there, or come.
func (known *pushed) unsure(w written) {
	if known.Unsure = append(known.Unsure, w); len(known.Unsure) > maxUnsure {
		known.forget(known.Unsure[0])
		known.Unsure = known.Unsure[1:]
	}
}

// forget keeps the sum of a version.
func (known *pushed) forget(w written) {
	if w.Sum == "" {
		return
	}
	known.Before = append(known.Before, w.Sum)
	known.Before = known.Before[max(0, len(known.Before)-maxBefore):]
}

// now notes which version is there. From then on no other can arrive.
func (known *pushed) now(w written, r *Remote) error {
	for _, other := range append(known.Unsure, known.written) {
		if other.Sum != w.Sum {
			known.forget(other)
		}
	}
	known.written, known.Unsure, known.Series = w, nil, ""
	return vfs.WriteJSON(r.State, pushedFile, known)
}

// begin names the pieces of a push, before the first one is written.
func (known *pushed) begin(r *Remote) error {
	if known.Series != "" {
		return nil
	}
	known.Series = ownPieces(known.Machine) + random(8)
	return vfs.WriteJSON(r.State, pushedFile, known)
}

// ownPieces is the prefix of the names of all pieces of a machine.
func ownPieces(machine string) string { return machine[strings.LastIndexByte(machine, '.')+1:] + "-" }

// random returns some random bytes in hexadecimal digits.
func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// NewMachine returns a name for the log of a machine that nobody else has: the readable part of
// another one, or of a host, and 48 random bits.
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
