// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// textUsage says how the value of a flag that takes text is written.
const textUsage = "(@FILE: of a file, -: standard input, @@: begins with @)"

// givenText is the text that the value of a flag means: itself, what a file holds whose
// name stands behind @, or standard input for -. Two @ stand for one.
func (s *session) givenText(value string) (string, error) {
	switch {
	case value == "-", value == "@-":
		return readFile("-")
	case strings.HasPrefix(value, "@@"):
		return value[1:], nil
	case strings.HasPrefix(value, "@"):
		return readFile(value[1:])
	}
	if info, err := os.Stat(value); err == nil && info.Mode().IsRegular() {
		s.say("%q is taken as the text; @%s is what that file holds", value, value)
	}
	return value, nil
}

// textFlag adds a flag that takes text. The function it returns gives the text, nil
// where the flag was not given: an empty text is one.
func (s *session) textFlag(f *pflag.FlagSet, name, usage string) func() (*string, error) {
	value := f.String(name, "", usage+" "+textUsage)
	return func() (*string, error) {
		if !f.Changed(name) {
			return nil, nil
		}
		text, err := s.givenText(*value)
		return &text, err
	}
}

// readFile reads a file named on the command line, - for standard input.
func readFile(name string) (string, error) {
	var b []byte
	var err error
	if name == "-" {
		b, err = io.ReadAll(os.Stdin)
	} else {
		b, err = os.ReadFile(name)
	}
	if err != nil {
		return "", misuse{fmt.Errorf("%w; name a file, or - for standard input", err)}
	}
	return string(b), nil
}
