// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// args checks the number of arguments. Its error names the ones expected.
func args(least, most int, want string) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if len(a) < least || most >= 0 && len(a) > most {
			return misuse{fmt.Errorf("%s wants %s (see %s --help)", c.Name(), want, c.CommandPath())}
		}
		return nil
	}
}

// Arguments that several verbs share.
var (
	noArguments = args(0, 0, "no arguments")
	oneNode     = args(1, 1, "one node: an id, FILE:LINE, FILE:+BYTE, a path or a title")
)

// group makes c the parent of other verbs. Without one of them it prints its help.
func group(c *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	var names []string
	for _, v := range verbs {
		names = append(names, v.Name())
	}
	c.Args = args(0, 0, "a verb: "+strings.Join(names, ", "))
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(verbs...)
	return c
}

// otherNames maps words of other programs to Fovea's verbs.
var otherNames = map[string]string{
	"add": "remember", "cat": "show", "check": "verify", "daemon": "serve", "delete": "forget", "doctor": "status", "find": "search",
	"fsck": "verify", "get": "show", "grep": "search", "history": "log", "info": "status", "init": "ingest", "list": "query", "ls": "query",
	"move": "refile", "mv": "refile", "new": "remember", "note": "remember", "read": "show", "recall": "search", "remove": "forget",
	"rm": "forget", "start": "serve", "stop": "serve --stop", "sync": "ingest", "undo": "rollback",
}

// suggestion returns a hint at the verb closest to a mistyped one.
func suggestion(c *cobra.Command, word string) string {
	c.SuggestionsMinimumDistance = 2
	verb := otherNames[word]
	if near := c.SuggestionsFor(word); verb == "" && len(near) > 0 {
		verb = near[0]
	}
	if verb == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", verb)
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
	return misuse{fmt.Errorf("%w (see %s --help)", err, c.CommandPath())}
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

// oneOf sets the fixed values that a shell offers for a flag of c.
func oneOf(c *cobra.Command, flag string, values ...string) {
	complete(c, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// complete sets the completions that a shell offers for a flag of c.
func complete(c *cobra.Command, flag string, with cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, with); err != nil {
		panic(err) // programming error: no such flag, or completed twice
	}
}
