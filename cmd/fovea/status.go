// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/scope"
)

// completeStatus adds to the verb status what is outside a memory: the stores of this user, how
// far remotes are behind, and the process that serves the memory.
func completeStatus(s *session, c *cobra.Command) {
	all, run := false, c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if all {
			return listStores(s)
		}
		if err := run(c, a); err != nil || s.JSON {
			return err
		}
		printWaiting(c.Context(), s)
		if s.daemon != nil {
			if h, err := s.daemon.Hello(c.Context()); err == nil {
				s.Out.Printf("served by  process %d\n", h.PID)
			}
		}
		return nil
	}
	c.Flags().BoolVar(&all, "all", false, "list the stores of all memexes of this user")
}

// printWaiting prints the number of proposals, messages and conflicts that wait for the owner, with the
// verb that shows them, and how far each remote is behind, as far as this machine knows without asking.
func printWaiting(ctx context.Context, s *session) {
	answers, err := s.service(ctx)
	if err != nil {
		return
	}
	svc := api.WithSync(answers, api.SyncNone) // status has just read the folder
	ctx = author.WithGrant(ctx, api.Grant{Agent: s.config.Agent, Role: api.Owner})
	proposals, err := ops.OpReview.Call(ctx, svc, ops.ReviewRequest{})
	messages, messagesErr := ops.OpMessages.Call(ctx, svc, ops.MessagesRequest{Unread: true})
	conflicts, conflictsErr := api.OpQuery.Call(ctx, svc, api.QueryRequest{Query: "tags-local:conflict"})
	for _, w := range []struct {
		n           int
		thing, verb string
	}{
		{len(proposals), "proposal", "review list"}, {len(messages), "unread message", "message inbox --unread"},
		{len(conflicts), "conflict", "query tags-local:conflict"},
	} {
		if w.n > 0 {
			s.Out.Printf("waits      %s: see fovea %s\n", scope.Count(w.n, w.thing), w.verb)
		}
	}
	all, remotesErr := ops.OpRemotes.Call(ctx, svc, api.None{})
	for _, r := range all {
		s.Out.Printf("remote     %s, %s\n", r.Name, r.Lag())
	}
	if err := errors.Join(err, messagesErr, conflictsErr, remotesErr); err != nil {
		s.Report("%v", err)
	}
}
