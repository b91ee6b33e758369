// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/face"
)

func tokenCommand(s *session) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "token",
		Short: "Create, list and remove tokens for programs that use HTTP",
		Long: `A token lets a program use a daemon over HTTP, as a certain agent. Your own
verbs need none: they use a socket that only you can reach.`,
	}, addTokenCommand(s), listTokensCommand(s), removeTokenCommand())
}

func addTokenCommand(s *session) *cobra.Command {
	made := struct {
		Role   string   `flag:"--role <ROLE>: owner, agent or reader"`
		Scopes []string `flag:"--scope <SCOPE> that it may use: project/NAME, session/ID, project/* or session/* (may be repeated; default: any)"`
		Paths  []string `flag:"--path additional <FILE> or folder/ that it may write (may be repeated)"`
	}{Role: string(api.Agent)}
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Create a token and print it once",
		Long: `Add creates a token for an agent of that name (--agent gives another one) and
prints it. It is stored nowhere else: tokens.json, beside the configuration, has
only its hash.`,
		Example: `  fovea token add claude
  fovea token add dashboard --role reader
  fovea token add ferry --scope project/river --path projects/river/`,
		Args: cli.Args(1, 1, "a name"),
		RunE: func(_ *cobra.Command, a []string) error {
			role := api.Role(made.Role)
			if !slices.Contains([]api.Role{api.Owner, api.Agent, api.Reader}, role) {
				return cli.Misusef("--role is owner, agent or reader, not %q", role)
			}
			if err := checkScopes(role, made.Scopes); err != nil {
				return cli.Misuse{Err: err}
			}
			agent := cmp.Or(s.flags.Agent, a[0])
			if role == api.Owner {
				agent = s.flags.Agent
			}
			tokens, err := config.ReadTokens()
			if err != nil {
				return err
			}
			secret, err := tokens.Add(config.Token{Name: a[0], Agent: agent, Role: made.Role, Scopes: made.Scopes, Paths: made.Paths, Made: time.Now()})
			if errors.Is(err, config.ErrTokenName) || errors.Is(err, config.ErrTokenMade) || errors.Is(err, author.ErrName) || errors.Is(err, author.ErrReserved) {
				return cli.Misuse{Err: err}
			}
			if err != nil {
				return err
			}
			return s.Answer(map[string]string{"name": a[0], "agent": agent, "role": made.Role, "token": secret}, func() {
				fmt.Fprintln(s.Out, secret)
				s.Report("it is not shown again; send it with each request as Authorization: Bearer TOKEN")
			})
		},
	}
	cli.AddFlags(c.Flags(), &made)
	cli.OneOf(c, "role", string(api.Owner), string(api.Agent), string(api.Reader))
	return c
}

// checkScopes refuses malformed scopes, and any scope for an owner.
func checkScopes(role api.Role, scopes []string) error {
	if role == api.Owner && len(scopes) > 0 {
		return errors.New("--scope does not apply to an owner, who has access to everything")
	}
	for _, scope := range scopes {
		kind, name, _ := strings.Cut(scope, "/")
		if kind != "project" && kind != "session" || name == "" {
			return fmt.Errorf("--scope is project/NAME or session/ID, not %q", scope)
		}
	}
	return nil
}

func listTokensCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tokens",
		Example: "  fovea token list",
		Args:    cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			tokens, err := config.ReadTokens()
			if err != nil {
				return err
			}
			return s.Answer(append([]config.Token{}, tokens.All...), func() {
				for _, t := range tokens.All {
					s.Out.Row(face.Text(t.Made.Format(time.DateOnly)), face.Text(t.Role), face.Text(t.Name), face.Text(t.Agent))
				}
				if len(tokens.All) == 0 {
					s.Report("no tokens; fovea token add NAME makes one")
				}
			})
		},
	}
}

func removeTokenCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a token; daemons refuse it from then on",
		Example: "  fovea token remove claude",
		Args:    cli.Args(1, 1, "the name of a token"),
		RunE: func(_ *cobra.Command, a []string) error {
			tokens, err := config.ReadTokens()
			if err != nil {
				return err
			}
			return tokens.Remove(a[0])
		},
	}
}
