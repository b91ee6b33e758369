// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/terminal"
)

func blameCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Short: "Show who wrote each line of a node, and when",
		Long: `Blame prints a node's own text and before each line the number of the commit
that wrote it, the day, the author and the line's number in the file. It follows
renames and moves. A line that was removed and restored belongs to its first
author.`,
		Example: `  fovea blame "Pika at the vet"
  fovea blame projects/kaplja.org:12 --json`,
		Args: oneNode,
	}, api.OpBlame, nil, func(b *api.BlameResponse) {
		printBlame(s.Out, b)
		if len(b.Gone) > 0 {
			s.Report("%s", goneFrom(b.Gone))
		}
	})
}

func printBlame(out *terminal.Stream, b *api.BlameResponse) {
	for _, l := range b.Lines {
		out.Row(terminal.Number(out, 5, l.Commit.Seq), terminal.Text(l.Commit.Time.Local().Format(time.DateOnly)),
			terminal.Column(l.Commit.Author, 8), terminal.Number(out, 5, l.Line), terminal.Column(strings.TrimRight(l.Text, "\r\n"), terminal.Rest))
	}
}

// goneFrom lists the commits whose versions could not be compared.
func goneFrom(commits []api.Commit) string {
	const few = 5
	var numbers []string
	for i, c := range commits {
		if i == few {
			numbers = append(numbers, fmt.Sprintf("and %d more", len(commits)-few))
			break
		}
		numbers = append(numbers, fmt.Sprint(c.Seq))
	}
	return "history no longer has its text from commit " + strings.Join(numbers, ", ") + ": those changes are shown as part of the next commit"
}
