// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"math"
	"slices"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Formats of intents that earlier versions wrote.
const (
	formatPlain = 0 // one commit, with trees in a ninth field
	formatGrown = 1 // several commits by which one file grows, or marks
	formatMerge = 2 // one commit with a second parent
	formatGroup = 3 // several commits with splices
)

// codeEarlier reads the rest of an intent that an earlier version wrote: a commit with all files,
// then the commits that replace it, if there are several.
func (in *Intent) codeEarlier(c *merkle.Codec, fields int, format uint64) {
	want := map[uint64][]int{formatPlain: {8, 9}, formatGrown: {11}, formatMerge: {12}, formatGroup: {11}}[format]
	if !slices.Contains(want, fields) {
		c.Fail(ErrIntent)
		return
	}
	whole := Step{}
	c.Fields(&whole.Commit.Kind)
	codeCommit(c, &whole.Commit)
	c.Fields(merkle.List(&in.files, (*plan).code))
	if fields > 8 {
		c.Fields(merkle.List(&whole.trees, (*treePlan).code))
	}
	if format != formatPlain {
		steps := merkle.List(&in.steps, func(s *Step, c *merkle.Codec) {
			c.Fixed(6)
			s.Commit.Kind = whole.Commit.Kind
			if codeCommit(c, &s.Commit); format == formatGroup {
				c.Fields(merkle.List(&s.Splices, (*Splice).code))
				return
			}
			length := 0
			c.Number(&length, math.MaxInt32)
			in.lengths = append(in.lengths, length)
		})
		c.Fields(steps, marks(&whole.Marks))
	}
	if format == formatMerge {
		whole.Commit.Parents = make([]merkle.Digest, 1)
		c.Fields(&whole.Commit.Parents[0])
	}
	switch n := len(in.steps); {
	case n == 0:
		in.steps = []Step{whole}
	case format == formatGroup && n < 2, format != formatGroup && len(in.files) != 1, !slices.IsSorted(in.lengths):
		c.Fail(errSteps)
	default:
		in.steps[n-1].Marks = whole.Marks
	}
}

// grow sets the splices by which the only file of an earlier intent grows to its present text.
func (in *Intent) grow(root *corpus.Root, head *graph.State) error {
	if len(in.lengths) == 0 {
		return nil
	}
	text, _, err := root.Read(in.files[0].path, 0)
	if err != nil {
		return err
	}
	at := len(in.files[0].before(head).Text)
	for i, length := range in.lengths {
		if length < at || length > len(text) {
			return errSteps
		}
		in.steps[i].Splices, at = []Splice{{At: at, Text: text[at:length]}}, length
	}
	return nil
}
