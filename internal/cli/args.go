// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/face"
)

// Args checks the number of arguments, and that none is empty. Its error names the expected ones.
func Args(least, most int, want string) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if len(a) < least || most >= 0 && len(a) > most || slices.Contains(a, "") {
			return Misusef("%s wants %s (see %s --help)", called(c), want, c.CommandPath())
		}
		return nil
	}
}

// called returns a verb as a person types it, without the program.
func called(c *cobra.Command) string {
	_, words, _ := strings.Cut(c.CommandPath(), " ")
	return words
}

// NoArguments refuses arguments.
var NoArguments = Args(0, 0, "no arguments")

// otherNames maps words that people know from other programs to verbs.
var otherNames = map[string]string{
	"add": "remember", "ask": "context", "cat": "show", "check": "verify", "daemon": "serve", "delete": "forget", "doctor": "status", "find": "search",
	"fsck": "verify", "get": "show", "grep": "search", "history": "log", "info": "status", "init": "ingest", "list": "query", "ls": "query",
	"move": "refile", "mv": "refile", "new": "remember", "note": "remember", "question": "context", "read": "show", "recall": "search",
	"remove": "forget", "rm": "forget", "start": "serve", "stop": "serve --stop", "undo": "rollback",
	"import obsidian": "markdown", "import logseq": "markdown", "import vault": "markdown", "import md": "markdown", "import memory": "server-memory",
}

// Suggestion returns a hint at the verb below c closest to a mistyped one, "" if none is close.
func Suggestion(c *cobra.Command, word string) string {
	near := otherNames[strings.TrimSpace(called(c)+" "+word)]
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

// Group makes c the parent of other verbs. Without one of them it prints its help.
func Group(c *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	c.Args = func(c *cobra.Command, a []string) error {
		if len(a) == 0 {
			return nil
		}
		var names []string
		for _, v := range c.Commands() {
			names = append(names, v.Name())
		}
		return Misusef("%s has no verb %q%s; it has %s (see %s --help)", called(c), a[0], Suggestion(c, a[0]), strings.Join(names, ", "), c.CommandPath())
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(verbs...)
	return c
}

// OneOf sets the fixed values that a shell offers for a flag of c.
func OneOf(c *cobra.Command, flag string, values ...string) {
	Complete(c, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Complete sets the completions that a shell offers for a flag of c.
func Complete(c *cobra.Command, flag string, with cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, with); err != nil {
		panic(err) // programming error: no such flag, or completed twice
	}
}

// textUsage explains the value of a flag that takes text.
const textUsage = "(@FILE: of a file, -: standard input, @@: begins with @)"

// givenText returns the text that a flag's value means: the value itself, for @NAME the
// content of a file, for - standard input. A leading @@ means one @.
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

// maxText is the maximum size of a flag's text in bytes.
const maxText = 64 << 20

// ReadFile reads a file named on the command line, - for standard input. It also returns
// when ctx ends, since input from a person or a pipe may never end.
func ReadFile(ctx context.Context, name string) (string, error) {
	return ReadUpTo(ctx, name, math.MaxInt64-1)
}

// ReadUpTo is ReadFile for a file of at most most bytes. It refuses a larger one after reading these.
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
		return "", Misusef("%w; name a file, or - for standard input", err)
	case int64(len(b)) > most:
		return "", Misusef("read %s: it has more than %d bytes", name, most)
	}
	return string(b), nil
}

// The limits of a completion: notes that are compared, and names that are offered.
const maxCompared, maxOffered = 1000, 100

// hasNames matches the words for notes and proposals in the usage of a verb.
var hasNames = regexp.MustCompile(`\b(NODE|TASK|PROPOSAL)\b`)

// complete offers a shell the names of notes, or of proposals, that begin with the typed text, each with a
// description. It offers nothing if there is no memory yet or it cannot be read.
func (s *Session) complete(c *cobra.Command, _ []string, typed string) (out []string, files cobra.ShellCompDirective) {
	if s.Quiet = true; !s.Begun() {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	offer := func(name, of string) {
		line := face.OneLine(face.Visible(name)) + "\t" + face.OneLine(face.Visible(of))
		if name != "" && strings.HasPrefix(line, name+"\t") && strings.HasPrefix(name, typed) && len(out) < maxOffered && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	if strings.Contains(c.Use, "PROPOSAL") {
		all, _ := Call(s, c, ops.OpReview, ops.ReviewRequest{})
		for i := range all {
			offer(all[i].ID, all[i].Agent+": "+all[i].Title)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	begins := regexp.QuoteMeta(typed)
	q, _ := json.Marshal([]any{"or", []any{"heading", cmp.Or(typed, ".")}, []any{"path", "^" + begins}, []any{"regexp", `^[ \t]*:(CUSTOM_)?ID:[ \t]+` + begins}})
	nodes, _ := Call(s, c, api.OpQuery, api.QueryRequest{Query: string(q), Limit: maxCompared})
	for _, n := range nodes {
		offer(n.Title, face.Place(n.Path, n.Line))
		offer(n.Path, n.Title)
		offer(n.ID, n.Title)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
