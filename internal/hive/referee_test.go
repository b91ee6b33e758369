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

// referee grants claims as servers do, unless it is set to fail.
type referee struct {
	fail  error
	kept  uint64 // the claim, 0 for none
	last  uint64 // the greatest number
	lease time.Duration
}

func (r *referee) Grant(_ context.Context, _ string, lease time.Duration, number uint64, renews bool) (uint64, error) {
	r.lease = lease
	switch {
	case r.fail != nil:
		return 0, r.fail
	case r.kept != 0 && (!renews || r.kept != number):
		return 0, place.ErrChanged
	case r.kept == 0 && (!renews || r.last > number):
		number = max(number, r.last+1)
	}
	r.kept, r.last = number, number
	return number, nil
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
	r := &referee{last: uint64(w.now.UnixMilli()) + 1000, fail: place.ErrChanged}
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
	if err != nil || next.Provisional != place.ErrNoAnswer.Error() || next.Granted || !strings.Contains(w.text("tasks.org"), ":CLAIM_GRANTED: nil") {
		t.Errorf("without an answer: %+v, %v", next, err)
	}
	r.fail, r.kept, r.last = nil, 0, first.Number+1
	_, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if fault.KindOf(err) != fault.Conflict || r.kept != 0 {
		t.Errorf("another claim was granted meanwhile: %v, kept %v", err, r.kept)
	}
	r.last = first.Number
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

// TestRenewalWithoutAnswer: a renewal without an answer is provisional, and the next one goes on under the
// number, whether the servers still keep the claim or not; a release gives back what they may keep.
func TestRenewalWithoutAnswer(t *testing.T) {
	for _, ends := range []bool{false, true} {
		w := newWorld(t, map[string]string{"tasks.org": someTasks})
		r := &referee{}
		under := *w.hive()
		under.Referee = r
		c, _, err := under.Claim(as("ada"), "hull", time.Hour, nil)
		must(t, err)
		silent := func() {
			t.Helper()
			r.fail = place.ErrNoAnswer
			next, _, err := under.Renew(as("ada"), "hull", c.Number, time.Hour, nil)
			if r.fail = nil; err != nil || next.Granted || next.Provisional == "" {
				t.Errorf("without an answer: %+v, %v", next, err)
			}
		}
		silent()
		if ends {
			r.kept = 0
		}
		next, _, err := under.Renew(as("ada"), "hull", c.Number, time.Hour, nil)
		if err != nil || !next.Granted || next.Provisional != "" || r.kept != c.Number || !strings.Contains(w.text("tasks.org"), ":CLAIM_GRANTED: t") {
			t.Errorf("ended there %v: %+v, %v", ends, next, err)
		}
		silent()
		_, err = under.Release(as("ada"), "hull", c.Number, nil)
		if err != nil || r.kept != 0 || strings.Contains(w.text("tasks.org"), "CLAIM_GRANTED") {
			t.Errorf("released: kept %d, %v", r.kept, err)
		}
	}
}

// TestLeaseAtReferee: the referee keeps a claim for as long as any process here, whatever its clock: a
// renewal shortens nothing, and the time by which the newest commit is ahead is added. Of a task that is done
// it is not asked.
func TestLeaseAtReferee(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	r := &referee{}
	at := func(now time.Time) *hive.Hive {
		w.now = now
		w.crash()
		under := *w.hive()
		under.Referee = r
		return &under
	}
	under := at(w.now)
	c, _, err := under.Claim(as("ada"), "hull", time.Hour, nil)
	must(t, err)
	next, _, err := under.Renew(as("ada"), "hull", c.Number, time.Second, nil)
	if err != nil || next.Until.Before(c.Until) || r.lease < time.Hour-time.Second {
		t.Errorf("%+v became %+v, and %v there, %v", c, next, r.lease, err)
	}
	_, err = under.Release(as("ada"), "hull", c.Number, nil)
	must(t, err)
	for _, ahead := range []time.Duration{time.Hour, 48 * time.Hour} {
		c, _, err = at(w.now.Add(ahead)).Claim(as("ada"), "hull", time.Second, nil)
		must(t, err)
		under = at(w.now.Add(-ahead))
		_, err = under.Release(as("ada"), "hull", c.Number, nil)
		must(t, err)
		c, _, err = under.Claim(as("ada"), "hull", time.Minute, nil)
		must(t, err)
		if least := min(ahead+time.Minute, hive.MaxLease); r.lease < least || r.lease > hive.MaxLease {
			t.Errorf("%v ahead: kept for %v, not %v", ahead, r.lease, least)
		}
		_, err = under.Release(as("ada"), "hull", c.Number, nil)
		must(t, err)
	}
	_, err = under.Done(t.Context(), "hull", 0, nil)
	must(t, err)
	r.lease = 0
	if _, _, err = under.Claim(as("ada"), "hull", time.Minute, nil); err == nil || r.lease != 0 {
		t.Errorf("of a task that is done: %v, asked for %v", err, r.lease)
	}
}

// TestRepeatedProvisional: a provisional claim is called that whenever it is returned; what the servers grant
// to a repeated renewal, which writes nothing, is given back.
func TestRepeatedProvisional(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	under := *w.hive()
	r := &referee{fail: place.ErrNoAnswer}
	under.Referee = r
	var c hive.Claim
	var err error
	for range 2 {
		if c, _, err = under.Claim(as("ada"), "hull", time.Hour, &scope.WriteOptions{Key: "again"}); err != nil || c.Provisional == "" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	for _, r.fail = range []error{place.ErrNoAnswer, nil} {
		if c, _, err = under.Renew(as("ada"), "hull", c.Number, time.Hour, &scope.WriteOptions{Key: "renewed"}); err != nil || c.Provisional == "" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if r.last != c.Number || r.kept != 0 {
		t.Errorf("granted %d to a repeated renewal, and kept %d", r.last, r.kept)
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
