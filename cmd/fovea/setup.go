// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/setup"
	"github.com/fovea-memory/fovea/internal/verb"
)

func setupCommand(s *session) *cobra.Command {
	write, file := false, ""
	var names []string
	for _, c := range setup.Clients {
		names = append(names, c.Name)
	}
	c := &cobra.Command{
		Use:   "setup CLIENT",
		Short: "Print the configuration that lets a client use the memory",
		Long: `Print the configuration that lets an MCP client start fovea mcp for this memex.
The clients: ` + strings.Join(names, ", ") + `.

With --write it is merged into the client's file. All else in that file stays
byte for byte, and the file as it was is kept beside it.`,
		Example: `  fovea setup claude-code --memex ~/notes
  fovea setup cursor --memex ~/notes --write`,
		Args:      verb.Args(1, 1, "a client: "+strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, a []string) error {
			i := slices.IndexFunc(setup.Clients, func(c setup.Client) bool { return c.Name == a[0] })
			if i < 0 {
				return verb.Misuse{Err: fmt.Errorf("no client %q; there are %s", a[0], strings.Join(names, ", "))}
			}
			return setUp(s, setup.Clients[i], file, write)
		},
	}
	c.AddCommand(setupEmbedCommand(s))
	c.Flags().BoolVar(&write, "write", false, "merge it into the client's file")
	c.Flags().StringVar(&file, "file", "", "the client's `FILE`, if it is not in the default place")
	return c
}

// setUp prints or writes the configuration of a client.
func setUp(s *session, c setup.Client, file string, write bool) error {
	conf, err := config.Load(nil, s.flags, "")
	if err != nil {
		return verb.Misuse{Err: err}
	}
	if info, err := os.Stat(conf.Memex); err != nil || !info.IsDir() {
		return verb.Misuse{Err: fmt.Errorf("setup %s: %s is not a folder, and the server would not start; create it, or name another one with --memex",
			c.Name, conf.Memex)}
	}
	if !holdsDocument(conf.Memex, conf.Formats()) {
		s.Report("no Org files (*.org, *.org_archive) in %s yet; is it the right folder?", conf.Memex)
	}
	command, err := os.Executable()
	if err != nil {
		return err
	}
	agent := conf.Agent
	if agent == "" {
		agent = c.Name
	}
	how := setup.Server{Command: command, Args: []string{"mcp", "--memex", conf.Memex, "--agent", agent}}
	if file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		file = c.File(home)
	}
	if !write {
		s.Report("add this to %s, or run fovea setup %s --write", file, c.Name)
		fmt.Fprint(s.Out, c.Entry(how))
		return nil
	}
	kept, changed, err := c.Write(file, how)
	switch {
	case err != nil:
		return fmt.Errorf("setup %s: %s: %w; nothing was written", c.Name, file, err)
	case !changed:
		s.Report("%s already has it", file)
	default:
		s.Out.Printf("written  %s\n", file)
		if kept != "" {
			s.Out.Printf("as it was  %s\n", kept)
		}
	}
	return nil
}

// holdsDocument reports whether a file of one of the formats lies in dir or below it.
func holdsDocument(dir string, formats document.Formats) (found bool) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // an unreadable folder counts as empty
		case e.IsDir() && path != dir && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !e.IsDir() && formats.Owns(path):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}
