// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// claimKeys are the properties of a claim. They are merged as one value: a mixture would be a claim
// that no agent made.
var claimKeys = []string{document.ClaimedBy, document.ClaimKey, document.LeaseUntil, document.ClaimGranted}

// claim merges the claim of a task into the lines of the winner. If both sides claimed the task, later
// decides which claim stays; the other side learns of it from the conflict and from its next write.
func (o *ownMerge) claim(lines []drawerLine, b, w, l drawerLines) []drawerLine {
	from := w
	switch was, won, lost := b.claimText(), w.claimText(), l.claimText(); {
	case won == lost || lost == was:
		return lines
	case won == was, !o.Undo && later(w, l):
		from = l
	}
	if holder := from.value(document.ClaimedBy); !o.Undo && b.claimText() != w.claimText() {
		other, by := l, o.Lost
		if from.claimText() == l.claimText() {
			other, by = w, o.Won
		}
		if gone := other.value(document.ClaimedBy); gone != "" && (gone != holder || other.value(document.ClaimKey) != from.value(document.ClaimKey)) {
			o.Conflict("property "+document.ClaimedBy, by, holder, gone)
		}
	}
	for _, key := range claimKeys {
		lines = putProperty(lines, key, from.of(key, from.value(key)))
	}
	return lines
}

// claimText returns the claim of a drawer as one text.
func (d drawerLines) claimText() string {
	var values []string
	for _, key := range claimKeys {
		values = append(values, d.value(key))
	}
	return strings.Join(values, "\n")
}

// later reports whether the claim of b stays rather than that of a. A claim with a holder stays, then one that a
// referee granted; of two granted claims the one with the greater number, of two provisional ones the earlier, which
// has the smaller number, then the holder whose name sorts first; of equal claims the longer lease. If neither has a
// holder, the greater number stays.
func later(a, b drawerLines) bool {
	byA, byB := a.value(document.ClaimedBy), b.value(document.ClaimedBy)
	numberA, numberB := document.ClaimNumber(a.last(document.ClaimKey)), document.ClaimNumber(b.last(document.ClaimKey))
	grantedA, grantedB := a.last(document.ClaimGranted) == "t", b.last(document.ClaimGranted) == "t"
	switch {
	case byA == "" && byB == "":
		return numberB > numberA
	case byA == "" || byB == "":
		return byA == ""
	case grantedA != grantedB:
		return grantedB
	case grantedA && numberA != numberB:
		return numberB > numberA
	}
	order := cmp.Or(cmp.Compare(numberA, numberB), cmp.Compare(byA, byB), cmp.Compare(b.value(document.LeaseUntil), a.value(document.LeaseUntil)))
	return order > 0
}

// last returns the value of the last line of a key.
func (d drawerLines) last(key string) string {
	for _, p := range slices.Backward(d.lines) {
		if p.key == key {
			_, value, _ := strings.Cut(strings.TrimPrefix(p.normal, ":"), ":")
			return strings.TrimSpace(value)
		}
	}
	return ""
}
