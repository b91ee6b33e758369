// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/query"
)

// TestFaultsKeepWhatTheySay: an error that travelled is of the same kind, says the
// same line, and holds both sides of a conflict.
func TestFaultsKeepWhatTheySay(t *testing.T) {
	_, syntax := query.Parse("todo:(")
	for _, tc := range []struct {
		name string
		err  error
	}{
		{"conflict", &fovea.Error{Op: "edit", What: "a", Kind: fovea.Conflict, Err: errors.New("changed"), Mine: "* A\n", Theirs: "* B\n"}},
		{"nothing named", &fovea.Error{Op: "rollback", Kind: fovea.NotFound, Err: errors.New("no such commit")}},
		{"empty", &fovea.Error{Op: "log", Kind: fovea.Denied, Err: errors.New("")}},
		{"syntax", &fovea.Error{Op: "show", Kind: fovea.Invalid, Err: syntax}},
		{"wrapped", fmt.Errorf("verify: %w", &fovea.Error{Op: "ingest", Kind: fovea.Held, Err: errors.New("gone")})},
		{"foreign", context.Canceled},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, err := json.Marshal(api.FaultOf("verify", tc.err))
			if err != nil {
				t.Fatal(err)
			}
			var f api.Fault
			if err := json.Unmarshal(text, &f); err != nil {
				t.Fatal(err)
			}
			got := f.Err()
			want := tc.err.Error()
			if tc.name == "foreign" {
				want = "verify: " + want // it did not say which operation failed
			}
			if got.Error() != want || fovea.KindOf(got) != fovea.KindOf(tc.err) {
				t.Errorf("%v (%v), want %s (%v)", got, fovea.KindOf(got), want, fovea.KindOf(tc.err))
			}
			var a, b *fovea.Error
			if errors.As(tc.err, &a) && errors.As(got, &b) && tc.name != "wrapped" && (a.Op != b.Op || a.What != b.What || a.Mine != b.Mine || a.Theirs != b.Theirs) {
				t.Errorf("%+v, want %+v", b, a)
			}
			var from, to *query.SyntaxError
			if errors.As(tc.err, &from) && !(errors.As(got, &to) && cmp.Equal(from, to)) {
				t.Errorf("syntax %+v, want %+v", to, from)
			}
		})
	}
}

// TestFeedWaitsForNobody: who does not listen is let go, the others are told all.
func TestFeedWaitsForNobody(t *testing.T) {
	var f api.Feed
	slow, doneSlow := f.Subscribe()
	const events = 2000
	quick, done := f.Subscribe()
	var got []uint64
	for i := range uint64(events) {
		f.Committed(fovea.Commit{Seq: i + 1})
		got = append(got, (<-quick).Commit.Seq)
	}
	f.Progress(1, 2)
	if e := <-quick; e.Commit != nil || e.Done != 1 || e.Total != 2 || got[0] != 1 || got[events-1] != events {
		t.Errorf("progress %+v, first %d, last %d", e, got[0], got[events-1])
	}
	for i := range 20_001 {
		f.Progress(i, 20_000)
	}
	if n := len(quick); n != 101 {
		t.Errorf("told %d times of the progress of one scan", n)
	}
	for range len(quick) {
		<-quick
	}
	done()
	done()
	f.Committed(fovea.Commit{})
	if _, open := <-quick; open {
		t.Error("told after it was done")
	}
	told := 0
	for range slow {
		told++
	}
	if told == 0 || told >= events {
		t.Errorf("the slow one was told %d of %d events", told, events)
	}
	doneSlow()
}
