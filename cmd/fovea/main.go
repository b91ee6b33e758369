// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/query"
)

func main() { os.Exit(run()) }

// run is main for tests: it returns the exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := newSession()
	root := command(s)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	if args := os.Args[1:]; slices.Contains(args, "--version") && slices.Contains(args, "--json") { // cobra would print text
		root.SetArgs([]string{"version", "--json"})
	}
	ran, err := root.ExecuteContextC(ctx)
	if err = judged(ctx, s, ran, err); err == nil {
		closed(s)
	} else {
		_ = s.close() // the first error is the one that counts
	}
	err = cmp.Or(err, s.Shown.Turn(&s.Console), s.Out.Close())
	if err != nil {
		s.Shown.Dress(&s.Console, s.config.Color)
		complain(&s.Console, err)
	}
	if err == nil || neverFails(ran) {
		return 0
	}
	return exitCode(err)
}

// The exit codes; doc/command-line.md has the table.
const (
	exitFailed   = 1
	exitMisuse   = 2
	exitConflict = 3
	exitCorrupt  = 4
)

// kindOf returns the kind of a verb's error, which determines the exit code and the JSON. A foreign object in place of
// one of Fovea's files is damage, unless the error has another kind.
func kindOf(err error) fovea.Kind {
	switch kind := fovea.KindOf(err); {
	case errors.Is(err, vfs.ErrNotRegular), errors.Is(err, vfs.ErrNotFolder) && kind == fovea.Other:
		return fovea.Corrupt
	case errors.As(err, new(cli.Misuse)):
		return fovea.Invalid
	default:
		return kind
	}
}

func exitCode(err error) int {
	switch kindOf(err) {
	case fovea.Invalid, fovea.Ambiguous:
		return exitMisuse
	case fovea.Conflict, fovea.Held, fovea.Busy:
		return exitConflict
	case fovea.Corrupt, fovea.ReadOnly, fovea.Locked:
		return exitCorrupt
	}
	return exitFailed
}

// command builds the command tree.
func command(s *session) *cobra.Command {
	root := &cobra.Command{
		Use:   "fovea",
		Short: "A memory for AI agents that a person can read",
		Long: `Fovea holds a folder of plain Org files (a memex) as one live graph, keeps
every version, and gives a language model the best context for a token budget.

Every verb first reads what changed in the folder. Standard output has only the
answer, standard error everything else. Exit codes:

  0  done
  1  failed, or not found
  2  misuse: an invalid flag, name or value
  3  conflict: something else changed it or holds it; check, and try again
  4  damaged, read-only or locked down; see fovea verify and fovea guard`,
		Example: `  fovea context --focus "Move the gauge firmware off LoRa" --budget 2000
  fovea query 'todo:TODO tags:project'
  fovea rollback 0`,
		Args: cobra.ArbitraryArgs, // an unknown verb arrives here
		RunE: func(c *cobra.Command, a []string) error {
			if len(a) == 0 {
				return c.Help()
			}
			return cli.Misusef("no verb %q%s (see fovea --help)", a[0], cli.Suggestion(c, a[0]))
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := author.Check(s.flags.Agent); s.flags.Agent != "" && err != nil {
				return cli.Misusef("--agent: %w", err)
			}
			if err := config.CheckColor(s.Shown.Color); s.Shown.Color != "" && err != nil {
				return cli.Misusef("--color: %w, not %q", err, s.Shown.Color)
			}
			return nil
		},
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       thisBuild().text(),
	}
	f := root.PersistentFlags()
	cli.AddFlags(f, &s.flags)
	cli.AddFlags(f, &s.Console)
	cli.AddFlags(f, &s.Shown)
	cli.AddFlags(f, &s.opening)
	f.Func("claim", "write under the claim `TASK:NUMBER`, and fail once it is no longer in force", func(text string) (err error) {
		s.verbs.Claim, err = author.ParseClaim(text)
		return err
	})
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", face.Columns)))
	root.SetFlagErrorFunc(badFlag)
	cli.Complete(root, "memex", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	cli.OneOf(root, "color", config.Auto, config.Always, config.Never)
	root.SetVersionTemplate("{{.Version}}")
	addVerbs(root, s)
	return root
}

// addVerbs adds every verb to the root, grouped as in the table of operations.
func addVerbs(root *cobra.Command, s *session) {
	cobra.EnableCommandSorting = false
	add := func(id string, verbs ...*cobra.Command) {
		for _, c := range verbs {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
	root.AddGroup(&cobra.Group{ID: "read", Title: "Find and read:"}, &cobra.Group{ID: "write", Title: "Write:"},
		&cobra.Group{ID: "history", Title: "History and undo:"}, &cobra.Group{ID: "agents", Title: "Serve agents:"}, &cobra.Group{ID: "care", Title: "Care:"})
	add("agents", setupCommand(s), mcpCommand(s), hookCommand(s), serveCommand(s), tokenCommand(s))
	for _, c := range cli.Commands(&s.verbs) {
		root.AddCommand(c)
		switch c.Name() {
		case "bundle":
			c.AddCommand(bundleVerifyCommand(s), bundleKeyCommand(s))
		case "remote":
			c.AddCommand(remoteServeCommand())
		case "import":
			c.GroupID = "write"
			c.AddCommand(importGraphCommand(s))
		case "guard":
			c.AddCommand(guardAdoptKeyCommand(s))
		case "status":
			completeStatus(s, c)
		}
	}
	add("history", cloneCommand(s), mergeFileCommand(s))
	add("care", adoptCommand(s), storeCommand(s), versionCommand(s))
	for _, c := range root.Commands() {
		if c.Example == "" { // a parent gets the first example of each verb
			for _, below := range c.Commands() {
				first, _, _ := strings.Cut(below.Example, "\n")
				c.Example = strings.TrimPrefix(c.Example+"\n"+first, "\n")
			}
		}
	}
	root.SetHelpCommandGroupID("care")
	root.SetCompletionCommandGroupID("care")
}

// complain prints an error: as text, or as JSON.
func complain(out *cli.Console, err error) {
	out.Clear()
	if !out.JSON {
		out.ReportError(err)
		if wrong, ok := errors.AsType[*query.SyntaxError](err); ok && wrong.Excerpt() != "" {
			fmt.Fprintln(out.Err, wrong.Excerpt())
		}
		if e, ok := bothSides(err); ok {
			fmt.Fprintf(out.Err, "--- as it is now\n%s\n--- as you would have it\n%s\n",
				strings.TrimRight(e.Theirs, "\n"), strings.TrimRight(e.Mine, "\n"))
		}
		return
	}
	fields := map[string]string{"error": err.Error(), "kind": kindOf(err).String()}
	if e, ok := bothSides(err); ok {
		fields["mine"], fields["theirs"] = e.Mine, e.Theirs
	}
	_ = out.Err.JSON(fields)
}

// bothSides returns err as a conflict that holds both versions.
func bothSides(err error) (*fovea.Error, bool) {
	e, ok := errors.AsType[*fovea.Error](err)
	return e, ok && e.Kind == fovea.Conflict && e.Theirs != ""
}

// valueKinds describes the types of flag values in plain words.
var valueKinds = map[string]string{
	"int": "a whole number", "intSlice": "whole numbers", "float64": "a number", "duration": "a time such as 90s or 1h", "bool": "true or false",
}

// badFlag rewrites pflag's error in plain words.
func badFlag(c *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := wrong.GetFlag()
		if want := valueKinds[flag.Value.Type()]; want != "" {
			err = fmt.Errorf("--%s wants %s, not %q", flag.Name, want, wrong.GetValue())
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if near := nearFlag(c, unknown.GetSpecifiedName()); near != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	}
	return cli.Misusef("%w (see %s --help)", err, c.CommandPath())
}

// nearFlag returns the flag of c closest to a mistyped one, "" if none is close.
func nearFlag(c *cobra.Command, word string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Hidden: f.Hidden, Run: func(*cobra.Command, []string) {}})
	})
	if near := names.SuggestionsFor(word); len(near) > 0 {
		return near[0]
	}
	return ""
}
