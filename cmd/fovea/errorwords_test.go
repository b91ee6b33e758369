// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// goWords are words that only who programs in Go understands: names of types, functions and packages,
// and the date by which Go writes the form of a date.
var goWords = regexp.MustCompile(`2006-01-02|15:04|strconv|\bu?int(8|16|32|64)?\b|\bfloat(32|64)\b|\[\]string|json:|(?i)unmarshal|go (struct|value)|` +
	`parsing time|Parse(Int|Uint|Float|Bool|Duration)|invalid syntax|value out of range|pflag|reflect|<nil>|%!|\bEOF\b`)

// TestGoWords: what the scan of errors looks for is found, and plain words are not.
func TestGoWords(t *testing.T) {
	for _, text := range []string{
		`strconv.ParseInt: parsing "x": invalid syntax`, `parsing time "x" as "2006-01-02": cannot parse "x" as "2006"`, "unexpected EOF",
		"json: cannot unmarshal string into Go struct field A.b of type int64", "value <nil> of type float64", "%!d(string=x)",
	} {
		if !goWords.MatchString(text) {
			t.Errorf("%q passes", text)
		}
	}
	for _, text := range []string{`--limit wants a whole number, not "x"`, "a point in print; pinto, interval", "2026-01-02 is a date"} {
		if goWords.MatchString(text) {
			t.Errorf("%q does not pass", text)
		}
	}
}

// apart are verbs that a test of words does not run, because they serve, wait or change the machine;
// flags of theirs that hold no text are refused before they run.
var apart = []string{"serve", "mcp", "hook", "setup", "clone", "adopt", "store", "token", "completion", "help", "remote", "push", "pull", "sync",
	"merge-file", "version", "import", "checkpoint", "restore"}

// badValues are values that no flag and no argument takes, or few.
var badValues = []string{"x", "2026-99-99", "99999999999999999999", "-99999999999999999999", "1e999", "{", "\xff", "", "@nowhere", "seq:x", "a:b", "1:x"}

// wordsOfErrors runs verbs in this process, in one memory.
func wordsOfErrors(t *testing.T) (run func(words ...string) string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, filepath.Join(dir, strings.ToLower(name)))
	}
	memex := filepath.Join(dir, "memex")
	for _, at := range []string{memex, filepath.Join(dir, "xdg_runtime_dir")} {
		must(t, os.MkdirAll(at, 0o700))
	}
	must(t, os.WriteFile(filepath.Join(memex, "core.org"), []byte("* TODO The door\n:PROPERTIES:\n:ID: door\n:END:\nIt is green.\n"), 0o600))
	nowhere, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	must(t, err)
	in, out, said := os.Stdin, os.Stdout, os.Stderr
	os.Stdin, os.Stdout, os.Stderr = nowhere, nowhere, nowhere
	s := newSession()
	t.Cleanup(func() {
		os.Stdin, os.Stdout, os.Stderr = in, out, said
		must(t, s.close())
		must(t, nowhere.Close())
	})
	return func(words ...string) string {
		root := command(s)
		root.SetOut(s.Out)
		root.SetErr(s.Err)
		root.SetArgs(append(words, "--memex", memex, "--no-daemon"))
		if err := root.ExecuteContext(t.Context()); err != nil {
			return err.Error()
		}
		return ""
	}
}

// argumentsOf returns values for the arguments that a verb must have.
func argumentsOf(c *cobra.Command) (out []string) {
	for _, word := range strings.Fields(c.Use)[1:] {
		if !strings.HasPrefix(word, "[") && strings.ToUpper(word) == word {
			out = append(out, "door")
		}
	}
	return out
}

// TestErrorsHaveNoGoWords: whatever is typed for a flag or an argument of a verb, the error says in
// plain words what it wants.
func TestErrorsHaveNoGoWords(t *testing.T) {
	run := wordsOfErrors(t)
	tried, errors := 0, 0
	try := func(words ...string) {
		if tried++; foveatest.Thin(tried, 5) {
			return
		}
		if text := run(words...); text != "" {
			if errors++; goWords.MatchString(text) {
				t.Errorf("fovea %q: %s", words, text)
			}
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		words := strings.Fields(c.CommandPath())[1:]
		runs := len(words) > 0 && !slices.Contains(apart, words[0])
		needed := argumentsOf(c)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			text := strings.HasPrefix(f.Value.Type(), "string")
			if text && !runs || f.Name == "help" || f.Name == "memex" {
				return
			}
			for _, bad := range badValues {
				if bad == "" && f.Value.Type() == "bool" {
					continue
				}
				try(slices.Concat(words, needed, []string{"--" + f.Name + "=" + bad})...)
			}
		})
		for i := range needed {
			for _, bad := range badValues {
				a := slices.Clone(needed)
				if a[i] = bad; runs {
					try(slices.Concat(words, []string{"--"}, a)...)
				}
			}
		}
	}
	walk(command(newSession()))
	if errors < foveatest.Size(500, 100) {
		t.Errorf("only %d errors were seen", errors)
	}
	t.Logf("%d errors", errors)
}

// TestNoArgumentIsEmpty: no verb takes an empty argument, such as a variable that is not set, for none.
func TestNoArgumentIsEmpty(t *testing.T) {
	any := []string{"fovea", "fovea help", "fovea block add"} // a verb, the library's, and the words of a command
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		for n := range 3 {
			if empty := make([]string, n+1); c.ValidateArgs(empty) == nil && !slices.Contains(any, c.CommandPath()) {
				t.Errorf("%s takes %q", c.CommandPath(), empty)
			}
		}
	}
	walk(command(newSession()))
}

// TestErrorsOfTreesHaveNoGoWords: a tree that cannot be taken is refused in plain words, with its place.
func TestErrorsOfTreesHaveNoGoWords(t *testing.T) {
	run := wordsOfErrors(t)
	file := filepath.Join(t.TempDir(), "tree.json")
	for _, text := range []string{
		"", " ", "{", "[", "null", "5", `"x"`, "{}", "[]", "[5]", `{"type":5}`, `{"type":null}`, `{"type":"headline"`, `{"type":"headline",}`, `{"type":"headline"}x`,
		`{"type":"headline","contents":{}}`, `{"type":"headline","contents":[5]}`, `{"type":"headline","contents":"x"}`, `{"type":"headline","properties":[]}`,
		`{"type":"headline","properties":5}`, `{"type":"headline","properties":{"ID":5}}`, `{"type":"headline","properties":{"ID":1e999}}`,
		`{"type":"headline","properties":{"ID":"a\n"}}`, `{"type":"headline","properties":{"TITLE":{"a":1}}}`, `{"type":"headline","properties":{"x":nul}}`,
		`{"type":"headline","properties":{"LEVEL":"x"}}`, `{"type":"headline","properties":{"x":99999999999999999999999}}`, `{"type":"headline","raw-content":5}`,
		`{"type":"headline","properties":{"x":"\u12"}}`, `{"type":"headline","properties":{"x":"\ud800"}}`, `{"type":"headline","properties":{"x":tru}}`,
		`{"type":"headline","properties":{"x":01}}`, `{"type":"headline","properties":{"x":1.}}`, `{"type":"nothing"}`, "\xff", `{"type":"\xff"}`,
		strings.Repeat(`{"type":"section","contents":[`, 20_000), `{"type":"org-data","type":"headline"}`, `{"TYPE":"headline"}`, `{'type':"headline"}`,
	} {
		must(t, os.WriteFile(file, []byte(text), 0o600))
		if said := run("ingest", "--ast", file); goWords.MatchString(said) {
			t.Errorf("%.80q: %s", text, said)
		} else if testing.Verbose() {
			t.Logf("%.80q: %.200s", text, said)
		}
	}
	must(t, os.WriteFile(file, []byte(`{"type":"headline","properties":{"TITLE":"x"}}`), 0o600))
	for _, bad := range badValues {
		for _, flag := range []string{"parent", "ast"} {
			if said := run("ingest", "--ast", file, "--"+flag, bad); goWords.MatchString(said) {
				t.Errorf("--%s %q: %s", flag, bad, said)
			}
		}
	}
}

// TestArgumentsAreNamed: a verb that is called without what it needs names the verb, what it wants, and
// where its help is.
func TestArgumentsAreNamed(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		for _, given := range [][]string{nil, strings.Fields("a b c d e f g")} {
			if c.Args == nil || c.Name() == "completion" || c.HasParent() && c.Parent().Name() == "completion" {
				return
			}
			if err := c.Args(c, given); err != nil && !strings.Contains(err.Error(), " wants ") && !strings.Contains(err.Error(), "see fovea ") {
				t.Errorf("%s with %q: %v", c.CommandPath(), given, err)
			}
		}
	}
	s := newSession()
	defer func() { must(t, s.close()) }()
	walk(command(s))
}
