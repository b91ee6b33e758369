// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// mutants are what the contract of a store, package storetest, must find in this one.
var mutants = []foveatest.Mutant{
	{"replay leaves out the record at its position", "replay.go", "record.Pos.Compare(r.from) >= 0", "record.Pos.Compare(r.from) > 0"},
	{"what was purged is just not there", "block.go", "case by > 0:", "case by > 99:"},
	{"commits are never given backward", "commits.go", "seq = to - i", "seq = from + i"},
	{"a clean close forgets the newest commit", "store.go", "changed := head != s.opened", "changed := head.End != s.opened.End && false"},
	{"the oldest image is the newest", "names.go", "\tslices.Reverse(seqs)\n", "\t_ = slices.Reverse[[]uint64]\n"},
	{"one image too many is removed", "images.go", "if seq < before && err == nil {", "if seq <= before && err == nil {"},
	{"a store that was stopped goes on", "condition.go", "\t\t_ = c.readOnly(cause)\n", ""},
	{"a store that was closed goes on", "condition.go", "was, c.closed = c.closed, true", "was = c.closed"},
	{"what is to be purged stays", "compact.go", "if c.gone[d] > 0 || out.has(d) {", "if out.has(d) {"},
	{"what is purged was never there", "compact.go", "_ = out.drop(d, by)", "_ = out.drop(d, 0*by)"},
	{"a batch ends where it begins", "writer.go", "b.end = store.Pos{Segment: w.number, Offset: w.at + at}",
		"b.end = store.Pos{Segment: w.number, Offset: w.at + at - b.Size()}"},
	{"a batch with a bad record is written", "journal.go", "if err := b.Err(); err != nil {", "if err := b.Err(); err != nil && false {"},
	{"any name does for a section", "images.go", "\t\terr = img.Check()\n", "\t\terr = nil\n"},
}

// TestCampaignOfMutants plants defects in the package, one at a time: the contract finds each.
func TestCampaignOfMutants(t *testing.T) {
	foveatest.Mutants(t, mutants[:foveatest.NewCampaign(t).Length(1, len(mutants))], ".", "^TestContract$")
}
