// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
)

// Events calls told with each commit after the one with the number since, in
// order, each once, and with progress as it comes, until the context ends, told
// returns an error, or the connection is lost. The caller then has the number of
// the last commit it was told of to go on from.
func (c *Client) Events(ctx context.Context, since uint64, told func(api.Event) error) error {
	r, err := c.request(ctx, http.MethodGet, fmt.Sprintf("/v1/events?since=%d", since), nil)
	if err != nil {
		return err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return gone(ctx, "events", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return gone(ctx, "events", err)
		}
		return refused("events", answer, text)
	}
	const longest = 1 << 20
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, longest)
	kind := ""
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "event":
			kind = value
		case "data":
			if err := publish(kind, value, told); err != nil {
				return err
			}
		}
	}
	if err = lines.Err(); err == nil {
		err = io.ErrUnexpectedEOF
	}
	return gone(ctx, "events", err)
}

// publish reads one event. Kinds that are not known are left out.
func publish(kind, data string, told func(api.Event) error) error {
	var e api.Event
	var err error
	switch kind {
	case "commit":
		e.Commit = new(api.Commit)
		err = json.Unmarshal([]byte(data), e.Commit)
	case "review":
		e.Review = new(api.ReviewEvent)
		err = json.Unmarshal([]byte(data), e.Review)
	case "progress":
		err = json.Unmarshal([]byte(data), &e)
	default:
		return nil
	}
	if err != nil {
		return fault.Wrap("events", "", fault.Other, fmt.Errorf("an event is not JSON: %w", err))
	}
	return told(e)
}

// ingest is the operation of that name while its commits and its progress are
// told.
func (c *Client) ingest(ctx context.Context, call api.Call, req api.IngestRequest) (any, error) {
	h, err := c.Hello(ctx)
	if err != nil {
		return nil, err
	}
	listening, stop := context.WithCancel(ctx)
	defer stop()
	var told atomic.Uint64 // the newest commit that was passed on
	told.Store(h.Seq)
	var answer any
	posted := make(chan struct{})
	complete := func() bool { return err != nil || answer.(*api.Status).Seq <= told.Load() }
	go func() {
		answer, err = c.post(ctx, call) // the functions of the request are not sent
		close(posted)
		if complete() {
			stop()
		}
	}()
	_ = c.Events(listening, h.Seq, func(e api.Event) error { // what it misses is in the log
		told.Store(max(told.Load(), pass(e, req)))
		select {
		case <-posted:
			if complete() {
				return context.Canceled
			}
		default:
		}
		return nil
	})
	<-posted
	return answer, err
}

// pass tells of an event whoever asked for it, and returns the commit's number.
func pass(e api.Event, req api.IngestRequest) uint64 {
	if e.Commit == nil {
		if req.Progress != nil && e.Review == nil {
			req.Progress(e.Done, e.Total)
		}
		return 0
	}
	if req.Committed != nil && e.Commit.Kind == "ingest" {
		req.Committed(*e.Commit)
	}
	return e.Commit.Seq
}
