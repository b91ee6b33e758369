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
	ticket uint64
	kept   map[uint64]bool
}

func (r *referee) Claim(_ context.Context, _ string, _ time.Duration, least uint64) (uint64, uint64, error) {
	ticket, err := r.Renew(nil, "", 0, 0)
	return ticket, least + 1000, err
}

func (r *referee) Renew(_ context.Context, _ string, ticket uint64, _ time.Duration) (uint64, error) {
	if r.fail != nil {
		return 0, r.fail
	}
	delete(r.kept, ticket)
	r.ticket++
	r.kept[r.ticket] = true
	return r.ticket, nil
}

func (r *referee) Release(_ context.Context, _ string, ticket uint64) error {
	delete(r.kept, ticket)
	return nil
}

// TestReferee: a claim has the number and the ticket of the referee; one that it does not grant is refused or
// provisional; what is refused here is not kept there.
func TestReferee(t *testing.T) {
	w := newWorld(t, map[string]string{"tasks.org": someTasks})
	r := &referee{kept: map[uint64]bool{}}
	under := w.hive().Under(r)
	r.fail = place.ErrHeld
	_, _, _, err := under.Claim(as("ada"), "hull", time.Minute, nil)
	fails(t, err, hive.ErrHeld, fault.Conflict)
	r.fail = nil
	if _, _, _, err := under.Claim(as("ada"), "paint", time.Minute, nil); err == nil || len(r.kept) > 0 {
		t.Errorf("a task that waits: %v, kept %v", err, r.kept)
	}
	first, _, why, err := under.Claim(as("ada"), "hull", time.Minute, nil)
	if err != nil || why != "" || !r.kept[first.Ticket] {
		t.Fatalf("%+v, %q, %v", first, why, err)
	}
	if _, _, _, err := under.Renew(as("bob"), "hull", first.Number, time.Minute, nil); err == nil || !r.kept[first.Ticket] {
		t.Errorf("another renewed it: %v", err)
	}
	next, _, why, err := under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || why != "" || next.Ticket == first.Ticket || !strings.Contains(w.text("tasks.org"), ":CLAIM_TICKET:") {
		t.Errorf("%+v, %q, %v", next, why, err)
	}
	r.fail = place.ErrNoAnswer
	next, _, why, err = under.Renew(as("ada"), "hull", first.Number, time.Minute, nil)
	if err != nil || why != place.ErrNoAnswer.Error() || next.Ticket != 0 || strings.Contains(w.text("tasks.org"), ":CLAIM_TICKET:") {
		t.Errorf("without an answer: %+v, %q, %v", next, why, err)
	}
	r.fail, r.kept = nil, map[uint64]bool{}
	_, err = under.Release(as("ada"), "hull", first.Number, nil)
	must(t, err)
	again, _, _, err := under.Claim(as("bob"), "hull", time.Minute, nil)
	if err != nil || again.Number <= first.Number {
		t.Errorf("%+v after %+v, %v", again, first, err)
	}
	_, err = under.Done(as("bob"), "hull", again.Number, nil)
	if err != nil || len(r.kept) > 0 {
		t.Errorf("after the end: kept %v, %v", r.kept, err)
	}
}
