// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
)

// The limits of a completion: notes that are looked at, and names that a shell is offered.
const maxCompared, maxOffered = 1000, 100

// hasNames matches what the usage of a verb calls a note or a proposal.
var hasNames = regexp.MustCompile(`\b(NODE|TASK|PROPOSAL)\b`)

// complete offers a shell the names of notes, or of proposals to a verb about these, that begin with what is
// typed, each with what it names. It is silent where no memory is yet, or none that can be read.
func (s *Session) complete(c *cobra.Command, _ []string, typed string) (out []string, files cobra.ShellCompDirective) {
	if s.Quiet = true; !s.Begun() {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	offer := func(name, of string) {
		line := OneLine(Visible(name)) + "\t" + OneLine(Visible(of))
		if name != "" && strings.HasPrefix(line, name+"\t") && strings.HasPrefix(name, typed) && len(out) < maxOffered && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if strings.Contains(c.Use, "PROPOSAL") {
		all, _ := Call(s, c, agents.OpReview, agents.ReviewRequest{})
		for i := range all {
			offer(all[i].ID, all[i].Agent+": "+all[i].Title)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	begins := regexp.QuoteMeta(typed)
	q, _ := json.Marshal([]any{"or", []any{"heading", cmp.Or(typed, ".")}, []any{"path", "^" + begins}, []any{"regexp", `^[ \t]*:(CUSTOM_)?ID:[ \t]+` + begins}})
	nodes, _ := Call(s, c, api.OpQuery, api.QueryRequest{Query: string(q), Limit: maxCompared})
	for _, n := range nodes {
		offer(n.Title, place(n.Path, n.Line))
		offer(n.Path, n.Title)
		offer(n.ID, n.Title)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
