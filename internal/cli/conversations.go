// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/face"
)

// logHook adds to the verb log the commits of a session, and those of agents since the owner last looked.
func logHook(s *Session, c *cobra.Command, req *api.LogRequest) func([]string) error {
	var news struct {
		Since bool `flag:"--since-last what agents wrote since you last used this flag"`
		Seen  bool `flag:"--seen with --since-last --json: it counts as seen"`
	}
	AddFlags(c.Flags(), &news)
	ofSession(s, c, func() (all ops.ConversationRequest) { return all }, func(of *ops.Conversation) any {
		if req.Limit > 0 {
			of.Commits = of.Commits[:min(req.Limit, len(of.Commits))]
		}
		return of.Commits
	})
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		switch {
		case !news.Since && news.Seen:
			return Misusef("--seen goes with --since-last")
		case !news.Since:
			return run(c, a)
		case len(a) > 0, c.Flags().Changed("limit"):
			return Misusef("--since-last is about all that agents wrote; leave out NODE and --limit")
		}
		return showNews(s, c, news.Seen || !s.JSON)
	}
	return nil
}

// showNews prints what agents wrote, and then records that the owner has seen it.
func showNews(s *Session, c *cobra.Command, seen bool) error {
	news, err := Call(s, c, ops.OpNews, api.None{})
	if err == nil {
		err = s.show(face.Of(ops.OpNews.Operation), api.None{}, news)
	}
	if err == nil {
		err = s.Out.Close() // what was not printed is not seen
	}
	if err == nil && seen {
		_, err = Call(s, c, ops.OpNewsSeen, ops.NewsSeenRequest{UpTo: news.UpTo})
	}
	return err
}

func diffHook(s *Session, c *cobra.Command, req *api.DiffRequest) func([]string) error {
	ofSession(s, c, func() ops.ConversationRequest { return ops.ConversationRequest{Changes: true, Text: req.Text} },
		func(of *ops.Conversation) any { return of.Changes })
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		err := run(c, a)
		if fovea.KindOf(err) == fovea.NotFound {
			err = fmt.Errorf("%w; for one node see fovea log NODE and fovea blame NODE", err)
		}
		return err
	}
	return nil
}

// ofSession makes a verb show a part of a conversation if --session is given without arguments.
func ofSession(s *Session, c *cobra.Command, request func() ops.ConversationRequest, part func(*ops.Conversation) any) {
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		f := c.Flag("session")
		if f == nil || !f.Changed || len(a) > 0 {
			return run(c, a)
		}
		req := request()
		req.Session = f.Value.String()
		of, err := Call(s, c, ops.OpConversation, req)
		if err != nil {
			return err
		}
		return s.answer(face.Of(ops.OpConversation.Operation), req, of, part(of))
	}
}

func messageReadHook(s *Session, c *cobra.Command, _ *ops.MessageReadRequest) func([]string) error {
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if peek, _ := c.Flags().GetBool("peek"); peek {
			return run(c, a)
		}
		return handOver(s, c, a)
	}
	return nil
}

// handOver prints messages, and marks the printed ones as read.
func handOver(s *Session, c *cobra.Command, ids []string) error {
	peek := ops.MessageReadRequest{IDs: ids, Peek: true}
	got, err := Call(s, c, ops.OpMessageRead, peek)
	if err != nil {
		return err
	}
	answer := *got
	var printed []string
	for i := range answer.Messages {
		answer.Messages[i].Read = true // they are about to be marked
		printed = append(printed, answer.Messages[i].ID)
	}
	if err := s.show(face.Of(ops.OpMessageRead.Operation), peek, &answer); err != nil || len(printed) == 0 {
		return err
	}
	if err := s.Out.Close(); err != nil {
		return err
	}
	_, err = Call(s, c, ops.OpMessageRead, ops.MessageReadRequest{IDs: printed})
	return err
}

// claimed is the hook of a verb about a claim: its number is the second argument, by default that of the caller's claim.
func claimed[Q any](of func(req *Q) (task *string, number *uint64)) hook {
	return finished(func(s *Session, c *cobra.Command, req *Q, a []string) (err error) {
		task, number := of(req)
		*task = a[0]
		*number, err = claimNumber(s, c, a)
		return err
	})
}

// claimNumber returns the number of a claim; 0 for none.
func claimNumber(s *Session, c *cobra.Command, a []string) (uint64, error) {
	if len(a) > 1 {
		n, err := strconv.ParseUint(a[1], 10, 64)
		if err != nil || n == 0 {
			return 0, Misusef("%q is not the number of a claim; fovea task list shows it", a[1])
		}
		return n, nil
	}
	task, err := Call(s, c, api.OpShow, api.ShowRequest{ID: a[0]})
	if err != nil {
		return 0, err
	}
	all, err := Call(s, c, ops.OpTasks, ops.TasksRequest{})
	for i := range all {
		if t := &all[i]; t.ID == task.ID && t.Claim.By == cmp.Or(s.Agent(), author.Owner.String()) {
			return t.Claim.Number, nil
		}
	}
	return 0, err
}
