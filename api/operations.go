// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import "github.com/fovea-memory/fovea/internal/graph"

// The table of operations.
var (
	OpContext = Define(Operation{Name: "context", Group: "read", Tool: "context",
		Summary: "Choose the best context for a model within a token budget"}, buildContext)
	OpQuery = Define(Operation{Name: "query", Group: "read", Tool: "recall",
		Summary: "List the nodes that match a query"}, runQuery)
	OpSearch = Define(Operation{Name: "search", Group: "read", Tool: "recall",
		Summary: "Rank nodes by words, best first"}, search)
	OpSuggest = Define(Operation{Name: "suggest", Tool: "recall",
		Summary: "Suggest known words for unknown ones, and the newest notes"}, suggest)
	OpShow = Define(Operation{Name: "show", Group: "read", Tool: "read",
		Summary: "Show one node, now or as it was"}, showNode)
	OpSkills = Define(Operation{Name: "skills", Group: "read",
		Summary: "List the skills, highest priority first"}, listSkills)
	OpRemember = Define(Operation{Name: "remember", Group: "write", Effect: Writes, Proposable: true, Tool: "remember",
		Summary: "Add a headline"}, rememberNote)
	OpEdit = Define(Operation{Name: "edit", Group: "write", Effect: Writes, Proposable: true, Tool: "edit", Replay: graph.KindEdit,
		Summary: "Change one node, and its file in the same step"}, editNode)
	OpRefile = Define(Operation{Name: "refile", Group: "write", Effect: Writes, Proposable: true, Tool: "edit", Replay: graph.KindEdit,
		Summary: "Move a headline, with all below it, below another node"}, refileNode)
	OpArchive = Define(Operation{Name: "archive", Group: "write", Effect: Writes, Proposable: true, Replay: graph.KindEdit,
		Summary: "Move a headline, with all below it, to the archive of its file"}, archiveNode)
	OpForget = Define(Operation{Name: "forget", Group: "write", Effect: Writes, Proposable: true, Tool: "forget", Replay: graph.KindEdit,
		Summary: "Take a headline out of its file, with all below it"}, forgetNode)
	OpAssignIDs = Define(Operation{Name: "assign-ids", Group: "write", Effect: Writes,
		Summary: "List headlines without an id of their own, or give them one"}, assignIDs)
	OpIngest = Define(Operation{Name: "ingest", Group: "write", Effect: Mends,
		Summary: "Read what changed in the folder, and commit it"}, ingestFolder)
	OpLog = Define(Operation{Name: "log", Group: "history", Tool: "history log", History: true,
		Summary: "List commits, newest first"}, listCommits)
	OpDiff = Define(Operation{Name: "diff", Group: "history", Tool: "history diff", History: true,
		Summary: "List what changed between two moments"}, compare)
	OpBlame = Define(Operation{Name: "blame", Group: "history", Tool: "history blame",
		Summary: "Show who wrote each line of a node, and when"}, blameNode)
	OpSnapshot = Define(Operation{Name: "snapshot", Scan: true, Group: "history", Effect: Writes, History: true,
		Summary: "Keep the present state for a rollback"}, takeSnapshot)
	OpSnapshots = Define(Operation{Name: "snapshots", Tool: "history snapshots", History: true,
		Summary: "List the states kept, newest first"}, listSnapshots)
	OpRollback = Define(Operation{Name: "rollback", Group: "history", Effect: Mends, Tool: "rollback rollback", History: true, Replay: graph.KindRollback,
		Summary: "Make an earlier state the present one, files included"}, rollBack)
	OpRevert = Define(Operation{Name: "revert", Group: "history", Effect: Mends, Tool: "rollback revert", History: true, Replay: graph.KindRevert,
		Summary: "Revert the commits of an author or a session, or some commits"}, revertCommits)
	OpResolve = Define(Operation{Name: "resolve", Group: "history", Effect: Writes, Tool: "rollback resolve", Replay: graph.KindEdit,
		Summary: "End conflicts that a node keeps"}, resolveConflicts)
	OpCheckpoint = Define(Operation{Name: "checkpoint", Scan: true, Group: "history", Effect: Writes, Tool: "history checkpoint", History: true,
		Summary: "Write an image of the current state, and keep it"}, writeCheckpoint)
	OpRestore = Define(Operation{Name: "restore", Group: "history", Effect: Mends, Tool: "rollback restore", History: true,
		Summary: "Bring lost files back, or go back to a checkpoint"}, restore)
	OpStatus = Define(Operation{Name: "status", Group: "care", History: true,
		Summary: "Show the state of the memory"}, readStatus)
	OpHead = Define(Operation{Name: "head", Scan: true, Group: "care", History: true,
		Summary: "Give the newest commit, signed, to keep elsewhere"}, signHead)
	OpSkill = Define(Operation{Name: "skill",
		Summary: "Show the source of one skill"}, showSkill)
	OpIngestTree = Define(Operation{Name: "ingest-tree", Effect: Writes,
		Summary: "Read an AST that is in no file"}, ingestTree)
)
