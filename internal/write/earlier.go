// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"math"

	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

// Earlier versions of the intent record. They differ in the fields behind the files.
const (
	formatPlain = 0 // one commit, with trees in a ninth field
	formatMore  = 1 // several commits by which one file grows, or marks
	formatMerge = 2 // one commit with a second parent
	formatGroup = 3 // several commits with splices
)

// readEarlier reads what follows the format of an intent that an earlier build announced.
func (in *Intent) readEarlier(r *merkle.Reader, fields int, format uint64, load graph.Loader) error {
	want := map[uint64][2]int{formatPlain: {8, 9}, formatMore: {11, 11}, formatMerge: {12, 12}, formatGroup: {11, 11}}[format]
	if fields != want[0] && fields != want[1] {
		return ErrIntent
	}
	whole := Step{}
	whole.Commit.Kind = r.Text()
	err := whole.readCommit(r)
	if err == nil {
		in.files, err = readList(r, func() (plan, error) { return readPlan(r, load) })
	}
	if err == nil && fields > 8 {
		whole.trees, err = readList(r, func() (treePlan, error) { return readTreePlan(r, load) })
	}
	if err == nil && format != formatPlain {
		if err = in.readEarlierSteps(r, format, whole.Commit.Kind, load); err == nil {
			whole.Marks, err = readList(r, func() ([]byte, error) { return []byte(r.Bytes()), nil })
		}
	}
	if err != nil {
		return err
	}
	if format == formatMerge {
		whole.Commit.Parents = []merkle.Digest{r.Link()}
	}
	if len(in.steps) == 0 {
		in.steps = []Step{whole}
		return r.Err()
	}
	if format == formatGroup && len(in.steps) < 2 || format != formatGroup && len(in.files) != 1 {
		return errSteps
	}
	in.steps[len(in.steps)-1].Marks = whole.Marks
	return r.Err()
}

// readEarlierSteps reads the steps of an intent of several commits.
func (in *Intent) readEarlierSteps(r *merkle.Reader, format uint64, kind string, load graph.Loader) error {
	before := 0
	for range r.List() {
		r.FixedList(6)
		s := Step{Commit: graph.Commit{Kind: kind}}
		err := s.readCommit(r)
		if err == nil && format == formatGroup {
			if s.Splices, err = readSplices(r, len(in.files), load); err == nil && len(s.Splices) == 0 {
				err = errSteps
			}
		} else if err == nil {
			length := r.Uint()
			if err = r.Err(); err == nil && (length > math.MaxInt32 || int(length) < before) {
				err = errSteps
			}
			s.length = int(length)
		}
		if err != nil {
			return err
		}
		in.steps, before = append(in.steps, s), s.length
	}
	return r.Err()
}

// grow sets the splices of steps by which the only file of an intent of an earlier build grows to
// its present text.
func (in *Intent) grow(root *corpus.Root, head *graph.State) error {
	if in.steps[0].length == 0 {
		return nil
	}
	text, _, err := root.Read(in.files[0].path, 0)
	if err != nil {
		return err
	}
	at := len(in.files[0].before(head).Text)
	for i := range in.steps {
		s := &in.steps[i]
		if s.length < at || s.length > len(text) {
			return errSteps
		}
		s.Splices, at = []Splice{{At: at, Text: text[at:s.length]}}, s.length
	}
	return nil
}
