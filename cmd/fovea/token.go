// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/config"
)

func tokenCommand(s *session) *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "Make, list and take away tokens for programs that ask over HTTP",
		Long: `A token lets a program in that asks a daemon over HTTP, and says as which agent.
Verbs of your own need none: they come in by a socket that only you can reach.`,
		Example: `  fovea token add claude
  fovea token list
  fovea token remove claude`,
		Args: args(0, 0, "a verb: add, list or remove"),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(addTokenCommand(s), listTokensCommand(s), removeTokenCommand(s))
	return c
}

func addTokenCommand(s *session) *cobra.Command {
	var role string
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token and print it, once",
		Long: `Add makes a token for an agent of that name (--agent gives it another one) and
prints it. It is kept nowhere but where you put it: the file tokens.json beside
the configuration has only its hash. What the agent may do beyond what every
agent may stands in the configuration, under grants.`,
		Example: `  fovea token add claude
  fovea token add dashboard --role reader`,
		Args: args(1, 1, "a name"),
		RunE: func(_ *cobra.Command, a []string) error {
			if !slices.Contains([]api.Role{api.Owner, api.Agent, api.Reader}, api.Role(role)) {
				return misuse{fmt.Errorf("--role is owner, agent or reader, not %q", role)}
			}
			agent := orElse(s.flags.Agent, a[0])
			if api.Role(role) == api.Owner {
				agent = s.flags.Agent
			}
			tokens, err := config.ReadTokens(nil)
			if err != nil {
				return err
			}
			secret, err := tokens.Add(a[0], agent, role, time.Now())
			if errors.Is(err, config.ErrTokenName) {
				return misuse{err}
			}
			if err != nil {
				return err
			}
			if s.json {
				return s.print(map[string]string{"name": a[0], "agent": agent, "role": role, "token": secret})
			}
			fmt.Fprintln(&s.out, secret)
			s.say("it is not shown again; requests carry it as Authorization: Bearer TOKEN")
			return nil
		},
	}
	c.Flags().StringVar(&role, "role", string(api.Agent), "owner, agent or reader")
	return c
}

func listTokensCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the tokens",
		Example: "  fovea token list",
		Args:    args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			tokens, err := config.ReadTokens(nil)
			if err != nil {
				return err
			}
			if s.json {
				return s.print(append([]config.Token{}, tokens.All...))
			}
			for _, t := range tokens.All {
				fmt.Fprintf(&s.out, "%s  %s  %s  %s\n", t.Made.Format(time.DateOnly), t.Role, plain(t.Name), plain(t.Agent))
			}
			return nil
		},
	}
}

func removeTokenCommand(*session) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Take a token away; a daemon refuses it from then on",
		Example: "  fovea token remove claude",
		Args:    args(1, 1, "the name of a token"),
		RunE: func(_ *cobra.Command, a []string) error {
			tokens, err := config.ReadTokens(nil)
			if err != nil {
				return err
			}
			return tokens.Remove(a[0])
		},
	}
}
