// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/hive"
)

func taskCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use:   "task",
		Short: "Share tasks among agents, each held by one at a time",
		Long: `A task is a headline with a keyword in tasks.org or below tasks/, or one
anywhere with the property TASK. Whoever claims it holds it until the lease
ends, and gets a number: a write with --claim TASK:NUMBER fails once somebody
else holds the task. DEPENDS_ON names the tasks that must be done before. To add
a task, remember it.`,
		Example: `  fovea remember "Paint the door" --under tasks.org --todo TODO
  fovea task list --free
  fovea task claim "Paint the door" --agent ada --lease 30m
  fovea task done "Paint the door" --agent ada`,
	}
	return Group(c, taskListCommand(s), verb(s, &cobra.Command{
		Use: "claim TASK", Short: "Claim a task for a time, unless somebody holds it",
		Example: "  fovea task claim \"Paint the door\" --agent ada --lease 30m", Args: Args(1, 1, "a task"),
	}, agents.OpTaskClaim, nil, printer(s, printClaim)), taskRenewCommand(s),
		taskEndCommand(s, "release", "Give a claim back", agents.OpTaskRelease, "released"),
		taskEndCommand(s, "done", "End a task that is claimed", agents.OpTaskDone, "done"))
}

func taskListCommand(s *Session) *cobra.Command {
	c := verb(s, &cobra.Command{
		Use: "list", Example: "  fovea task list --free", Args: NoArguments,
	}, agents.OpTasks, nil, printList(s, "no such tasks; add one with fovea remember TITLE --under tasks.org --todo TODO", printer(s.Out, printTask)))
	OneOf(c, "status", hive.Pending, hive.InProgress, hive.Done)
	return c
}

// heldTask prints the title of a task, who holds it, and what it waits for.
func heldTask(t *agents.Task) string {
	if state := taskState(t); state != "" {
		return t.Title + " (" + state + ")"
	}
	return t.Title
}

// taskState says who holds a task, and what it waits for; "" for neither.
func taskState(t *agents.Task) string {
	var all []string
	if !t.Claim.IsZero() {
		all = append(all, fmt.Sprintf("%s, claim %d, until %s", t.Claim.By, t.Claim.Number, moment(t.Claim.Until)))
	}
	if len(t.Blocked) > 0 && t.Status != hive.Done {
		all = append(all, "waits for "+strings.Join(t.Blocked, ", "))
	}
	return strings.Join(all, "; ")
}

// printTask prints a task as a record of a list; a terminal gets its state on a line of its own.
func printTask(out *Stream, t *agents.Task) {
	const indent = 13
	if !out.IsTerminal() {
		out.Row(Column(t.Status, 11), Column(t.ID, 36), Text(heldTask(t)))
		return
	}
	out.Row(Column(t.Status, indent-2), Column(t.ID, 36), Column(t.Title, Rest))
	if state := taskState(t); state != "" {
		fmt.Fprintln(out, out.Fold(strings.Repeat(" ", indent)+state, 0))
	}
}

func taskRenewCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use: "renew TASK [NUMBER]", Short: "Let the lease of a claim begin anew",
		Example: "  fovea task renew \"Paint the door\" --agent ada", Args: Args(1, 2, "a task, and the number of its claim if you like"),
	}
	return verb(s, c, agents.OpTaskRenew, func(req *agents.RenewRequest, a []string) (err error) {
		req.Task = a[0]
		req.Number, err = claimNumber(s, c, a)
		return err
	}, printer(s, printClaim))
}

func printClaim(s *Session, c *agents.ClaimResponse) {
	s.Out.Printf("claim %d of %s, until %s\n", c.Number, c.Task, moment(c.Until))
	if c.Provisional != "" {
		s.Out.Printf("provisional, so another machine may hold it, too: %s\n", c.Provisional)
	}
}

// claimNumber returns the number of a claim that is typed behind its task, or else that of the
// claim that the caller holds; 0 for none.
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
	all, err := Call(s, c, agents.OpTasks, agents.TasksRequest{})
	for i := range all {
		if t := &all[i]; t.ID == task.ID && t.Claim.By == cmp.Or(s.Agent(), author.Owner.String()) {
			return t.Claim.Number, nil
		}
	}
	return 0, err
}

// taskEndCommand is the command of an operation that ends a claim.
func taskEndCommand(s *Session, name, short string, op api.Op[agents.ClaimEndRequest, *agents.TaskChange], done string) *cobra.Command {
	c := &cobra.Command{
		Use: name + " TASK [NUMBER]", Short: short,
		Long:    short + ". Without the number of the claim it\nis the caller's own; the owner ends any.",
		Example: "  fovea task " + name + " \"Paint the door\" --agent ada", Args: Args(1, 2, "a task, and the number of its claim if you like"),
	}
	return verb(s, c, op, func(req *agents.ClaimEndRequest, a []string) (err error) {
		req.Task = a[0]
		req.Number, err = claimNumber(s, c, a)
		return err
	}, func(c *agents.TaskChange) { s.Out.Printf("%s; commit %d\n", done, c.Seq) })
}
