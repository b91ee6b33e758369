// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fovea-memory/fovea/internal/verb"
)

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
	return verb.Misuse{Err: fmt.Errorf("%w (see %s --help)", err, c.CommandPath())}
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
