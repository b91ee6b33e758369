// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/query"
)

func queryCommand(s *Session) *cobra.Command {
	var only struct {
		Projects  bool `flag:"--active-projects only what is tagged project and not finished"`
		Completed bool `flag:"--completed only what is finished, the latest first"`
	}
	var format string
	c := verbFor(s, &cobra.Command{
		Use:  "query QUERY",
		Long: "Query lists matching nodes in document order. It asks for\n\n" + predicates() + syntaxes,
		Example: `  fovea query 'todo:NEXT,WAIT tags:work'
  fovea query '(todo: OR priority:A) !tags:home deadline:to=7'
  fovea query 'property:EFFORT heading:"rain gauge"' --json
  fovea query 'type:src-block ancestors:(tags:project)'
  fovea query '(and (todo "NEXT") (scheduled :on today))'
  fovea query --completed tags:work`,
		Args: func(c *cobra.Command, a []string) error {
			if only.Projects || only.Completed {
				return nil
			}
			return Args(1, -1, "a query, --active-projects or --completed")(c, a)
		},
	}, api.OpQuery, func(req *api.QueryRequest, _ []string) error {
		req.Content = format != ""
		switch {
		case only.Projects && only.Completed:
			return Misusef("query wants one of --active-projects and --completed")
		case only.Projects:
			req.Named = api.ActiveProjects
		case only.Completed:
			req.Named = api.Completed
		}
		return checkFormat(s, format)
	}, func(req *api.QueryRequest, nodes []api.Node) {
		if format == "" || len(nodes) == 0 {
			printList(s, "nothing matches", printer(s.Out, printNode))(nodes)
			return
		}
		printGrep(s, nodes, plainWords(req.Query))
	})
	formatFlag(c, &format)
	AddFlags(c.Flags(), &only)
	return c
}

// predicates lists the predicates of a query.
func predicates() string {
	var b strings.Builder
	for _, p := range query.Predicates() {
		const indent = 17
		fmt.Fprintf(&b, "  %-14s %s\n", p.Name, Wrap(p.Doc, indent, Columns))
	}
	return b.String()
}

// syntaxes explains the query syntax.
const syntaxes = `
A query is written as todo:NEXT,WAIT tags:work !tags:home. A space means and, OR
means or, ! means not; commas separate alternatives; parentheses group; quotes
hold phrases together; a word without a colon is text to find. Dates are
2026-01-31, today, fri, +2w, or days from today: deadline:from=today,to=7.
Relatives are asked a query in parentheses: parent:(todo:). Programs may write
JSON, ["and",["todo","NEXT"],["tags","work"]], or a sexp of org-ql,
(and (todo "NEXT") (tags "work")).`
