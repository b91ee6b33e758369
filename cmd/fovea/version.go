// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/internal/cli"
)

// devel is the version that Go records for a program not built from a release.
const devel = "(devel)"

// build is what Go recorded about this program.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`   // empty if built outside a checkout
	Date    string `json:"date"`     // of the commit
	Changed bool   `json:"modified"` // the checkout had uncommitted changes
	Go      string `json:"go"`
}

// thisBuild reads the build record of this program.
func thisBuild() build {
	b := build{Version: devel, Go: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, devel)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// text formats b for a person.
func (b build) text() string {
	first := "fovea " + b.Version
	if b.Version == devel {
		first += ": built from source, not from a release"
	}
	commit := cmp.Or(b.Commit, "not recorded: it was built outside a git checkout, by go run, or with -buildvcs=false")
	if b.Changed {
		commit += ", and changes that were not committed"
	}
	lines := []string{first, "commit   " + commit}
	if b.Date != "" {
		lines = append(lines, "date     "+b.Date)
	}
	return strings.Join(append(lines, "go       "+b.Go), "\n") + "\n"
}

// version returns the version alone.
func version() string { return thisBuild().Version }

func versionCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what it was built from",
		Long: `Version prints the version, the commit and its date, and the version of Go. A
version (devel) was built from source that is not a release.`,
		Example: `  fovea version
  fovea version --json`,
		Args: cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			return s.Answer(b, func() { s.Out.Text(b.text()) })
		},
	}
}
