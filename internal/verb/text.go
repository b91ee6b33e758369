// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// textUsage explains the value of a flag that takes text.
const textUsage = "(@FILE: of a file, -: standard input, @@: begins with @)"

// givenText returns the text that a flag's value means: the value itself, for @NAME the
// content of a file, for - standard input. A leading @@ stands for one @.
func givenText(ctx context.Context, s *Session, value string) (string, error) {
	switch {
	case value == "-", value == "@-":
		return ReadUpTo(ctx, "-", maxText)
	case strings.HasPrefix(value, "@@"):
		return value[1:], nil
	case strings.HasPrefix(value, "@"):
		return ReadUpTo(ctx, value[1:], maxText)
	}
	if info, err := os.Stat(value); err == nil && info.Mode().IsRegular() {
		s.Report("%q is used as the text; @%s means the content of that file", value, value)
	}
	return value, nil
}

// textFlag adds a flag that takes text. The returned function gives nil if the flag is
// absent, since an empty text is a value.
func textFlag(s *Session, c *cobra.Command, name, usage string) func() (*string, error) {
	f := c.Flags()
	value := f.String(name, "", usage+" "+textUsage)
	return func() (*string, error) {
		if !f.Changed(name) {
			return nil, nil
		}
		text, err := givenText(c.Context(), s, *value)
		return &text, err
	}
}

// maxText is the maximum size of a text in bytes, as of a flag.
const maxText = 64 << 20

// ReadFile reads a file named on the command line, - for standard input. It also returns
// when ctx ends, since input from a person or a pipe may never end.
func ReadFile(ctx context.Context, name string) (string, error) {
	return ReadUpTo(ctx, name, math.MaxInt64-1)
}

// ReadUpTo is ReadFile for a file of at most so many bytes; a larger one is refused when these
// are read.
func ReadUpTo(ctx context.Context, name string, most int64) (string, error) {
	var b []byte
	var err error
	stdin, read := os.Stdin, make(chan struct{})
	go func() {
		defer close(read)
		from := stdin
		if name != "-" {
			if from, err = os.Open(name); err != nil {
				return
			}
			defer from.Close()
		}
		b, err = io.ReadAll(io.LimitReader(from, most+1))
	}()
	select {
	case <-read:
	case <-ctx.Done():
		return "", fmt.Errorf("read %s: %w", name, ctx.Err())
	}
	switch {
	case err != nil:
		return "", Misuse{fmt.Errorf("%w; name a file, or - for standard input", err)}
	case int64(len(b)) > most:
		return "", Misuse{fmt.Errorf("read %s: it has more than %d bytes", name, most)}
	}
	return string(b), nil
}
