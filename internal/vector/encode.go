// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"context"
	"math"
	"slices"

	"github.com/fovea-memory/fovea/internal/bound"
)

const (
	trials      = 64   // rows of the sample that are asked for their neighbours
	trialDepth  = 10   // neighbours of each that must be found
	nearShare   = .99  // of all neighbours, those that must pass
	chosenShare = .995 // of all neighbours, those that whole codes must place high enough; .98 remain for questions that were not asked
	slackShare  = 16   // codes are made anew when one row in so many is new or gone
)

// Encode makes the codes by which Best finds rows when more than 50,000 have a vector, and
// does nothing when there are fewer or hardly any row is new. How many rows the codes choose is measured with 64 rows of the
// sample and with the questions, such as the last ones that were asked. Best is exact until codes are there, and compares the rows that come later
// exactly. Encode may take long and holds no lock meanwhile; one call at a time is useful. It returns the
// error of ctx when that ends first. O(rows), some ten microseconds each; nothing is written to the file.
func (s *Store) Encode(ctx context.Context, questions []*Query) error {
	set := s.View()
	if c := set.codes; c != nil && slackShare*(len(set.digests)-c.n) <= c.n && slackShare*(c.rows-set.size) <= c.rows {
		return nil
	}
	var c *codes
	if set.size > maxExact {
		c = newCodes(set)
		words, buffer := make([]uint64, c.words), make([]float32, 64*c.words)
		for row := range c.n {
			if row%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if set.live.Has(row) {
				c.enter(row, set.floats.row(row), words, buffer)
			}
		}
		bound.Collapse(c.near)
		bound.Collapse(c.far)
		if err := set.measure(ctx, c, questions); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch == set.epoch && s.codes != c { // else rows have other numbers by now
		s.codes = c
		s.set.Store(nil)
	}
	return nil
}

// measure sets the widths of codes.
func (s *Set) measure(ctx context.Context, c *codes, questions []*Query) error {
	rows := s.sample[:min(trials, len(s.sample))]
	queries := make([]*Query, 0, len(rows)+len(questions))
	for _, row := range rows {
		queries = append(queries, s.Of(int(row)))
	}
	queries = append(queries, questions...)
	var near, all []int
	for i := 0; i < len(queries); i += 8 {
		group := queries[i:min(i+8, len(queries))]
		nearest := s.hits(s.scan(group, s.live, 0, c.n, trialDepth+1))
		for j, hits := range nearest {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			self := func(h Hit) bool { return i+j < len(rows) && h.Row == int(rows[i+j]) }
			hits = slices.DeleteFunc(hits, self)
			near, all = s.ranks(c, group[j], hits[:min(len(hits), trialDepth)], near, all)
		}
	}
	c.share, c.wanted = float64(quantile(near, nearShare))/float64(max(1, c.rows)), quantile(all, chosenShare)
	return nil
}

// ranks appends, for each hit, how many rows its near code and its whole code place at or above it.
func (s *Set) ranks(c *codes, q *Query, hits []Hit, near, all []int) ([]int, []int) {
	e := c.newEstimator(q)
	var counts [2][levels + 1]int
	wholeLevel := func(row int) int {
		return e.level(e.nearProduct(c, row)+e.farProduct(c.farOf(row)), c.radius[row])
	}
	for row := range c.n {
		if s.live.Has(row) {
			counts[0][e.nearLevel(c, row)]++
			counts[1][wholeLevel(row)]++
		}
	}
	for level := levels - 1; level >= 0; level-- {
		counts[0][level] += counts[0][level+1]
		counts[1][level] += counts[1][level+1]
	}
	for _, h := range hits {
		near, all = append(near, counts[0][e.nearLevel(c, h.Row)]), append(all, counts[1][wholeLevel(h.Row)])
	}
	return near, all
}

// quantile returns the value that a share of the values do not exceed.
func quantile(values []int, share float64) int {
	slices.Sort(values)
	return values[min(len(values)-1, int(math.Ceil(share*float64(len(values)))))]
}
