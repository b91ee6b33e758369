// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api/agents"
)

func agentCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use:   "agent",
		Short: "See the agents that share the memory",
		Long: `An agent is whoever writes under a name: with --agent, over MCP, or with a
token. It writes in its own folder agents/NAME/ and in tasks, and where the
configuration grants it more.`,
		Example: `  fovea agent list
  fovea agent show ada`,
	}
	list := verb(s, &cobra.Command{
		Use: "list", Short: "List the agents: status, when seen, session, tasks, rights",
		Example: "  fovea agent list", Args: NoArguments,
	}, agents.OpAgents, nil, printList(s, "no agents yet; one is known from its first note, such as fovea remember ... --agent ada", func(a *agents.AgentEntry) {
		printWide(s.Out, fmt.Sprintf("unread %d  tasks %d  writes %s", a.Unread, len(a.Tasks), strings.Join(a.Writes, " ")),
			Column(a.Name, 12), Column(a.Status, 7), Column(seen(a.Seen), 19), Column(a.Session, 8))
	}))
	return Group(c, list, verb(s, &cobra.Command{
		Use: "show NAME", Short: "Say what the memory knows of an agent", Example: "  fovea agent show ada", Args: Args(1, 1, "the name of an agent"),
	}, agents.OpAgents, nil, printer(s, printAgent)))
}

// printWide prints a record of a list whose last column is longer than a line has room for: a
// terminal gets it folded below the others.
func printWide(out *Stream, last string, cells ...Cell) {
	if !out.IsTerminal() {
		out.Row(append(cells, Text(last))...)
		return
	}
	out.Row(cells...)
	fmt.Fprintln(out, out.Fold("    "+OneLine(last), 4))
}

func printAgent(s *Session, all []agents.AgentEntry) {
	for i := range all {
		a := &all[i]
		s.Out.Row(Column("agent", 8), Text(a.Name))
		s.Out.Row(Column("status", 8), Text(a.Status))
		s.Out.Row(Column("seen", 8), Text(seen(a.Seen)))
		if a.Session != "" {
			s.Out.Row(Column("session", 8), Text(a.Session))
		}
		s.Out.Row(Column("unread", 8), Text(fmt.Sprint(a.Unread)))
		for _, place := range a.Writes {
			s.Out.Row(Column("writes", 8), Text(place))
		}
		for j := range a.Tasks {
			s.Out.Row(Column("holds", 8), Text(heldTask(&a.Tasks[j])))
		}
	}
}

// seen says when somebody was last seen.
func seen(at time.Time) string {
	if at.IsZero() {
		return "not seen yet"
	}
	return moment(at)
}
