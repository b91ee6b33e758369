// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
)

const (
	refereeWait = 4 * time.Second // for all that a claim asks of the servers
	maxNumber   = 1<<53 - 1       // of a claim
	maxBackoff  = 32 * time.Millisecond
)

// claimsStream is the stream that keeps the claims of the memories whose objects a stream keeps: of a
// claim a message that ends with the lease, and for tasks whose digests begin alike the greatest number.
func claimsStream(of jetstream.StreamConfig) jetstream.StreamConfig {
	of.Name = strings.Replace(of.Name, "FOVEA-", "FOVEA-CLAIMS-", 1)
	of.Subjects = []string{claimsOf(of.Subjects[0])}
	of.AllowMsgTTL, of.Description = true, "claims of Fovea"
	return of
}

// claimsOf is the subject of claims that belongs to one of objects.
func claimsOf(subject string) string { return strings.Replace(subject, "fovea.", "fovea.claims.", 1) }

// subjectsOf are those of a task: of its claim, and of the greatest number.
func (c *cluster) subjectsOf(task string) (claim, greatest string) {
	digest, prefix := sumOf([]byte(task)), claimsOf(c.prefix)
	return prefix + ".task." + digest, prefix + ".greatest." + digest[:2]
}

// Claim claims a task, see place.Referee.
func (c *cluster) Claim(ctx context.Context, task string, lease time.Duration, least uint64) (ticket, number uint64, err error) {
	begun := time.Now()
	limited, stop := context.WithTimeout(ctx, refereeWait)
	defer stop()
	claim, greatest := c.subjectsOf(task)
	ticket, err = c.mark(limited, claim, 0, lease)
	if err != nil {
		return 0, 0, err
	}
	number, err = c.grant(limited, greatest, least)
	if err == nil && time.Since(begun) >= lease {
		err = fmt.Errorf("%w within the lease", place.ErrNoAnswer)
	}
	if err != nil {
		_ = c.Release(ctx, task, ticket) // else it ends with the lease
		return 0, 0, err
	}
	return ticket, number, nil
}

// Renew begins a lease anew, see place.Referee.
func (c *cluster) Renew(ctx context.Context, task string, ticket uint64, lease time.Duration) (uint64, error) {
	ctx, stop := context.WithTimeout(ctx, refereeWait)
	defer stop()
	claim, _ := c.subjectsOf(task)
	return c.mark(ctx, claim, ticket, lease)
}

// Release ends a claim, see place.Referee. What is newer than the ticket stays.
func (c *cluster) Release(ctx context.Context, task string, ticket uint64) error {
	ctx, stop := context.WithTimeout(ctx, refereeWait)
	defer stop()
	claim, _ := c.subjectsOf(task)
	stream, err := c.js.Stream(ctx, c.claims.Name)
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(claim), jetstream.WithPurgeSequence(ticket+1))
	}
	return c.fault(c.claims.Name, err)
}

// mark writes the message of a claim in place of the one with a number, and returns the number of the new
// one. The servers count whole seconds, so that they keep it longer than the holder does. Where the answer
// is lost, it looks for what it wrote.
func (c *cluster) mark(ctx context.Context, subject string, before uint64, lease time.Duration) (uint64, error) {
	m := nats.NewMsg(subject)
	m.Data = []byte(rand.Text())
	asked, stop := context.WithTimeout(ctx, refereeWait/2)
	defer stop()
	ack, err := c.js.PublishMsg(asked, m, jetstream.WithRetryAttempts(0), jetstream.WithExpectLastSequencePerSubject(before),
		jetstream.WithMsgTTL(lease.Truncate(time.Second)+2*time.Second))
	if err == nil {
		return ack.Sequence, nil
	}
	err = c.fault(c.claims.Name, err)
	if errors.Is(err, place.ErrNoAnswer) {
		stream, again := c.js.Stream(ctx, c.claims.Name)
		if errors.Is(again, jetstream.ErrStreamNotFound) {
			return 0, fmt.Errorf("claims: %w", place.ErrAway)
		}
		if again == nil {
			if kept, again := stream.GetLastMsgForSubject(ctx, subject); again == nil && string(kept.Data) == string(m.Data) {
				return kept.Sequence, nil
			}
		}
	}
	if errors.Is(err, place.ErrChanged) {
		err = place.ErrHeld
	}
	return 0, err
}

// grant returns the number of a claim that was marked, and notes it as the greatest. It reads only now how
// old the stream is: one that was made anew meanwhile is young.
func (c *cluster) grant(ctx context.Context, subject string, least uint64) (uint64, error) {
	stream, err := c.js.Stream(ctx, c.claims.Name)
	if err != nil {
		return 0, c.fault(c.claims.Name, err)
	}
	info := stream.CachedInfo()
	if how := differs(info.Config, c.claims); how != "" {
		return 0, fmt.Errorf("the stream %s has other settings (%s): %w", c.claims.Name, how, errStream)
	}
	if left := c.maxLease + 2*time.Second - info.TimeStamp.Sub(info.Created); left > 0 {
		return 0, fmt.Errorf("%w for %v", place.ErrYoung, left.Round(time.Second))
	}
	for {
		m := nats.NewMsg(subject)
		number, before := least, uint64(0)
		kept, err := stream.GetLastMsgForSubject(ctx, subject)
		if err == nil {
			was, wrong := strconv.ParseUint(string(kept.Data), 10, 64)
			if wrong != nil || was >= maxNumber {
				return 0, fmt.Errorf("%s: %w", subject, place.ErrDamaged)
			}
			number, before = max(least, was+1), kept.Sequence
		} else if !errors.Is(err, jetstream.ErrMsgNotFound) {
			return 0, c.fault(subject, err)
		}
		m.Data = strconv.AppendUint(nil, number, 10)
		err = c.fault(subject, c.publish(ctx, m, jetstream.WithExpectLastSequencePerSubject(before)))
		if !errors.Is(err, place.ErrChanged) {
			return number, err
		}
		select { // another task has the same subject, just now
		case <-ctx.Done():
			return 0, fmt.Errorf("%s: %w", subject, place.ErrNoAnswer)
		case <-time.After(mathrand.N(maxBackoff)):
		}
	}
}
