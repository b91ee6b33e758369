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
)

// referee answers as it is set, and counts what it keeps.
type referee struct {
	fail   error
	ahead  uint64 // of the number that is asked for
	ticket uint64
	kept   map[uint64]bool
}

func (r *referee) Grant(_ context.Context, task string, _ time.Duration, c place.Granted) (place.Granted, error) {
	if r.fail != nil {
		return place.Granted{}, r.fail
	}
	if c.Ticket == 0 {
		c.Number += r.ahead
	}
	delete(r.kept, c.Ticket)
	r.ticket++
	r.kept[r.ticket] = true
	return place.Granted{Ticket: r.ticket, Number: c.Number}, nil
}

func (r *referee) Release(_ context.Context, _ string, ticket uint64) error {
	delete(r.kept, ticket)
	return nil
}

// TestReferee: a claim has the number and the ticket of the referee; one that it does not grant is refused or
// provisional; what is refused here is not kept there; a provisional claim that is renewed is asked for.
func TestReferee(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	r := &referee{kept: map[uint64]bool{}, ahead: 1000, fail: place.ErrChanged}
	under := w.hive().Under(r)
	_, _, err := under.Claim(as("ada"), "hull", time.Minute, nil)
	fails(t, err, hive.ErrHeld, fault.Conflict)
	r.fail = nil
	if _, _, err := under.Claim(as("ada"), "paint", time.Minute, nil); err == nil || len(r.kept) > 0 {
		t.Errorf("a task that waits: %v, kept %v", err, r.kept)
	}
	first, _, err := under.Claim(as("ada"), "hull", time.Minute, nil)
	if err != nil || first.Provisional != "" || !r.kept[first.Ticket] {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, _, err := under.Renew(as("bob"), "hull", first.Number, time.Minute, nil); err == nil || !r.kept[first.Ticket] {
		t.Errorf("another renewed it: %v", err)
	}
	next, _, err := under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || next.Provisional != "" || next.Ticket == first.Ticket || !strings.Contains(w.text("tasks.org"), ":CLAIM_TICKET:") {
		t.Errorf("%+v, %v", next, err)
	}
	r.fail = place.ErrNoAnswer
	next, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || next.Provisional != place.ErrNoAnswer.Error() || next.Ticket != 0 || strings.Contains(w.text("tasks.org"), ":CLAIM_TICKET:") {
		t.Errorf("without an answer: %+v, %v", next, err)
	}
	r.fail, r.kept = nil, map[uint64]bool{}
	_, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if fault.KindOf(err) != fault.Conflict || len(r.kept) > 0 {
		t.Errorf("another claim was granted meanwhile: %v, kept %v", err, r.kept)
	}
	r.ahead = 0
	next, _, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || next.Provisional != "" || next.Number != first.Number || !r.kept[next.Ticket] {
		t.Errorf("a provisional claim was renewed: %+v, %v", next, err)
	}
	_, err = under.Release(as("ada"), "hull", first.Number, nil)
	if must(t, err); len(r.kept) > 0 {
		t.Errorf("released here: kept %v", r.kept)
	}
	again, _, err := under.Claim(as("bob"), "hull", time.Minute, nil)
	if err != nil || again.Number <= first.Number {
		t.Errorf("%+v after %+v, %v", again, first, err)
	}
	_, err = under.Done(as("bob"), "hull", again.Number, nil)
	if err != nil || len(r.kept) > 0 {
		t.Errorf("after the end: kept %v, %v", r.kept, err)
	}
}

// TestNoReferee: without a referee no claim is told to be provisional.
func TestNoReferee(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	c, _, err := w.hive().Claim(as("ada"), "hull", time.Minute, nil)
	if err != nil || c.Provisional != "" || c.Ticket != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
