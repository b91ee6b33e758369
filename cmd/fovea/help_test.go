// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fovea-memory/fovea/internal/face"
)

// TestHelp: the help of every verb fits a terminal, and shows an example; on the
// first page every verb stands in a group.
func TestHelp(t *testing.T) {
	root := command(newSession())
	verbs := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		t.Run(c.CommandPath(), func(t *testing.T) {
			verbs++
			for _, fault := range helpFaults(c) {
				t.Error(fault)
			}
			if c.Parent() == root && c.GroupID == "" {
				t.Error("it stands in no group")
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if verbs < 38 {
		t.Errorf("%d verbs were looked at, fewer than there are", verbs)
	}
}

// TestHelpFaults: what TestHelp looks for is found.
func TestHelpFaults(t *testing.T) {
	bad := &cobra.Command{Use: "bad", Long: strings.Repeat("x", face.Columns+1), Run: func(*cobra.Command, []string) {}}
	bad.Flags().String("name", "", "what it is called")
	if got := helpFaults(bad); len(got) != 3 {
		t.Errorf("helpFaults(%s) = %q, want three faults", bad.Use, got)
	}
}

func helpFaults(c *cobra.Command) (faults []string) {
	var text bytes.Buffer
	c.SetOut(&text)
	if err := c.Help(); err != nil {
		return []string{err.Error()}
	}
	for line := range strings.Lines(text.String()) {
		if w := uniseg.StringWidth(strings.TrimRight(line, "\n")); w > face.Columns {
			faults = append(faults, "a line is too wide: "+line)
		}
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if name, _ := pflag.UnquoteUsage(f); name == f.Value.Type() && name != "duration" {
			faults = append(faults, "--"+f.Name+" does not say what its value is")
		}
	})
	if c.Example == "" {
		faults = append(faults, "it has no example")
	}
	return faults
}
