// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
)

const (
	claimWait = 2 * time.Second // for the answer to a claim, before it is read back
	claim     = "claim"         // the part of an object that is a claim
	beyond    = 2 * time.Second // how long the servers keep a claim after its lease; they count whole seconds
)

// claimsOf returns the name of the object with the greatest number of a task's claims. Only the digest
// of the task is visible. A claim is a part of the object that expires.
func claimsOf(task string) string { return "claims/" + sumOf([]byte(task)) }

// Grant implements place.Referee.
func (c *cluster) Grant(ctx context.Context, task string, lease time.Duration, number uint64, renews bool) (uint64, error) {
	claims, ends := claimsOf(task), jetstream.WithMsgTTL(lease.Truncate(time.Second)+beyond)
	text := func() string { return fmt.Sprint(number, " ", rand.Text()) }
	if renews {
		before, err := c.held(ctx, claims, number)
		if err == nil {
			err = c.mark(ctx, claims, claim, text(), before, ends)
		}
		if !errors.Is(err, place.ErrNone) {
			return number, err
		}
	}
	var last, before uint64
	greatest, err := c.last(ctx, claims, whole)
	switch {
	case err == nil:
		before = greatest.Sequence
		last, _ = strconv.ParseUint(string(greatest.Data), 10, 53) // Fovea writes only numbers
	case !errors.Is(err, place.ErrNone):
		return 0, err
	}
	if !renews || last > number { // otherwise there was no other claim since
		number = max(number, last+1)
	}
	if err := c.mark(ctx, claims, claim, text(), 0, ends); err != nil {
		return 0, err
	}
	if err = c.isGrown(ctx); err == nil { // only now: the stream may have been recreated meanwhile
		err = c.mark(ctx, claims, whole, fmt.Sprint(number), before)
	}
	if err != nil {
		_ = c.Release(ctx, task, number) // not after the lease, when the claim may be another machine's
	}
	return number, err
}

func (c *cluster) Release(ctx context.Context, task string, number uint64) error {
	before, err := c.held(ctx, claimsOf(task), number)
	if err != nil {
		return err
	}
	subject := c.subject(claimsOf(task), claim)
	return c.fault(claim, c.stream.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(before+1)))
}

// held returns the sequence number of a claim's message.
func (c *cluster) held(ctx context.Context, claims string, number uint64) (uint64, error) {
	m, err := c.last(ctx, claims, claim)
	if err == nil && !strings.HasPrefix(string(m.Data), fmt.Sprint(number, " ")) {
		err = place.ErrChanged
	}
	if err != nil {
		return 0, fmt.Errorf("claim %d: %w", number, err)
	}
	return m.Sequence, nil
}

// mark writes a part of claims in place of the message with a number, 0 for none. If the answer is lost, it reads
// the part back. A former leader that is cut off counts messages that it could not replicate, and keeps none of them.
func (c *cluster) mark(ctx context.Context, claims, part, text string, before uint64, more ...jetstream.PublishOpt) error {
	asked, stop := context.WithTimeout(ctx, claimWait)
	defer stop()
	_, err := c.js.Publish(asked, c.subject(claims, part), []byte(text), append(more,
		jetstream.WithExpectLastSequencePerSubject(before), jetstream.WithRetryAttempts(maxTries))...)
	if err = c.fault(claim, err); err == nil {
		return nil
	}
	switch kept, unseen := c.last(ctx, claims, part); {
	case unseen == nil && string(kept.Data) == text:
		return nil
	case unseen != nil && errors.Is(err, place.ErrChanged):
		return fmt.Errorf("%w: the servers refuse a claim, but have no other", place.ErrNoAnswer)
	}
	return err
}

// isGrown returns an error while claims from before the stream was created may be in force.
func (c *cluster) isGrown(ctx context.Context) error {
	info, err := c.stream.Info(ctx)
	if err == nil && info.TimeStamp.Before(info.Created.Add(c.lease+beyond)) {
		return fmt.Errorf("the servers keep claims since %s, and grant none for %v after that", info.Created.Format(time.RFC3339), c.lease)
	}
	return c.fault(claim, err)
}
