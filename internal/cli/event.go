// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func eventCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use: "event NAME",
		Long: `Events are heartbeat, manual-persist, point-update, and all words that skills
have among their triggers. The skills that answer to the event are named; Fovea
executes nothing in them. The built-in skill state-persistence makes a
checkpoint at manual-persist, and at heartbeat an image, without a name, if much
was written since the last one. At point-update the windows of an agent get
another focus.`,
		Example: `  fovea event manual-persist
  fovea event point-update --focus plan.org:12 --agent ada`,
		Args: Args(1, 1, "the name of an event"),
	}, api.OpEvent, nil, func(r *api.EventResponse) {
		if r.Checkpoint != nil {
			printCheckpoint(s.Out, r.Checkpoint)
		}
		for _, name := range r.Skills {
			fmt.Fprintln(s.Out, OneLine(name))
		}
	})
}

func logsCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `The log is that of the daemon, with a line for each call of an agent and for
each call of yours that failed. An agent gets the lines about its own calls.
The newest 1,000 lines of each are kept, also when no daemon runs.`,
		Example: `  fovea logs --limit 50
  fovea logs --agent ada`,
	}, api.OpLogs, nil, func(r *api.LogsResponse) {
		for _, line := range r.Lines {
			fmt.Fprintln(s.Out, Visible(line))
		}
	})
}
