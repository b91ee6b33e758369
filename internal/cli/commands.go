// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

// faces lists the operations whose verbs have their own output, in the order of the first
// help page: within each group, the most needed first.
var faces = []struct {
	operation string
	command   func(*Session) *cobra.Command
}{
	{"context", contextCommand}, {"query", queryCommand}, {"search", searchCommand}, {"show", showCommand}, {"skills", skillCommand},
	{"remember", rememberCommand}, {"edit", editCommand}, {"refile", refileCommand}, {"archive", archiveCommand}, {"forget", forgetCommand},
	{"assign-ids", idCommand}, {"ingest", ingestCommand},
	{"log", logCommand}, {"diff", diffCommand}, {"blame", blameCommand}, {"snapshot", snapshotCommand}, {"rollback", rollbackCommand},
	{"revert", revertCommand}, {"resolve", resolveCommand}, {"drift", driftCommand}, {"checkpoint", checkpointCommand}, {"restore", restoreCommand},
	{"merge", mergeCommand}, {"bundle-write", bundleCommand}, {"remotes", remoteCommand},
	{"export", exportCommand},
	{"sync", syncCommand}, {"push", pushCommand}, {"pull", pullCommand}, {"guard", guardCommand}, {"blocks", blockCommand}, {"windows", windowsCommand},
	{"agents", agentCommand}, {"messages", messageCommand}, {"tasks", taskCommand}, {"review", reviewCommand},
	{"event", eventCommand}, {"logs", logsCommand},
	{"feedback", feedbackCommand}, {"status", statusCommand}, {"verify", verifyCommand}, {"head", headCommand}, {"prove", proveCommand},
	{"repair", repairCommand}, {"retain", retainCommand}, {"purge", purgeCommand},
}

// Commands returns the verb of each operation that has one, in the order of the help page.
// The GroupID of a verb is the group of its operation.
func Commands(s *Session) []*cobra.Command {
	var all []*cobra.Command
	add := func(op *api.Operation, c *cobra.Command) {
		c.GroupID = op.Group
		all = append(all, c)
	}
	faced := map[string]bool{}
	for _, f := range faces {
		faced[f.operation] = true
		add(api.OperationNamed(f.operation), f.command(s))
	}
	for _, op := range api.Operations {
		if op.Group != "" && !faced[op.Name] {
			add(op, plainVerb(s, op))
		}
	}
	return all
}
