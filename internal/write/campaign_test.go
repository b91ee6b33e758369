// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
)

// scenario is changes that arrive in groups; before each, another program may save a file,
// and at the end a rollback of files, to a commit of the world or 0 for none.
type scenario struct {
	outside []string
	groups  [][]change
	back    int
}

func drawScenario(t *rapid.T) scenario {
	var s scenario
	id := 0
	for range rapid.IntRange(1, 2).Draw(t, "groups") {
		s.outside = append(s.outside, rapid.SampledFrom([]string{"", "", "a.org", "b.org", drifting}).Draw(t, "outside"))
		var group []change
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			id++
			c := drawChange(t, id)
			if len(group) > 0 && rapid.IntRange(0, 3).Draw(t, "repeats") == 0 {
				c.who, c.key, c.dry = group[len(group)-1].who, group[len(group)-1].key, false
			}
			group = append(group, c)
		}
		s.groups = append(s.groups, group)
	}
	s.back = rapid.IntRange(0, 2).Draw(t, "back")
	return s
}

func (s *scenario) changes() []change { return slices.Concat(s.groups...) }

// play performs a scenario. It returns the error of the rollback.
func (s *scenario) play(w *world) error {
	for i, group := range s.groups {
		if name := s.outside[i]; name != "" {
			w.outside(name, func(text string) string { return fmt.Sprintf("Saved before group %d.\n%s", i, text) })
		}
		w.together(group)
	}
	if s.back == 0 {
		return nil
	}
	err := w.m.Ingest(context.Background(), nil)
	if err == nil {
		_, _, err = w.m.History().Rollback(context.Background(), fmt.Sprint("seq:", s.back), nil)
	}
	return err
}

// proof is the states that a history is proved to have.
type proof struct {
	base   uint64 // the commits before
	log    []chain.Commit
	states []state // after the commit of each sequence number from base on
	marks  []string
}

// prove checks that the history of a world matches a scenario: each commit, with its author,
// message and op, leads from the state before to that which the model knows, and each change has its
// commits once or is refused as it must be. After faults a change may fail that needs not.
func (s *scenario) prove(w *world, base state, seq uint64, faults bool) proof {
	w.t.Helper()
	p := proof{base: seq, log: w.log(), states: []state{base}}
	ops := map[string]uint64{}
	for _, c := range s.changes() {
		takesRead := func() bool {
			return slices.ContainsFunc(c.reads(p.last()), func(path string) bool { return p.takes(w, path, c.id) })
		}
		// A group that is tried again after a fault may bring files up to date for a later change first.
		for p.next() != nil && p.next().Author.Kind == author.File && (faults || takesRead()) {
			p.take(w)
		}
		got, want := w.results[c.id], c.expect(p.last())
		if first := ops[c.key]; c.key != "" && first > 0 {
			if !faults && (got.first == nil || got.commit.Seq != first || got.err != nil) {
				w.t.Fatalf("%s repeats commit %d, and returns %+v", c.message(), first, got)
			}
			continue
		}
		// A program may save a file for a change that waits, after a lone one has read it.
		free := faults || c.meddles() || errors.Is(got.err, corpus.ErrChanged)
		switch lands := p.next() != nil && len(want.messages) > 0 && p.next().Message == want.messages[0]; {
		case got.err == nil && want.refused && !c.dry, got.err != nil && !want.refused && !free:
			w.t.Fatalf("%s must be refused: %v, and returns %v", c.message(), want.refused, got.err)
		case got.err != nil && !(lands && faults): // an operation that fails half way may end when memory is opened
			p.marks = append(p.marks, want.marks...)
			continue
		}
		for i, message := range want.messages {
			p.step(w, &c, message, want.states[i])
		}
		if p.marks = append(p.marks, want.marks...); len(want.messages) == 0 {
			continue
		}
		last := p.log[p.base+uint64(len(p.states))-2]
		if last.Message == c.message() { // a declaration alone has no key
			ops[c.key] = last.Seq
		}
		if got.err == nil && got.commit.Seq != last.Seq {
			w.t.Fatalf("%s returns commit %d, and is %d", c.message(), got.commit.Seq, last.Seq)
		}
	}
	for p.next() != nil && p.next().Author.Kind == author.File {
		p.take(w)
	}
	if s.back > 0 {
		s.proveBack(w, &p, faults)
	}
	if c := p.next(); c != nil {
		w.t.Fatalf("a commit of nothing: %+v", c)
	}
	return p
}

// proveBack proves the rollback at the end of a scenario.
func (s *scenario) proveBack(w *world, p *proof, faults bool) {
	w.t.Helper()
	to, last, c := w.at(uint64(s.back)), p.last(), p.next()
	if text, drifts := last.drift[drifting]; drifts && to.texts[drifting] == last.texts[drifting] {
		to.drift[drifting] = text // a file that does not change in memory keeps drifting
	}
	switch {
	case c != nil && c.Kind == graph.KindRollback:
		p.step(w, &change{}, c.Message, to)
	case !faults && !to.equal(last):
		w.t.Fatalf("no rollback: %+v", c)
	}
}

// next returns the commit that is not proved yet, nil if all are.
func (p *proof) next() *chain.Commit {
	if i := int(p.base) + len(p.states) - 1; i < len(p.log) {
		return &p.log[i]
	}
	return nil
}

func (p *proof) last() state { return p.states[len(p.states)-1] }

// takes reports whether the next commit changes a file, by a text that was saved before a change was answered.
func (p *proof) takes(w *world, path string, id int) bool {
	text, had := p.last().texts[path]
	after, has := w.at(p.next().Seq).texts[path]
	return (text != after || had != has) && slices.ContainsFunc(w.saved, func(s *saved) bool {
		return s.path == path && s.text == after && s.before < id
	})
}

// take proves a commit that takes in another program's save.
func (p *proof) take(w *world) {
	w.t.Helper()
	c, s := p.next(), p.last().clone()
	got := w.at(c.Seq)
	for path, text := range got.texts {
		i := slices.IndexFunc(w.saved, func(o *saved) bool { return o.path == path && o.text == text })
		if text == s.texts[path] {
			continue
		}
		if i < 0 || w.saved[i].taken > 0 {
			w.t.Fatalf("commit %d takes what no program saved to %s: %q", c.Seq, path, text)
		}
		w.saved[i].taken, s.texts[path] = c.Seq, text
		delete(s.drift, path)
	}
	p.compare(w, s, got)
}

// step proves the commit of a change.
func (p *proof) step(w *world, c *change, message string, want state) {
	w.t.Helper()
	got := p.next()
	actor := author.ActorOf(as(c.who)).Or(author.Actor{Author: author.Author{Kind: author.Owner}})
	declared := strings.HasPrefix(message, "before ")
	if got == nil || got.Message != message || got.Author != actor.Author || got.Session != actor.Session ||
		got.Op == "" || c.key != "" && !declared && got.Op != c.key {
		w.t.Fatalf("%q by %v: the history has %+v", message, actor, got)
	}
	for _, other := range p.log[:got.Seq-1] {
		if other.Op == got.Op {
			w.t.Fatalf("commits %d and %d have one op", other.Seq, got.Seq)
		}
	}
	p.compare(w, want, w.at(got.Seq))
}

func (p *proof) compare(w *world, want, got state) {
	w.t.Helper()
	if !want.equal(got) {
		w.t.Fatalf("commit %d, %s (-want +got):\n%s", p.next().Seq, p.next().Message,
			cmp.Diff([]any{want.texts, want.trees}, []any{got.texts, got.trees}))
	}
	p.states = append(p.states, want)
}

// check checks that a memory that was opened again has a beginning of a proved history, with what
// was answered, and files that agree with it.
func (p *proof) check(c cut, all []*saved, back bool, t rapid.TB) {
	w := &world{t: t, folder: c.folder, disk: c.disk}
	w.open()
	defer w.m.Close()
	head := w.m.View().Head()
	if head.Seq < p.base || head.Seq > uint64(len(p.log)) || head.Digest != p.log[head.Seq-1].Digest {
		t.Fatalf("%s: the head is %+v", c.where, head)
	}
	if head.Seq < c.owed {
		t.Fatalf("%s: commit %d was answered, and the head is %d", c.where, c.owed, head.Seq)
	}
	s := p.states[head.Seq-p.base]
	want, pending := maps.Clone(s.texts), false
	var drift []string
	for path, text := range s.drift {
		if drift = append(drift, path); text != "" {
			want[path] = text
		}
	}
	for i, o := range all {
		isLast := !slices.ContainsFunc(all[i+1:], func(l *saved) bool { return l.path == o.path && l.at <= c.at })
		if o.at <= c.at && isLast && (o.taken == 0 || o.taken > head.Seq) {
			want[o.path], pending = o.text, true
		}
	}
	if diff := cmp.Diff(want, w.files()); diff != "" {
		t.Fatalf("%s: the head is %d, and the files are (-want +got):\n%s\n%s", c.where, head.Seq, diff, w.m.Status().Recovered)
	}
	slices.Sort(drift)
	isMark := func(path string) bool { return back && strings.HasPrefix(path, "mark-") } // the scan before a rollback may end it
	drift = slices.DeleteFunc(drift, isMark)
	got := slices.DeleteFunc(w.m.Status().Drift, func(path string) bool {
		return isMark(path) || slices.Contains(p.marks, path) && !slices.Contains(drift, path)
	})
	if diff := cmp.Diff(drift, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s: the head is %d, and the marks are (-want +got):\n%s", c.where, head.Seq, diff)
	}
	if err := w.m.Ingest(context.Background(), nil); err != nil || !pending && w.m.View().Head().Seq != head.Seq {
		t.Fatalf("%s: the next scan finds something new: %v, %+v", c.where, err, w.m.View().Head())
	}
	if _, problems, err := w.m.Mending().Verify(context.Background()); err != nil || len(problems) > 0 {
		t.Fatalf("%s: verify: %v, %v", c.where, problems, err)
	}
}

// pace is how many of the cuts and faults of a scenario are tried: one in that many, from one on.
func pace(t *rapid.T) (of, first int) {
	if testing.Short() {
		of = 6
	} else {
		of = 2
	}
	return of, rapid.IntRange(0, of-1).Draw(t, "first")
}

// TestCampaignOfGroups: of changes that arrive together, each is made wholly or not at all, byte
// for byte, once, as a plain model of texts and commits says; and so it is when the power is cut
// before any operation on the disks, and again while the memory is opened, or an operation fails.
func TestCampaignOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		of, first := pace(t)
		begin := newWorld(t)
		w := begin.clone(func(w *world, n int, op faultfs.Op) error {
			if n%of == first {
				w.cut(uint64(n), fmt.Sprintf("before %d, %s of %s", n, op.Kind, op.Name))
			}
			return nil
		})
		seq := w.m.View().Head().Seq
		base := w.at(seq)
		base.drift[drifting] = "* Drifting\n"
		w.must(s.play(w))
		w.folder.OnOp(nil)
		w.disk.OnOp(nil)
		w.cut(1, "at the end")
		p := s.prove(w, base, seq, false)
		w.cuts = append(w.cuts, cut{w.folder.Clone(), w.disk.Clone(), w.count, uint64(len(p.log)), "closed"})
		w.must(w.m.Close())
		for i, c := range w.cuts {
			if i%of == 0 {
				p.checkAgain(c, w.saved, of, s.back > 0, t)
			}
			p.check(c, w.saved, s.back > 0, t)
		}
		for n := 1 + first; n <= w.count; n += of * 3 {
			s.fails(begin, base, seq, n)
		}
	})
}

// checkAgain cuts the power before some operations of the opening after a cut.
func (p *proof) checkAgain(c cut, all []*saved, of int, back bool, t rapid.TB) {
	w := &world{t: t, folder: c.folder.Clone(), disk: c.disk.Clone(), owed: c.owed}
	w.watch(func(w *world, n int, op faultfs.Op) error {
		if n%of == 0 {
			w.cut(uint64(n), fmt.Sprintf("%s, and again while opening before %d, %s of %s", c.where, n, op.Kind, op.Name))
		}
		return nil
	})
	w.open()
	_ = w.m.Close()
	for _, again := range w.cuts {
		again.at = c.at
		p.check(again, all, back, t)
	}
}

// fails plays a scenario in which an operation on the disks fails, and in some all writes after it,
// and opens the memory again. A write in place fails at most twice, when it is made and when it is
// put back: the rest of the file after more failures is read unchanged.
func (s *scenario) fails(begin *world, base state, seq uint64, at int) {
	faults := []error{faultfs.ErrFault, faultfs.ErrNoSpace, fmt.Errorf("half: %w", faultfs.ErrShortWrite)}
	failed, inPlace := "", 0
	w := begin.clone(func(_ *world, n int, op faultfs.Op) error {
		if n == at || n > at && at%2 == 0 && op.Kind == faultfs.OpWrite {
			if op.Name == linked {
				if inPlace++; inPlace > 2 {
					return nil
				}
			}
			failed = fmt.Sprintf("operation %d, %s of %s", n, op.Kind, op.Name)
			return faults[at%len(faults)]
		}
		return nil
	})
	_ = s.play(w)
	w.folder.OnOp(nil)
	w.disk.OnOp(nil)
	_ = w.m.Close()
	end := cut{w.folder.Clone(), w.disk.Clone(), w.count, w.owed, failed + " failed"}
	w.open()
	p := s.prove(w, base, seq, true)
	w.must(w.m.Close())
	p.check(end, w.saved, s.back > 0, begin.t)
}
