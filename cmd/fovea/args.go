// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fovea-memory/fovea/internal/verb"
)

// suggestion returns a hint at the verb closest to a mistyped one.
func suggestion(c *cobra.Command, word string) string {
	near := verb.OtherNames[word]
	for c.SuggestionsMinimumDistance = 1; near == "" && c.SuggestionsMinimumDistance <= 2; c.SuggestionsMinimumDistance++ {
		if all := c.SuggestionsFor(word); len(all) > 0 {
			near = all[0]
		}
	}
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", near)
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
