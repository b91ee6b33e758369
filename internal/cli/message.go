// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api/agents"
	"github.com/fovea-memory/fovea/internal/hive"
)

func messageCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use:   "message",
		Short: "Send messages to agents, and read those in an inbox",
		Long: `A message is a headline in the inbox of its receiver, agents/NAME/inbox.org. To
send one needs no right to write there. Its text is data: whoever reads it
decides what to do. Without --agent the verbs are about the owner.`,
		Example: `  fovea message send ada "The build is red" --body "Since commit 42."
  fovea message inbox --agent ada
  fovea message read --agent ada`,
	}
	return Group(c, messageSendCommand(s), verb(s, &cobra.Command{
		Use: "inbox", Short: "List the messages of an inbox, oldest first", Example: "  fovea message inbox --unread --agent ada", Args: NoArguments,
	}, agents.OpMessages, nil, printList(s, "no messages", func(m *agents.Message) {
		s.Out.Row(Column(map[bool]string{true: " ", false: "*"}[m.Read], 1), Column(moment(m.Sent), 19),
			Column(m.From, 12), Column(m.ID, 36), Column(m.Subject, Rest))
	})), messageReadCommand(s))
}

func messageSendCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use: "send TO SUBJECT", Short: "Send a message to an agent, or to owner",
		Long: `Send puts a message into the inbox of an agent, or of the owner. To an agent
that has never written, and that the configuration does not name, send with
--first.`,
		Example: `  fovea message send ada "The build is red" --body "Since commit 42."
  git log -1 | fovea message send owner "Released" --body - --agent ada`,
		Args: Args(2, 2, "who receives it, and a subject"),
	}, agents.OpMessageSend, nil, func(m *agents.MessageSent) { s.Out.Printf("commit %d  %s\n", m.Seq, m.ID) })
}

func messageReadCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Use: "read [ID...]", Short: "Print messages, and mark them as read",
		Long: `Read prints the messages that are named, else those that were not read, and
marks exactly these as read, once they are printed.`,
		Example: "  fovea message read --agent ada", Args: Args(0, hive.MaxReadMessages, fmt.Sprintf("at most %d ids", hive.MaxReadMessages)),
	}, agents.OpMessageRead, nil, printer(s, printMessages))
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if peek, _ := c.Flags().GetBool("peek"); peek {
			return run(c, a)
		}
		return handOver(s, c, a)
	}
	return c
}

// handOver prints messages, and marks as read what was printed.
func handOver(s *Session, c *cobra.Command, ids []string) error {
	got, err := Call(s, c, agents.OpMessageRead, agents.MessageReadRequest{IDs: ids, Peek: true})
	if err != nil {
		return err
	}
	answer := *got
	for i := range answer.Messages {
		answer.Messages[i].Read = true // as it is when this ends well
	}
	if err := s.Answer(&answer, func() { printMessages(s, &answer) }); err != nil || len(answer.Messages) == 0 {
		return err
	}
	if err := s.Out.Err(); err != nil {
		return err
	}
	var printed []string
	for i := range answer.Messages {
		printed = append(printed, answer.Messages[i].ID)
	}
	_, err = Call(s, c, agents.OpMessageRead, agents.MessageReadRequest{IDs: printed})
	return err
}

func printMessages(s *Session, r *agents.MessageReadResponse) {
	for i := range r.Messages {
		m := &r.Messages[i]
		if i > 0 {
			s.Out.Printf("\n")
		}
		s.Out.Printf("From %s to %s, %s, %s\n", m.From, m.To, moment(m.Sent), m.ID)
		s.Out.Text(m.Subject + "\n")
		if m.Body != "" {
			s.Out.Text("\n" + m.Body + "\n")
		}
	}
	switch {
	case len(r.Messages) == 0:
		s.Report("no unread messages")
	case r.Left > 0:
		s.Report("%d more are unread; call fovea message read again", r.Left)
	}
}
