// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/working"
)

func blockCommand(s *Session) *cobra.Command {
	c := &cobra.Command{
		Use:   "block",
		Short: "Keep the working memory of an agent",
		Long: `Working memory is what an agent has at hand: blocks of eight types, such as the
task that it works on, the files that it reads, what it did last. Each agent has
its own, in each session; fovea context --agent NAME chooses among its blocks
and all notes.`,
		Example: `  fovea block add task TASK-42 "Implement the login" --agent ada
  fovea block add file src/login.go:10-40 --agent ada --priority high
  fovea context --agent ada --budget 4000 --policy shares`,
	}
	return Group(c, blockAddCommand(s), verb(s, &cobra.Command{
		Use: "list", Example: "  fovea block list --agent ada",
	}, api.OpBlocks, nil, printList(s, "no blocks; add one with fovea block add TYPE ...", func(b *working.Block) {
		s.Out.Row(Column(string(b.Priority), 8), Column(strconv.FormatFloat(*b.Confidence, 'g', 3, 64), 5),
			Column(b.ID, 30), Text(b.Title()))
	})), blockScoreCommand(s),
		verb(s, &cobra.Command{
			Use: "remove ID...", Short: "Take blocks out of working memory; history keeps them", Example: "  fovea block remove task:TASK-42 --agent ada",
			Args: Args(1, -1, "ids of blocks; fovea block list shows them"),
		}, api.OpBlockRemove, nil, func(c *api.BlockChange) { s.Out.Printf("removed; commit %d\n", c.Seq) }))
}

func blockScoreCommand(s *Session) *cobra.Command {
	var priority string
	c := verb(s, &cobra.Command{
		Use: "score ID [CONFIDENCE]", Short: "Set the confidence of a block, from 0 to 1, or its priority",
		Example: "  fovea block score src/login.go:10-40 0.5 --agent ada", Args: Args(1, 2, "the id of a block, and a confidence from 0 to 1"),
	}, api.OpBlockScore, func(req *api.BlockScoreRequest, a []string) error {
		req.ID, req.Priority = a[0], working.Priority(priority)
		if len(a) < 2 {
			return nil
		}
		confidence, err := strconv.ParseFloat(a[1], 64)
		if err == nil {
			err = checkConfidence(confidence)
		}
		if err != nil {
			return Misusef("the confidence %q is no number from 0 to 1", a[1])
		}
		req.Confidence = &confidence
		return nil
	}, func(c *api.BlockChange) { s.Out.Printf("set; commit %d\n", c.Seq) })
	c.Flags().StringVar(&priority, "priority", "", "`PRIORITY`: critical, high, medium or low")
	return c
}

// blockFlags are what a block has besides its type and what it is about.
type blockFlags struct {
	block      working.Block
	Priority   string        `flag:"--priority <PRIORITY>: critical, high, medium or low, or 1 to 4; the default depends on the type"`
	Confidence float64       `flag:"--confidence <SHARE>, 0 to 1"`
	Expires    time.Duration `flag:"--expires leave working memory after this <TIME>, such as 90m"`
}

func blockAddCommand(s *Session) *cobra.Command {
	f := blockFlags{Confidence: 1}
	var c *cobra.Command
	c = verb(s, &cobra.Command{
		Use: "add TYPE WHAT...", Short: "Add a block, or replace the one with its id",
		Long: `Add takes the type of the block and what it is about:

  file PATH[:FIRST-LAST]   a file, or some of its lines, counted from 1; without
                           LAST those to its end
  rom PATH                 what the agent is; critical unless said otherwise
  knowledge PATH           an entry of a knowledge base
  task ID [DESCRIPTION]    what the agent is to do
  status KIND [VALUE]      how something stands
  history ACTION [DETAIL]  what the agent did
  context SUMMARY          a summary of a project or a conversation
  -                        blocks as JSON, one or a list, from standard input

That a file can be read is checked now; it is read for each window.`,
		Example: `  fovea block add file src/login.go:10-40 --agent ada --priority high
  fovea block add history make test --result "2 failed" --agent ada
  fovea block add - --agent ada <blocks.json`,
		Args: Args(1, -1, "the type of a block, such as file or task, and what it is about"),
	}, api.OpBlockAdd, func(req *api.BlockAddRequest, a []string) error {
		if a[0] == "-" {
			text, err := ReadFile(c.Context(), "-")
			if err == nil {
				req.Blocks, err = working.Decode([]byte(text))
			}
			return err
		}
		b, err := f.of(a[0], a[1:], time.Now())
		req.Blocks = []working.Block{b}
		return err
	}, func(r *api.BlockAddResponse) {
		for _, b := range r.Blocks {
			if b.Error != "" {
				s.Report("%s", b.Error)
			} else {
				s.Out.Printf("%s\n", b.ID)
			}
		}
	})
	flags := c.Flags()
	AddFlags(flags, &f)
	flags.StringVar(&f.block.ID, "id", "", "`ID` of the block; by default it follows from what it is about")
	flags.StringVar(&f.block.Result, "result", "", "`TEXT` that came of an action, of history")
	flags.StringVar(&f.block.Status, "status", "", "`WORD`, of a task: pending (default), in_progress, done")
	flags.StringVar(&f.block.Project, "task-project", "", "`NAME` of the project of a task")
	flags.StringVar(&f.block.Topic, "topic", "", "`TEXT`, of knowledge")
	return c
}

// checkConfidence refuses what is not between 0 and 1, such as NaN, which no JSON can say.
func checkConfidence(x float64) error {
	if x >= 0 && x <= 1 {
		return nil
	}
	return Misusef("the confidence %v is not between 0 and 1", x)
}

// of returns the block that the arguments describe.
func (f *blockFlags) of(kind string, what []string, now time.Time) (working.Block, error) {
	b := f.block
	b.Type, b.Priority, b.Confidence = working.Type(kind), working.Priority(f.Priority), &f.Confidence
	if f.Expires != 0 {
		b.Expiry = now.Add(f.Expires)
	}
	if b.Type == working.Message {
		return b, Misusef("a message is sent by another agent; add one as JSON, with fovea block add -")
	}
	return b.About(what...), checkConfidence(f.Confidence)
}
