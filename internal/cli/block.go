// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/working"
)

func blockScoreHook(_ *Session, c *cobra.Command, req *api.BlockScoreRequest) func([]string) error {
	priority := c.Flags().String("priority", "", "`PRIORITY`: critical, high, medium or low")
	return func(a []string) error {
		req.ID, req.Priority = a[0], working.Priority(*priority)
		if len(a) < 2 {
			return nil
		}
		confidence, err := strconv.ParseFloat(a[1], 64)
		if err != nil || checkConfidence(confidence) != nil {
			return Misusef("the confidence %q is not a number from 0 to 1", a[1])
		}
		req.Confidence = &confidence
		return nil
	}
}

// blockFlags are the fields of a block other than its type and its subject.
type blockFlags struct {
	block      working.Block
	Priority   string        `flag:"--priority <PRIORITY>: critical, high, medium or low, or 1 to 4; the default depends on the type"`
	Confidence float64       `flag:"--confidence <SHARE>, 0 to 1"`
	Expires    time.Duration `flag:"--expires leave working memory after this <TIME>, such as 90m"`
}

func blockAddHook(_ *Session, c *cobra.Command, req *api.BlockAddRequest) func([]string) error {
	f := blockFlags{Confidence: 1}
	flags := c.Flags()
	AddFlags(flags, &f)
	flags.StringVar(&f.block.ID, "id", "", "`ID` of the block; by default it is derived from its subject")
	flags.StringVar(&f.block.Result, "result", "", "`TEXT` that came of an action, of history")
	flags.StringVar(&f.block.Status, "status", "", "`WORD`, of a task: pending (default), in_progress, done")
	flags.StringVar(&f.block.Project, "task-project", "", "`NAME` of the project of a task")
	flags.StringVar(&f.block.Topic, "topic", "", "`TEXT`, of knowledge")
	return func(a []string) error {
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
	}
}

// checkConfidence refuses a number that is not between 0 and 1, such as NaN, which JSON cannot represent.
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
