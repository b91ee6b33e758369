// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
)

const (
	claimWait = 2 * time.Second // for the answer to a claim, before it is looked for
	claim     = "claim"         // the part of an object that is a claim
	beyond    = 2 * time.Second // for which the servers keep a claim after its lease; they count whole seconds
)

// claimsOf is the object that keeps the greatest number of the claims of a task, of whose name only the
// digest is told. A claim is a part of it that ends.
func claimsOf(task string) string { return "claims/" + sumOf([]byte(task)) }

// Grant claims a task, or renews a claim, see place.Referee.
func (c *cluster) Grant(ctx context.Context, task string, lease time.Duration, g place.Granted) (place.Granted, error) {
	isNew := g.Ticket == 0
	ticket, err := c.mark(ctx, claimsOf(task), g.Ticket, lease)
	if err == nil && isNew {
		if g.Number, err = c.number(ctx, claimsOf(task), g.Number); err != nil {
			_ = c.Release(context.WithoutCancel(ctx), task, ticket) // else it ends with the lease
		}
	}
	return place.Granted{Ticket: ticket, Number: g.Number}, err
}

// Release ends a claim, see place.Referee. What is newer than the ticket stays.
func (c *cluster) Release(ctx context.Context, task string, ticket uint64) error {
	subject := c.subject(claimsOf(task), claim)
	return c.fault(claim, c.stream.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(ticket+1)))
}

// mark writes the message of a claim in place of the one with a number, 0 for none, and returns the number
// of the new one. Where the answer is lost, it looks for what it wrote.
func (c *cluster) mark(ctx context.Context, claims string, before uint64, lease time.Duration) (uint64, error) {
	text := rand.Text()
	asked, stop := context.WithTimeout(ctx, claimWait)
	defer stop()
	done, err := c.js.Publish(asked, c.subject(claims, claim), []byte(text), jetstream.WithRetryAttempts(maxTries),
		jetstream.WithExpectLastSequencePerSubject(before), jetstream.WithMsgTTL(lease.Truncate(time.Second)+beyond))
	if err == nil {
		return done.Sequence, nil
	}
	if kept, none := c.last(ctx, claims, claim); none == nil && string(kept.Data) == text {
		return kept.Sequence, nil
	}
	return 0, c.fault(claim, err)
}

// number returns the number of a claim that was marked, and notes it as the greatest. How old the stream
// is, it asks only now: one that was made anew meanwhile is young.
func (c *cluster) number(ctx context.Context, claims string, least uint64) (uint64, error) {
	info, err := c.stream.Info(ctx)
	if err != nil {
		return 0, c.fault(claim, err)
	}
	if left := c.lease + beyond - info.TimeStamp.Sub(info.Created); left > 0 {
		return 0, fmt.Errorf("the servers keep claims anew, and grant none for %v, as those of before may be in force", left.Round(time.Second))
	}
	greatest, tag, err := c.Get(ctx, claims)
	if err != nil && !errors.Is(err, place.ErrNone) {
		return 0, err
	}
	last, _ := strconv.ParseUint(string(greatest), 10, 52) // what is no number was not written by Fovea
	number := max(least, last+1)
	return number, c.Put(ctx, claims, tag, strconv.AppendUint(nil, number, 10))
}
