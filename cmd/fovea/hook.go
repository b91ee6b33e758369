// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/clients"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
)

// hookTime is how long a hook may take: a person waits for it with each prompt.
const hookTime = 100 * time.Millisecond

func hookCommand(s *session) *cobra.Command {
	var how struct {
		Keep  bool `flag:"--keep keep what the model answered last, without secrets, as a block of the session"`
		Check bool `flag:"--check wait for the memory, and report errors"`
	}
	c := &cobra.Command{
		Use:   "hook",
		Short: "Answer a hook of a coding agent, from standard input",
		Long: `Coding agents call this when a session starts and when you have asked something,
see fovea setup CLIENT --hooks. It answers with what the memory holds, as
remembered data, within 100 ms or not at all, opens no memory itself, and always
exits with 0. --check prints why there is no answer.`,
		Example: `  fovea setup claude-code --hooks
  fovea hook --check <input.json`,
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			s.flags.Here, s.Quiet = "", !how.Check
			if how.Check {
				return answerHook(c.Context(), s, how.Keep, true)
			}
			signal.Ignore(syscall.SIGPIPE) // so that the exit code is 0 even if the client closed its end
			defer func() { _ = recover() }()
			_ = answerHook(c.Context(), s, how.Keep, false)
			return nil
		},
	}
	cli.AddFlags(c.Flags(), &how)
	return c
}

// neverFails reports whether a command always exits with 0: clients take any other exit code of a
// hook, above all 2, as an order to stop what the person asked for.
func neverFails(c *cobra.Command) bool {
	if c == nil || c.Name() != "hook" || !c.HasParent() || c.Parent().HasParent() {
		return false
	}
	check, err := c.Flags().GetBool("check")
	return err == nil && !check
}

// errNoDaemon explains why a hook has no answer.
var errNoDaemon = errors.New("no daemon serves this memex yet; one is being started, and the next hook asks it")

// answerHook answers one hook.
func answerHook(ctx context.Context, s *session, keep, wait bool) error {
	limit := hookTime
	if wait {
		limit = lockWait
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	text, err := cli.ReadUpTo(ctx, "-", clients.MaxHook)
	if err != nil {
		return err
	}
	in, err := clients.ReadHook(text)
	if err != nil {
		return err
	}
	if in.Event == "" {
		s.Report("Fovea does not answer hooks of the event %q", in.Name)
		return nil
	}
	if s.config, err = config.Load(s.flags, ""); err != nil {
		return err
	}
	client, err := daemon.Connect(ctx, &s.config, s.clientOptions())
	if errors.Is(err, daemon.ErrNone) {
		return errors.Join(errNoDaemon, wake(s))
	}
	if err != nil {
		return err
	}
	defer client.Close()
	out, err := clients.AnswerHook(ctx, client.Service, cmp.Or(s.config.Agent, in.Client), in, keep)
	if err != nil {
		return err
	}
	if len(out) == 0 {
		s.Report("nothing to answer: no note or message is new to this session, or the client takes none here")
	}
	_, err = s.Out.Write(out)
	return err
}

// wake starts a daemon and does not wait for it.
func wake(s *session) error {
	command, err := os.Executable()
	if err != nil {
		return err
	}
	return exec.Command(command, "serve", "--detach", "--quiet", "--idle", implicitIdle.String(), "--memex", s.config.Memex).Start()
}
