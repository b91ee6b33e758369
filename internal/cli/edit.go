// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
)

func editCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `Edit changes what you name and no other line: keyword, title, priority, tags,
properties, dates, text, checkboxes. You can make several changes at once.
Keywords are logged as the file's #+STARTUP says, and repeaters move on.

An empty value removes the field: --todo "", --deadline "", --body "". A TEXT
is given as it is, as @FILE, or as - for standard input; one that begins with @
is given with two. With --base a node that changed since it was read is not
touched; the error shows both sides.`,
		Example: `  fovea edit "Move the gauge firmware off LoRa" --todo DONE
  fovea edit projects/kaplja.org:12 --tag urgent --deadline "2026-03-01 +1w"
  fovea edit journal.org:3 --append "It rained."
  fovea edit journal.org:3 --body @letter.txt`,
		Args: oneNode,
	}, api.OpEdit, nil, printer(s, printEdit))
}

// printEdit prints the result of an edit.
func printEdit(s *Session, r *api.EditResponse) {
	switch {
	case printWould(s, r.Would):
	case r.Proposal != "":
		s.Out.Printf("proposed  %s  %s\n", r.Proposal, r.Path)
	case r.Known:
		s.Report("known already, nothing was written")
		s.Out.Printf("%s  %s\n", place(r.Path, r.Line), r.ID)
	case r.Seq == 0:
		s.Report("nothing to change")
	case r.Path == "":
		s.Out.Printf("commit %d\n", r.Seq)
	default:
		s.Out.Printf("commit %d  %s  %s\n", r.Seq, place(r.Path, r.Line), r.ID)
	}
	if r.Doubled != "" {
		s.Report("%s", OneLine(r.Doubled))
	}
	for _, line := range r.Unseen {
		s.Report("changed by others since this session saw it: %s", OneLine(line))
	}
	for _, id := range r.Similar {
		s.Report("similar, at least %.0f%% of the words in common: %s", 100*r.SimilarFrom, OneLine(id))
	}
}

func rememberCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Long: `Remember adds a headline with an :ID: after the other children of a node, or at
the end of an Org file, which is made when there is none of that path. A folder,
with a slash at its end, means its file of the month: agents/ada/2026-11.org,
and once that has 256 KiB 2026-11-2.org. A note by an agent (--agent) says in
its drawer who wrote it and when; if the same note is there already, its id is
printed, and nothing is written.`,
		Example: `  fovea remember "Rivets come on Tuesday" --body "Lukas said so."
  git log -1 --format=%B | fovea remember "What changed today" --body -`,
		Args: Args(1, 1, "a title"),
	}, api.OpRemember, nil, printer(s, printEdit))
}

func forgetCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use:   "forget NODE",
		Short: "Take a headline out of its file, with all below it",
		Long: `Forget takes a headline and all below it out of its file. History keeps them,
and no agent brings back a note of the same title and text, unless you roll that
back.`,
		Example: `  fovea forget "Pika at the vet"`,
		Args:    oneNode,
	}, api.OpForget, nil, func(r *api.EditResponse) {
		if printWould(s, r.Would) {
			return
		}
		s.Out.Printf("commit %d  removed from its file; fovea rollback 0 brings it back\n", r.Seq)
		if r.Doubled != "" {
			s.Report("%s", OneLine(r.Doubled))
		}
	})
}

func refileCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use: "refile NODE TARGET",
		Long: `Refile moves a headline, with all below it, behind the other children of a
headline or of a document. Both files change, or none.`,
		Example: `  fovea refile "Pika at the vet" journal.org`,
		Args:    Args(2, 2, "a node and its target"),
	}, api.OpRefile, nil, printer(s, printEdit))
}

func archiveCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use: "archive NODE",
		Long: `Archive moves a headline, with all below it, where Org would: to FILE_archive,
or where #+ARCHIVE or the property ARCHIVE says, with the properties that Org
adds.`,
		Example: `  fovea archive "Pika at the vet"`,
		Args:    oneNode,
	}, api.OpArchive, nil, printer(s, printEdit))
}

func idCommand(s *Session) *cobra.Command {
	return Group(&cobra.Command{
		Use:   "id",
		Short: "List headlines without an id, or give them one",
		Long: `A headline without an :ID: goes by an id made from its file, titles and place,
which changes with them. Fovea writes ids into files only on this command.`,
		Example: `  fovea id list projects
  fovea id assign "Pika at the vet"
  fovea id assign --all`,
	}, idListCommand(s), idAssignCommand(s))
}

// allHaveIDs is what the verbs of ids say where there is nothing for them.
const allHaveIDs = "every headline has its own id"

func idListCommand(s *Session) *cobra.Command {
	return &cobra.Command{
		Use:     "list [FILE or FOLDER]",
		Short:   "List headlines without an id",
		Example: "  fovea id list projects",
		Args:    Args(0, 1, "at most a file or folder"),
		RunE: func(c *cobra.Command, a []string) error {
			req := api.AssignRequest{List: true}
			if len(a) > 0 {
				req.Path = a[0]
			}
			return Ask(s, c, api.OpAssignIDs, req, printList(s, allHaveIDs, printer(s.Out, printNode)))
		},
	}
}

func idAssignCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Use:   "assign NODE...",
		Short: "Write an :ID: into headlines that have none",
		Example: `  fovea id assign "Pika at the vet"
  fovea id assign --all --path projects`,
		Args: Args(0, -1, "nodes, or --all"),
	}, api.OpAssignIDs, func(req *api.AssignRequest, a []string) error {
		if len(a) == 0 && !req.All && !req.List {
			return Misusef("id assign wants nodes, or --all (see fovea id assign --help)")
		}
		return nil
	}, printList(s, allHaveIDs, func(n *api.Node) {
		s.Out.Row(append([]Cell{{Text: n.ID}}, nodeCells(s.Out, *n)...)...)
	}))
}
