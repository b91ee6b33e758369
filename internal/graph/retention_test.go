// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

func TestRetention(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ago := []time.Duration{50 * time.Hour, 49 * time.Hour, 10*time.Hour + 30*time.Minute, 10*time.Hour + 10*time.Minute, 30 * time.Minute, 20 * time.Minute}
	times := make([]time.Time, len(ago))
	for i, d := range ago {
		times[i] = now.Add(-d)
	}
	tests := []struct {
		name string
		r    Retention
		want []bool
	}{
		{"nothing but the last", Retention{}, []bool{false, false, false, false, false, true}},
		{"all of a day", Retention{All: day}, []bool{false, false, true, true, true, true}},
		{"hours", Retention{Hourly: day}, []bool{false, false, false, true, false, true}},
		{"days", Retention{Daily: 3 * day}, []bool{false, true, false, false, false, true}},
		{"a moment as old as the limit goes", Retention{All: 49 * time.Hour}, []bool{false, false, true, true, true, true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.r.Keep(times, now)); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

// chain makes commits of a document whose text is each of texts in turn.
func chain(t *testing.T, texts ...string) []*Commit {
	t.Helper()
	s := Empty(orgFiles)
	var out []*Commit
	for i, text := range texts {
		d := s.Edit(int64(i + 1))
		d.Put("a.org", document.File(text, false))
		next, delta := d.Seal()
		out = append(out, &Commit{Seq: uint64(i + 1), State: next.Root(), Delta: delta.Records()})
		s = next
	}
	return out
}

// TestLives: a version is needed while one of the kept moments lies in its life.
func TestLives(t *testing.T) {
	commits := chain(t, "one\n", "two\n", "three\n", "two\n", "five\n")
	for _, test := range []struct {
		kept []uint64
		want string // of each commit's own version
	}{
		{nil, "-----"}, {[]uint64{5}, "----+"}, {[]uint64{2}, "-+-+-"}, {[]uint64{4, 1}, "++-+-"}, {[]uint64{3, 5}, "--+-+"},
	} {
		l := NewLives(test.kept)
		for _, c := range commits {
			l.Add(c)
		}
		needed, got := l.Needed(5), ""
		for _, c := range commits {
			got += map[bool]string{true: "+", false: "-"}[needed[c.Delta[0].New.Own]]
		}
		if got != test.want {
			t.Errorf("kept %v: got %s, want %s", test.kept, got, test.want)
		}
	}
}

// TestLedger: the ledger comes to the roots of a chain, and to none of one that
// was changed.
func TestLedger(t *testing.T) {
	other := merkle.Sum([]byte("other"))
	tests := []struct {
		name   string
		change func(c *Commit)
		want   error
	}{
		{"nothing", func(*Commit) {}, nil},
		{"another root", func(c *Commit) { c.State = other }, ErrRoot},
		{"another version", func(c *Commit) { c.Delta[0].New.Version = other }, ErrVersion},
		{"another own digest", func(c *Commit) { c.Delta[0].New.Own = other }, ErrVersion},
		{"another before", func(c *Commit) { c.Delta[0].Old = &node.Entry{Own: other} }, ErrDelta},
		{"a change left out", func(c *Commit) { c.Delta = c.Delta[1:] }, ErrDelta},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var l Ledger
			commits := chain(t, "* A\none\n** B\n", "* A\ntwo\n** B\n", "* A\ntwo\n** B\n* C\n")
			last := commits[len(commits)-1]
			for i := range last.Delta {
				if r := &last.Delta[i]; r.New != nil {
					e := *r.New
					r.New = &e
				}
			}
			test.change(last)
			var err error
			for _, c := range commits {
				if err = l.Apply(c); err == nil && l.Root() != c.State {
					err = fmt.Errorf("root %s, want %s", l.Root(), c.State)
				}
			}
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}
