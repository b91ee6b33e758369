// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/hive"
)

// hook adds to the verbs of a request what their rows cannot define: other flags, and completions. add
// returns a function that finishes the request after arguments and flags have filled it, or nil.
type hook struct {
	request reflect.Type
	add     func(s *Session, c *cobra.Command, req any) (finish func(a []string) error)
}

func hooked[Q any](add func(s *Session, c *cobra.Command, req *Q) func(a []string) error) hook {
	return hook{reflect.TypeFor[Q](), func(s *Session, c *cobra.Command, req any) func([]string) error { return add(s, c, req.(*Q)) }}
}

// finished returns a hook that only finishes the request.
func finished[Q any](finish func(s *Session, c *cobra.Command, req *Q, a []string) error) hook {
	return hooked(func(s *Session, c *cobra.Command, req *Q) func([]string) error {
		return func(a []string) error { return finish(s, c, req, a) }
	})
}

var hooks = []hook{
	hooked(contextHook), hooked(queryHook), hooked(searchHook), hooked(assignHook), hooked(ingestHook), hooked(logHook), hooked(diffHook),
	hooked(revertHook), hooked(resolveHook), finished(restoreHook), finished(mergeHook), hooked(remoteAddHook), hooked(blockAddHook),
	hooked(blockScoreHook), hooked(messageReadHook), hooked(reviewHook), hooked(verifyHook), hooked(proveHook), finished(rollbackHook),
	finished(purgeHook),
	finished(func(_ *Session, c *cobra.Command, req *ops.ImportRequest, _ []string) error {
		req.Kind = c.Name()
		return nil
	}),
	finished(func(_ *Session, c *cobra.Command, req *api.DriftRequest, _ []string) error {
		if req.Action = c.Name(); !c.Parent().HasParent() {
			req.Action = "list"
		}
		return nil
	}),
	claimed(func(req *ops.RenewRequest) (*string, *uint64) { return &req.Task, &req.Number }),
	claimed(func(req *ops.ClaimEndRequest) (*string, *uint64) { return &req.Task, &req.Number }),
	hooked(func(_ *Session, c *cobra.Command, req *api.GuardDiffRequest) func([]string) error {
		brief := c.Flags().Bool("brief", false, "leave out the changed lines")
		return func([]string) error {
			req.Text = !*brief
			return nil
		}
	}),
	hooked(func(_ *Session, c *cobra.Command, _ *ops.TasksRequest) func([]string) error {
		OneOf(c, "status", hive.Pending, hive.InProgress, hive.Done)
		return nil
	}),
}

func assignHook(_ *Session, c *cobra.Command, req *api.AssignRequest) func([]string) error {
	if c.Name() == "list" {
		c.ResetFlags()
		return func(a []string) error {
			*req = api.AssignRequest{List: true, Path: strings.Join(a, "")}
			return nil
		}
	}
	return func(a []string) error {
		if len(a) == 0 && !req.All && !req.List {
			return Misusef("id assign wants nodes, or --all (see fovea id assign --help)")
		}
		return nil
	}
}

func rollbackHook(_ *Session, _ *cobra.Command, req *api.RollbackRequest, _ []string) error {
	if req.To == "" {
		return Misusef(`rollback wants a moment: "fovea rollback 0" undoes the last change; ` +
			`"fovea snapshot list" and "fovea log" name others, and --dry-run shows what would change`)
	}
	return nil
}

func reviewHook(s *Session, c *cobra.Command, req *ops.ReviewDecision) func([]string) error {
	if c.Name() != "reject" {
		return nil
	}
	reason := c.Flags().String("reason", "", "`TEXT` that the agent gets as a message "+textUsage)
	return func([]string) (err error) {
		req.Reason, err = givenText(c.Context(), s, *reason)
		return err
	}
}

func purgeHook(_ *Session, _ *cobra.Command, req *api.PurgeRequest, a []string) error {
	req.Text = strings.TrimRight(req.Text, "\r\n") // of a file or pipe, it ends in a newline
	if len(a) == 0 && req.Text == "" {
		return Misusef("purge wants ids of nodes, or --text (see fovea purge --help)")
	}
	return nil
}

func contextHook(_ *Session, c *cobra.Command, req *api.ContextRequest) func([]string) error {
	OneOf(c, "policy", "value", "shares", "foveal")
	OneOf(c, "format", "org", "markdown", "json")
	OneOf(c, "layout", "tree", "sticky")
	OneOf(c, "counter", "o200k", "estimate")
	return func(a []string) error {
		if len(a) > 0 && req.Question != "" {
			return Misusef("the words %q are a question already; leave out --question", strings.Join(a, " "))
		}
		req.Question = cmp.Or(req.Question, strings.Join(a, " "))
		if c.Flags().Changed("budget") && req.Budget < 1 {
			return Misusef("--budget is 1 or more tokens, not %d", req.Budget)
		}
		return nil
	}
}

func queryHook(s *Session, c *cobra.Command, req *api.QueryRequest) func([]string) error {
	var only struct {
		Projects  bool `flag:"--active-projects only what is tagged project and not finished"`
		Completed bool `flag:"--completed only what is finished, the latest first"`
	}
	var format string
	formatFlag(c, &format)
	AddFlags(c.Flags(), &only)
	c.Args = func(c *cobra.Command, a []string) error {
		if only.Projects || only.Completed {
			return nil
		}
		return Args(1, -1, "a query, --active-projects or --completed")(c, a)
	}
	return func([]string) error {
		req.Content = format != ""
		switch {
		case only.Projects && only.Completed:
			return Misusef("query wants one of --active-projects and --completed")
		case only.Projects:
			req.Named = api.ActiveProjects
		case only.Completed:
			req.Named = api.Completed
		}
		return takeFormat(s, format)
	}
}

// matchCharacters is the maximum length of the line of a hit, more than a terminal shows.
const matchCharacters = 240

func searchHook(s *Session, c *cobra.Command, req *api.SearchRequest) func([]string) error {
	var format string
	formatFlag(c, &format)
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if err := run(c, a); err != nil || s.JSON || req.At != "" || req.Blocks {
			return err
		}
		offer := api.SuggestRequest{Text: req.Text}
		if found, err := Call(s, c, api.OpSuggest, offer); err == nil { // the answer is printed; an older daemon has no suggestions
			return s.show(face.Of(api.OpSuggest.Operation), offer, found)
		}
		return nil
	}
	return func([]string) error {
		if strings.TrimSpace(req.Text) == "" {
			return Misusef("search wants words to search for; fovea query lists notes without any")
		}
		if req.Content = format != ""; format == "" {
			req.Match = matchCharacters
		}
		return takeFormat(s, format)
	}
}

func ingestHook(s *Session, c *cobra.Command, req *api.IngestRequest) func([]string) error {
	var tree struct {
		File   string `flag:"--ast take in the AST in this <FILE>, - for standard input"`
		Parent string `flag:"--parent with --ast: the <NODE> to hang it below"`
	}
	AddFlags(c.Flags(), &tree)
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if tree.File == "" {
			return run(c, a)
		}
		text, err := ReadFile(c.Context(), tree.File)
		if err != nil {
			return err
		}
		taken := api.IngestTreeRequest{Parent: tree.Parent, AST: []byte(text)}
		answer, err := Call(s, c, api.OpIngestTree, taken)
		if err != nil {
			return err
		}
		return s.show(face.Of(api.OpIngestTree.Operation), taken, answer)
	}
	return func([]string) error {
		if tree.Parent != "" {
			return Misusef("--parent goes with --ast (see fovea ingest --help)")
		}
		req.Progress = s.Progress
		req.Committed = func(k api.Commit) {
			s.Clear()
			s.Out.Committed(k, s.JSON)
		}
		return nil
	}
}

func revertHook(_ *Session, c *cobra.Command, req *api.RevertRequest) func([]string) error {
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if f := c.Flag("session"); f != nil && f.Changed && len(a) > 0 { // its history has the commits
			c.SetContext(author.WithScopes(c.Context(), author.Scopes{Session: f.Value.String()}))
		}
		return run(c, a)
	}
	return func(a []string) error {
		if len(a) > 0 && req.Author == "" {
			req.Session = "" // it is in the context
		}
		return nil
	}
}

func resolveHook(_ *Session, c *cobra.Command, req *api.ResolveRequest) func([]string) error {
	drop := c.Flags().Bool("drop", false, "the same as --take ours")
	return func([]string) error {
		if *drop && req.Take != "" {
			return Misusef("--drop keeps the present version; leave out --take")
		}
		return nil
	}
}

func restoreHook(_ *Session, _ *cobra.Command, req *api.RestoreRequest, a []string) error {
	if len(a) == 1 && req.At == "" {
		req.Name = a[0]
	} else {
		req.Files = a
	}
	if len(a) == 0 && !req.Missing && req.CID == "" && req.From == "" {
		return Misusef(`restore wants the name of a checkpoint ("fovea snapshot list" shows them), files, or --missing; ` +
			`--dry-run shows what would change`)
	}
	return nil
}
