// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// TestManPages makes a manual page of each verb, in the folder FOVEA_MAN if it is set (make man). Each
// has the verb's flags, and its lists stand line by line.
func TestManPages(t *testing.T) {
	folder := cmp.Or(os.Getenv("FOVEA_MAN"), t.TempDir())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	root := command(newSession())
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd()
	indented := regexp.MustCompile(`(?m)^  `) // not enough for a list of Markdown
	walk(root, func(c *cobra.Command) { c.Long = indented.ReplaceAllString(c.Long, "      ") })
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Fovea", Manual: "Fovea"}, folder); err != nil {
		t.Fatal(err)
	}
	pages := 0
	walk(root, func(c *cobra.Command) {
		if !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			return
		}
		pages++
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		text, err := os.ReadFile(filepath.Join(folder, name+".1"))
		if err != nil {
			t.Error(err)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(strings.ReplaceAll(string(text), `\-`, "-"), "--"+f.Name) {
				t.Errorf("%s lacks --%s", name, f.Name)
			}
		})
		if c == root && !regexp.MustCompile(`(?m)^  0  done\n  1  failed`).Match(text) {
			t.Errorf("the exit codes do not stand line by line:\n%s", text)
		}
	})
	if pages < 80 {
		t.Errorf("there are %d pages", pages)
	}
}

// walk calls do for a verb and for all below it.
func walk(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		walk(sub, do)
	}
}
