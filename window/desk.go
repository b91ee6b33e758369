// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/working"
)

// deskEntry has the fields of a working-memory block that ranking needs. The entries of an outline
// are in one list, so that a window over 100,000 blocks reads 3 MB sequentially and follows no
// pointer to a block that it does not show.
type deskEntry struct {
	arm         float64 // its class times its confidence, see classWeights
	made, until int64   // in nanoseconds since 1970; until is the largest number if there is none
	block       int32   // index in the outline
	flags       deskFlag
}

// deskFlag is a set of facts about an entry.
type deskFlag uint8

const (
	deskCritical deskFlag = 1 << iota // every window shows it
	deskFile                          // it is about a file
	deskUncommon                      // the block itself must be read, for remote times or another prior
)

// newDeskEntry returns the entry of a block, and whether it belongs to working memory.
func newDeskEntry(b *block, index int32) (deskEntry, bool) {
	w := b.working
	if w == nil || !strings.HasPrefix(b.path, "/") {
		return deskEntry{}, false
	}
	e := deskEntry{arm: classWeights[w.Priority] * w.Confidence, made: w.Time.UnixNano(), until: math.MaxInt64, block: index}
	if !w.Until.IsZero() {
		e.until = w.Until.UnixNano()
	}
	if w.Priority == working.Critical {
		e.flags |= deskCritical
	}
	if w.Path != "" || w.Whole {
		e.flags |= deskFile
	}
	plain := e.arm >= 0 && prior(&b.nodes[0]) == 1 && b.nodes[0].depth == 0
	if !plain || !isNear(w.Time) || !w.Until.IsZero() && !isNear(w.Until) {
		e.flags |= deskUncommon
	}
	return e, true
}

// isNear reports whether a time can be compared by its nanoseconds since 1970.
func isNear(at time.Time) bool { return 1700 < at.Year() && at.Year() < 2200 }

// appendDesk appends the entries of the blocks from to to of another outline, which
// moved by offset.
func (o *Outline) appendDesk(other *Outline, from, to, offset int) {
	at := func(index int) int {
		i, _ := slices.BinarySearchFunc(other.desk, int32(index), func(e deskEntry, block int32) int { return int(e.block) - int(block) })
		return i
	}
	first := len(o.desk)
	o.desk = append(o.desk, other.desk[at(from):at(to)]...)
	for i := range o.desk[first:] {
		o.desk[first+i].block += int32(offset)
	}
}

// halves are the powers of a half, by the number of whole half-lives.
var halves = func() (all [64]float64) {
	for i := range all {
		all[i] = math.Ldexp(1, -i)
	}
	return all
}()

// rankDesk ranks the blocks that have no evidence. It skips those whose score has an upper bound
// below the worst of the best. The bound takes the age in whole half-lives, and so needs no exponential.
func (t *tree) rankDesk(top *bound.Top[ranked]) {
	base, aged, exact := t.distantScore(0), !t.now.IsZero(), t.now.IsZero() || isNear(t.now)
	now := t.now.UnixNano()
	least, full := top.Worst()
	for i := range t.desk {
		e := &t.desk[i]
		if t.evidenceSlots[t.firstNumbers[e.block]] != 0 || e.block == t.focus.block {
			continue
		}
		if exact && e.flags&deskUncommon == 0 {
			if aged && e.until < now {
				continue
			}
			young := 0.0
			if aged {
				young = halves[min(max(0, now-e.made)/int64(halfLife), int64(len(halves)-1))]
			}
			const slack = 1 + 1e-9 // the score itself is rounded
			if full && (base+e.arm)*(1+priorNew*young)*slack < least.score {
				continue
			}
		}
		t.rankNode(top, ref{e.block, 0}, nil)
		least, full = top.Worst()
	}
}
