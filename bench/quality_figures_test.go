// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// figures are what one row of a table shows: means by name, and times.
type figures struct {
	means
	kinds means                // R@10 by kind of question; too few of a kind for a test
	times map[string][]float64 // milliseconds
	notes []string
}

// means are mean values by name, in the order in which the names were added.
type means struct {
	names  []string
	sums   map[string]float64
	counts map[string]int
}

func newMeans() means { return means{sums: map[string]float64{}, counts: map[string]int{}} }

func newFigures() *figures {
	return &figures{means: newMeans(), kinds: newMeans(), times: map[string][]float64{}}
}

// add adds one value to the mean of a name.
func (m *means) add(name string, value float64) { m.addAll(name, value, 1) }

func (m *means) addAll(name string, sum float64, count int) {
	if m.counts[name] == 0 {
		m.names = append(m.names, name)
	}
	m.sums[name] += sum
	m.counts[name] += count
}

func (m *means) mean(name string) float64 { return m.sums[name] / float64(m.counts[name]) }

func (m *means) join(other means) {
	for _, name := range other.names {
		m.addAll(name, other.sums[name], other.counts[name])
	}
}

// join adds the values of others.
func (f *figures) join(other *figures) {
	f.means.join(other.means)
	f.kinds.join(other.kinds)
	for name, ms := range other.times {
		f.times[name] = append(f.times[name], ms...)
	}
	f.notes = append(f.notes, other.notes...)
}

// timed runs a function and adds the time that it takes.
func (f *figures) timed(name string, run func()) {
	start := time.Now()
	run()
	f.times[name] = append(f.times[name], float64(time.Since(start))/float64(time.Millisecond))
}

// quantile returns the time of a name that a share of the times does not exceed.
func (f *figures) quantile(name string, share float64) float64 {
	sorted := slices.Sorted(slices.Values(f.times[name]))
	return sorted[int(share*float64(len(sorted)-1))]
}

// recallOf returns the share of the gold among the first ten.
func recallOf(found, gold []string) float64 {
	hits := 0
	for _, key := range found[:min(10, len(found))] {
		if slices.Contains(gold, key) {
			hits++
		}
	}
	return float64(hits) / float64(len(gold))
}

// ranking adds R@10 and nDCG@10 of a ranking, best first, for a kind of question.
func (f *figures) ranking(kind string, found, gold []string) {
	gain, ideal := 0.0, 0.0
	for rank, key := range found[:min(10, len(found))] {
		if slices.Contains(gold, key) {
			gain += 1 / math.Log2(float64(rank+2))
		}
	}
	for rank := range min(10, len(gold)) {
		ideal += 1 / math.Log2(float64(rank+2))
	}
	recall := recallOf(found, gold)
	f.add("R@10", recall)
	f.add("nDCG", gain/ideal)
	f.kinds.add(kind, recall)
}

// Columns of a printed row.
const (
	titleWidth = 36
	tableWidth = 156
)

// means and times that have a column of their own.
var (
	meanColumns = []string{"R@10", "nDCG", "ER@1000", "ER@2000", "ER@4000"}
	timeColumns = []struct {
		head, name string
		share      float64
	}{{"p50", "search", .5}, {"p95", "search", .95}, {"w p95", "window", .95}}
)

// tableHead names the columns of a row.
func tableHead(title string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%-*s", titleWidth, title)
	for _, name := range meanColumns {
		fmt.Fprintf(&s, "%7s", strings.Replace(name, "000", "k", 1))
	}
	for _, c := range timeColumns {
		fmt.Fprintf(&s, "%7s", c.head)
	}
	return s.String()
}

// row returns the figures as lines of a table: one line, and indented ones for what has no
// column.
func (f *figures) row(title string) string {
	var line strings.Builder
	fmt.Fprintf(&line, "%-*s", titleWidth, title)
	for _, name := range meanColumns {
		fmt.Fprintf(&line, "%7s", f.cell(name))
	}
	for _, c := range timeColumns {
		cell := ""
		if len(f.times[c.name]) > 0 {
			cell = fmt.Sprintf("%.2f", f.quantile(c.name, c.share))
		}
		fmt.Fprintf(&line, "%7s", cell)
	}
	var more []string
	for _, name := range f.names {
		if !slices.Contains(meanColumns, name) {
			more = append(more, name+" "+f.cell(name))
		}
	}
	for _, name := range f.kinds.names {
		more = append(more, name+" "+share(f.kinds.mean(name)))
	}
	return wrapped(line.String(), append(more, f.notes...))
}

// cell returns a mean as a table shows it, "" if there is none.
func (f *figures) cell(name string) string {
	switch {
	case f.counts[name] == 0:
		return ""
	case isCost(name):
		return fmt.Sprintf("%.1f", f.mean(name))
	}
	return share(f.mean(name))
}

// isCost reports whether a figure is better when it is smaller.
func isCost(name string) bool { return strings.HasPrefix(name, "tokens") }

// share formats a share with three digits: .125.
func share(value float64) string {
	return strings.Replace(fmt.Sprintf("%.3f", value), "0.", ".", 1)
}

// wrapped adds remarks to a line, on further lines where they do not fit.
func wrapped(line string, remarks []string) string {
	const indent = "    "
	var done strings.Builder
	for i, remark := range remarks {
		joint := ", "
		if i == 0 {
			joint = "  "
		}
		if len(line)+len(joint)+len(remark) > tableWidth {
			fmt.Fprintln(&done, strings.TrimRight(line, " "))
			line, joint = indent, ""
		}
		line += joint + remark
	}
	return done.String() + strings.TrimRight(line, " ")
}

func TestFiguresRow(t *testing.T) {
	f := newFigures()
	f.ranking("a kind", []string{"x", "a"}, []string{"a", "b"})
	f.add("tokens a fact", 8.25)
	f.timed("search", func() {})
	f.times["search"] = []float64{3, 1, 2}
	f.notes = []string{strings.Repeat("n", 100)}
	want := "title" + strings.Repeat(" ", titleWidth-5) +
		"   .500   .387                        2.00   2.00         tokens a fact 8.2, a kind .500\n    " + f.notes[0]
	if got := f.row("title"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
