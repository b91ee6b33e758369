// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/scope"
)

func revertCommand(s *Session) *cobra.Command {
	c := verbFor(s, &cobra.Command{
		Short: "Revert the commits of an author or a session, or some commits",
		Long: `Revert takes back the changes of an author's or a session's commits, or of those
named, and keeps later changes, files included. A change that later work builds
on stays, and the version before it is kept in the note as a conflict; see
"fovea resolve". It is one commit, and "fovea rollback 0" undoes it. COMMIT
is a number as the log shows it, seq:N or a digest; with --session it is a
commit of that session's own history, where the log says session/ID.`,
		Example: `  fovea revert --author mint --since 2026-11-20 --dry-run
  fovea revert --author mint
  fovea revert 41 42`,
		Args: Args(0, -1, "commits, or --author or --session"),
	}, api.OpRevert, func(req *api.RevertRequest, a []string) error {
		if len(a) > 0 && req.Author == "" {
			req.Session = "" // it is in the context
		}
		return nil
	}, func(req *api.RevertRequest, done *api.RevertResponse) {
		printRevert(s.Out, done, req.DryRun)
		printWould(s, done.Would)
	})
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if f := c.Flag("session"); f != nil && f.Changed && len(a) > 0 { // the history that the commits are in
			c.SetContext(author.WithScopes(c.Context(), author.Scopes{Session: f.Value.String()}))
		}
		return run(c, a)
	}
	return c
}

func printRevert(out *Stream, r *api.RevertResponse, dry bool) {
	switch {
	case dry:
		out.Printf("would take back %s\n", scope.Count(len(r.Commits), "commit"))
	case r.Seq == 0:
		out.Printf("nothing of %s was left to take back\n", scope.Count(len(r.Commits), "commit"))
	default:
		out.Printf("took back %s by commit %d, root %s\n", scope.Count(len(r.Commits), "commit"), r.Seq, short(r.Root))
	}
	for _, f := range r.Files {
		done := "restored  "
		switch {
		case dry && slices.Contains(r.Removed, f):
			done = "would remove  "
		case dry:
			done = "would change  "
		case slices.Contains(r.Removed, f):
			done = "removed   "
		}
		out.Printf("%s%s\n", done, f)
	}
	printFiles(out, "left", r.Left)
	printConflicts(out, r.Conflicts)
}

func printConflicts(out *Stream, conflicts []api.Conflict) {
	for _, c := range conflicts {
		out.Printf("conflict  %s of %s in %s\n", c.Field, c.ID, c.Path)
	}
}

func resolveCommand(s *Session) *cobra.Command {
	var drop bool
	c := verb(s, &cobra.Command{
		Long: `Resolve takes the drawer CONFLICT out of a node, and its tag. What stands there
stays, unless --take says otherwise: theirs puts all that was lost in its place,
a number the lost value of that conflict alone. Such nodes are found by
"fovea query tags-local:conflict". Of a conflict copy that a sync program made
of a file, resolve merges what it has into that file, and removes the copy.`,
		Example: `  fovea query tags-local:conflict
  fovea resolve "garden (conflicted copy).org"
  fovea resolve "Oak and elm"
  fovea resolve oak --take theirs
  fovea resolve oak --take 2`,
		Args: oneNode,
	}, api.OpResolve, func(req *api.ResolveRequest, _ []string) error {
		if drop && req.Take != "" {
			return Misusef("--drop keeps what stands; leave out --take")
		}
		return nil
	}, func(e *api.EditResponse) {
		if printWould(s, e.Would) {
			return
		}
		if e.Path == "" {
			s.Out.Printf("deleted\n")
			return
		}
		s.Out.Printf("resolved  %s:%d\n", e.Path, e.Line)
	})
	c.Flags().BoolVar(&drop, "drop", false, "the same as --take ours")
	return c
}
