// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/node"
)

// server is the command that starts Fovea for a client.
type server struct {
	command string
	args    []string
}

// client is an MCP client: the path of its configuration file below the home folder, the
// text of Fovea's entry, and how to merge the entry into an existing file.
type client struct {
	name  string
	file  func(home string) string
	entry func(server) string
	merge func(text string, s server) (string, error)
}

// clients lists the MCP clients that setup supports.
var clients = []client{
	{"claude-code", below(".claude.json"), jsonServers, mergeJSON},
	{"cursor", below(".cursor/mcp.json"), jsonServers, mergeJSON},
	{"codex", below(".codex/config.toml"), tomlServer, mergeTOML},
	{"gptel", emacsInit, lispServer, mergeLisp},
}

func below(file string) func(string) string {
	return func(home string) string { return filepath.Join(home, filepath.FromSlash(file)) }
}

// emacsInit returns Emacs' init file. Emacs tries these in order and stops at the first:
// creating an earlier one would hide the person's own.
func emacsInit(home string) string {
	for _, place := range []struct{ there, file string }{
		{".emacs.el", ""}, {".emacs", ""}, {".emacs.d", "init.el"}, {".config/emacs", "init.el"},
	} {
		there := below(place.there)(home)
		if _, err := os.Stat(there); err == nil {
			return filepath.Join(there, place.file)
		}
	}
	return below(".emacs.d/init.el")(home)
}

func setupCommand(s *session) *cobra.Command {
	write, file := false, ""
	var names []string
	for _, c := range clients {
		names = append(names, c.name)
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
		Args:      args(1, 1, "a client: "+strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, a []string) error {
			i := slices.IndexFunc(clients, func(c client) bool { return c.name == a[0] })
			if i < 0 {
				return misuse{fmt.Errorf("no client %q; there are %s", a[0], strings.Join(names, ", "))}
			}
			return s.setUp(clients[i], file, write)
		},
	}
	c.Flags().BoolVar(&write, "write", false, "merge it into the client's file")
	c.Flags().StringVar(&file, "file", "", "the client's `FILE`, where it is not in its place")
	return c
}

// setUp prints or writes the configuration of a client.
func (s *session) setUp(c client, file string, write bool) error {
	conf, err := config.Load(nil, s.flags, "")
	if err != nil {
		return misuse{err}
	}
	if info, err := os.Stat(conf.Memex); err != nil || !info.IsDir() {
		return misuse{fmt.Errorf("setup %s: %s is no folder, and the server would not start; make it, or name another with --memex", c.name, conf.Memex)}
	}
	if !holdsOrg(conf.Memex) {
		s.say("no Org files (*.org, *.org_archive) in %s yet; is it the right folder?", conf.Memex)
	}
	command, err := os.Executable()
	if err != nil {
		return err
	}
	agent := conf.Agent
	if agent == "" {
		agent = c.name
	}
	how := server{command, []string{"mcp", "--memex", conf.Memex, "--agent", agent}}
	if file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		file = c.file(home)
	}
	if !write {
		s.say("add this to %s, or run fovea setup %s --write", file, c.name)
		fmt.Fprint(s.out, c.entry(how))
		return nil
	}
	kept, changed, err := mergeFile(file, func(text string) (string, error) { return c.merge(text, how) })
	switch {
	case err != nil:
		return fmt.Errorf("setup %s: %s: %w; nothing was written", c.name, file, err)
	case !changed:
		s.say("%s has it already", file)
	default:
		fmt.Fprintf(s.out, "written  %s\n", file)
		if kept != "" {
			fmt.Fprintf(s.out, "as it was  %s\n", kept)
		}
	}
	return nil
}

// holdsOrg reports whether an Org file lies in dir or below it.
func holdsOrg(dir string) (found bool) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // an unreadable folder counts as empty
		case e.IsDir() && path != dir && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case !e.IsDir() && node.IsOrg(path):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// jsonServers returns a whole configuration file for clients that read mcpServers.
func jsonServers(s server) string {
	return "{\n  \"mcpServers\": {\n    \"fovea\": " + jsonServer(s, "    ") + "\n  }\n}\n"
}

// jsonServer returns one entry of mcpServers; its further lines start with indent.
func jsonServer(s server, indent string) string {
	return "{\n" + indent + "  \"command\": " + quoteJSON(s.command) + ",\n" + indent + "  \"args\": " + quoteList(s.args) + "\n" + indent + "}"
}

// tomlServer returns the table of one server for Codex.
func tomlServer(s server) string {
	return "[mcp_servers.fovea]\ncommand = " + quoteJSON(s.command) + "\nargs = " + quoteList(s.args) + "\n"
}

// lispServer returns Lisp that registers the server with mcp.el, its tools with gptel.
func lispServer(s server) string {
	words := make([]string, len(s.args))
	for i, a := range s.args {
		words[i] = quoteLisp(a)
	}
	return lispBegin + "\n(with-eval-after-load 'mcp-hub\n  (add-to-list 'mcp-hub-servers\n               '(\"fovea\" . (:command " + quoteLisp(s.command) +
		"\n                             :args (" + strings.Join(words, " ") + ")))))\n(with-eval-after-load 'gptel (require 'gptel-integrations))\n" + lispEnd + "\n"
}

// quoteJSON returns a JSON string, which is also a TOML string.
func quoteJSON(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

func quoteList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = quoteJSON(t)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quoteLisp returns an Emacs Lisp string.
func quoteLisp(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
