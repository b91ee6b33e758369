// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
)

// referee answers as it is set, and knows what it keeps, 0 for nothing.
type referee struct {
	fail  error
	ahead uint64 // of the number that is asked for
	kept  uint64
}

func (r *referee) Grant(_ context.Context, _ string, _ time.Duration, number uint64, renews bool) (uint64, error) {
	switch {
	case r.fail != nil:
		return 0, r.fail
	case renews && r.kept == 0:
		return 0, place.ErrNone
	case renews && r.kept != number:
		return 0, place.ErrChanged
	case !renews:
		r.kept = number + r.ahead
	}
	return r.kept, nil
}

func (r *referee) Release(_ context.Context, _ string, number uint64) error {
	if r.kept == number {
		r.kept = 0
	}
	return nil
}

// TestReferee: a claim has the number of the referee; one that it does not grant is refused or
// provisional; what is refused here is not kept there; a provisional claim that is renewed is asked for.
func TestReferee(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	r := &referee{ahead: 1000, fail: place.ErrChanged}
	under := *w.hive()
	under.Referee = r
	_, _, err := under.Claim(as("ada"), "hull", time.Minute, nil)
	fails(t, err, hive.ErrHeld, fault.Conflict)
	r.fail = nil
	if _, _, err := under.Claim(as("ada"), "paint", time.Minute, nil); err == nil || r.kept != 0 {
		t.Errorf("a task that waits: %v, kept %v", err, r.kept)
	}
	first, _, err := under.Claim(as("ada"), "hull", time.Minute, nil)
	if err != nil || first.Provisional != "" || r.kept != first.Number {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, _, err := under.Renew(as("bob"), "hull", first.Number, time.Minute, nil); err == nil || r.kept != first.Number {
		t.Errorf("another renewed it: %v", err)
	}
	next, _, err := under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || next.Provisional != "" || !next.Granted || next.Number != first.Number || !strings.Contains(w.text("tasks.org"), ":CLAIM_GRANTED:") {
		t.Errorf("%+v, %v", next, err)
	}
	again := &scope.WriteOptions{Key: "again"}
	for range 2 {
		if next, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, again); err != nil || !next.Granted || r.kept != first.Number {
			t.Errorf("renewed by a repeated call: %+v, %v, kept %d", next, err, r.kept)
		}
	}
	r.kept = first.Number + 1
	_, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	fails(t, err, hive.ErrHeld, fault.Conflict)
	r.fail = place.ErrNoAnswer
	next, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || next.Provisional != place.ErrNoAnswer.Error() || next.Granted || strings.Contains(w.text("tasks.org"), ":CLAIM_GRANTED:") {
		t.Errorf("without an answer: %+v, %v", next, err)
	}
	r.fail, r.kept = nil, 0
	_, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if fault.KindOf(err) != fault.Conflict || r.kept != 0 {
		t.Errorf("another claim was granted meanwhile: %v, kept %v", err, r.kept)
	}
	r.ahead = 0
	next, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || next.Provisional != "" || next.Number != first.Number || r.kept != first.Number {
		t.Errorf("a provisional claim was renewed: %+v, %v", next, err)
	}
	_, err = under.Release(as("ada"), "hull", first.Number, nil)
	if must(t, err); r.kept != 0 {
		t.Errorf("released here: kept %v", r.kept)
	}
	last, _, err := under.Claim(as("bob"), "hull", time.Minute, nil)
	if err != nil || last.Number <= first.Number {
		t.Errorf("%+v after %+v, %v", last, first, err)
	}
	_, err = under.Done(as("bob"), "hull", last.Number, nil)
	if err != nil || r.kept != 0 {
		t.Errorf("after the end: kept %v, %v", r.kept, err)
	}
}

// TestNoReferee: without a referee no claim is told to be provisional.
func TestNoReferee(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	c, _, err := w.hive().Claim(as("ada"), "hull", time.Minute, nil)
	if err != nil || c.Provisional != "" || c.Granted {
		t.Errorf("%+v, %v", c, err)
	}
}
