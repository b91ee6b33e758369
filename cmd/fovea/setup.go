// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/clients"
	"github.com/fovea-memory/fovea/internal/config"
)

func setupCommand(s *session) *cobra.Command {
	var how setupFlags
	var names []string
	for _, c := range clients.All {
		names = append(names, c.Name)
	}
	c := &cobra.Command{
		Use:   "setup CLIENT",
		Short: "Print the configuration that lets a client use the memory",
		Long: `Print the configuration that lets an MCP client start fovea mcp for this memex.
The clients: ` + strings.Join(names, ", ") + `.

With --write it is merged into the client's file. Everything else in that file
stays byte for byte, and a backup is kept beside it. --remove removes it.

With --hooks it prints the hooks of claude-code, codex or cursor: they give the
model what the memory holds when a session starts and when you ask something.
--hooks=keep also keeps the model's last answer, as a block of the session.`,
		Example: `  fovea setup claude-code --memex ~/notes
  fovea setup claude-code --hooks --write
  fovea setup claude-code --text >>CLAUDE.md
  fovea setup cursor --memex ~/notes --write`,
		Args:      cli.Args(1, 1, "a client: "+strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, a []string) error {
			i := slices.IndexFunc(clients.All, func(c clients.Client) bool { return c.Name == a[0] })
			if i < 0 {
				return cli.Misusef("no client %q; there are %s", a[0], strings.Join(names, ", "))
			}
			return setUp(s, clients.All[i], how)
		},
	}
	c.AddCommand(setupEmbedCommand(s))
	cli.AddFlags(c.Flags(), &how)
	c.Flags().Lookup("hooks").NoOptDefVal = hooksRecall
	return c
}

// setupFlags are the flags of setup.
type setupFlags struct {
	Write  bool   `flag:"--write merge it into the client's file"`
	Remove bool   `flag:"--remove take it out of the client's file, with the hooks"`
	Text   bool   `flag:"--text print text for the file that tells agents how to work, and nothing else"`
	Hooks  string `flag:"--hooks the client's hooks, not its server; <WHAT> is recall, or keep to keep answers, too"`
	File   string `flag:"--file the client's <FILE>, if it is not in the default place"`
}

// The values of --hooks.
const (
	hooksRecall = "recall"
	hooksKeep   = "keep"
)

// setUp prints, writes or removes the configuration of a client.
func setUp(s *session, c clients.Client, how setupFlags) error {
	if how.Hooks != "" && how.Hooks != hooksRecall && how.Hooks != hooksKeep {
		return cli.Misusef("--hooks is %s or %s, not %q", hooksRecall, hooksKeep, how.Hooks)
	}
	hooks, hooked := clients.HooksOf[c.Name]
	if how.Hooks != "" && !hooked {
		return cli.Misusef("%s has no hooks that call a command; claude-code, codex and cursor have", c.Name)
	}
	if how.Text {
		s.Out.Text(clients.Instructions)
		return nil
	}
	command, err := os.Executable()
	if err != nil {
		return err
	}
	if how.Remove {
		return removeSetup(s, c, command, how)
	}
	conf, err := setupConfig(s, c.Name)
	if err != nil {
		return err
	}
	args := []string{"mcp", "--memex", conf.Memex, "--agent", cmp.Or(conf.Agent, c.Name)}
	part, more := c.Server(clients.Server{Command: command, Args: args}), ""
	if how.Hooks != "" {
		part, more = hooks.Part(hookLine(command, conf.Memex, how), how.Hooks == hooksKeep), " --hooks="+how.Hooks
	}
	if part.Note != "" {
		s.Report("%s", part.Note)
	}
	if how.Write {
		return changeSetup(s, c.Name, part, how)
	}
	file, err := clientFile(part, how)
	if err == nil {
		s.Report("add this to %s, or run fovea setup %s%s --write", file, c.Name, more)
		fmt.Fprint(s.Out, part.Text)
	}
	return err
}

// hookLine returns the command line that answers hooks.
func hookLine(command, memex string, how setupFlags) string {
	line := clients.Quote(command) + " hook --memex " + clients.Quote(memex)
	if how.Hooks == hooksKeep {
		line += " --keep"
	}
	return line
}

// setupConfig loads the configuration, and refuses a memex that a server could not open.
func setupConfig(s *session, client string) (config.Config, error) {
	conf, err := config.Load(s.flags, "")
	if err != nil {
		return conf, cli.Misuse{Err: err}
	}
	if info, err := os.Stat(conf.Memex); err != nil || !info.IsDir() {
		return conf, cli.Misusef("setup %s: %s is not a folder, and the server would not start; create it, or name another one with --memex",
			client, conf.Memex)
	}
	if !holdsDocument(conf.Memex, conf.Formats()) {
		s.Report("no Org files (*.org, *.org_archive) in %s yet; is it the right folder?", conf.Memex)
	}
	return conf, nil
}

// removeSetup removes the server and the hooks from the files of a client.
func removeSetup(s *session, c clients.Client, command string, how setupFlags) error {
	parts := []clients.Part{c.Server(clients.Server{})}
	if h, ok := clients.HooksOf[c.Name]; ok {
		parts = append(parts, h.Part(hookLine(command, ".", how), true))
	}
	switch {
	case how.Hooks != "":
		parts = parts[1:]
	case how.File != "":
		parts = parts[:1]
	}
	for _, part := range parts {
		if err := changeSetup(s, c.Name, part, how); err != nil {
			return err
		}
	}
	return nil
}

// clientFile returns the file that is named, or the client's own.
func clientFile(part clients.Part, how setupFlags) (string, error) {
	if how.File != "" {
		return how.File, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return part.File(home), nil
}

// changeSetup writes a part into a client's file, or removes it, and prints the result.
func changeSetup(s *session, client string, part clients.Part, how setupFlags) error {
	file, err := clientFile(part, how)
	if err != nil {
		return err
	}
	change, done, same := part.Write, "written", "already has it"
	if how.Remove {
		change, done, same = part.Remove, "removed from", "does not have it"
	}
	switch kept, changed, err := change(file); {
	case err != nil:
		return fmt.Errorf("setup %s: %s: %w; nothing was written", client, file, err)
	case !changed:
		s.Report("%s %s", file, same)
	default:
		s.Out.Printf("%s  %s\n", done, file)
		if kept != "" {
			s.Out.Printf("backup  %s\n", kept)
		}
		if !how.Remove {
			s.Report("start %s again, so that it reads this", client)
		}
	}
	return nil
}

// holdsDocument reports whether dir has a file of one of the formats, at any depth.
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

func setupEmbedCommand(s *session) *cobra.Command {
	var want struct {
		URL   string `flag:"--url the <ADDRESS> of the server, if it is not one of the usual ones"`
		Model string `flag:"--model the <NAME> of the model, if the server has several"`
		Write bool   `flag:"--write add it to the configuration file and make the vectors"`
	}
	c := &cobra.Command{
		Use:   "embed",
		Short: "Find a server that makes vectors of texts, and try it",
		Long: `Find a running server that makes vectors of texts (Ollama, or one with
/v1/embeddings or /embed), try it with three sentences, and print the
configuration that has search use it.`,
		Example: `  fovea setup embed
  fovea setup embed --url http://localhost:8080 --write`,
		Args: cli.Args(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			return setUpEmbed(c.Context(), s, config.Embed{URL: want.URL, Model: want.Model}, want.Write)
		},
	}
	cli.AddFlags(c.Flags(), &want)
	return c
}

func setUpEmbed(ctx context.Context, s *session, want config.Embed, write bool) error {
	if err := s.load(); err != nil {
		return err
	}
	e, found, err := findServer(ctx, want)
	if err != nil {
		return err
	}
	if err := tryServer(ctx, s, e, found.URL); err != nil {
		return err
	}
	if !write {
		s.Report("add this to the configuration file, or run fovea setup embed --write")
		fmt.Fprint(s.Out, found.Text())
		return nil
	}
	file, err := s.config.AddEmbed(found)
	if err != nil {
		return err
	}
	s.Out.Printf("written  %s\n", file)
	return fillVectors(ctx, s)
}

// findServer returns the first server that answers.
func findServer(ctx context.Context, want config.Embed) (embed.Embedder, config.Embed, error) {
	// The default addresses of Ollama, llama.cpp and TEI, LM Studio, vLLM.
	addresses := []string{config.OllamaAddress(), "http://127.0.0.1:8080", "http://127.0.0.1:1234", "http://127.0.0.1:8000"}
	if want.URL != "" {
		addresses = []string{want.URL}
	}
	var failed error
	for _, address := range addresses {
		trial := want
		trial.Kind, trial.URL = embed.KindAuto, address
		e, err := embed.Open(ctx, embed.Config{Kind: trial.Kind, URL: trial.URL, Model: trial.Model, Timeout: 20 * time.Second})
		if err == nil {
			trial.Kind, trial.Model = e.Model().Kind, e.Model().Name
			return e, trial, nil
		}
		if failed == nil || !errors.Is(err, embed.ErrUnavailable) {
			failed = err // the error of a running server is more useful
		}
	}
	if want.URL == "" && errors.Is(failed, embed.ErrUnavailable) {
		failed = fmt.Errorf("setup embed: no server runs at %s; start one, such as Ollama, or name it with --url", strings.Join(addresses, ", "))
	}
	return nil, config.Embed{}, failed
}

// tryServer prints the similarity of three sentences.
func tryServer(ctx context.Context, s *session, e embed.Embedder, address string) error {
	texts := []string{"The boiler in the cellar leaks.", "Water drips from the heating downstairs.", "Her sister plays the violin."}
	got, err := e.Embed(ctx, embed.Document, texts)
	if err != nil {
		return err
	}
	s.Out.Printf("server  %s\nmodel  %s, %d numbers a vector\n", address, cmp.Or(e.Model().Name, "without a name"), e.Model().Dim)
	for _, i := range []int{1, 2} {
		near, err := embed.Cosine(got[0].Vector, got[i].Vector)
		if err = errors.Join(err, got[0].Err, got[i].Err); err != nil {
			return fmt.Errorf("setup embed: %w", err)
		}
		s.Out.Printf("%5.2f  %s / %s\n", near, texts[0], texts[i])
	}
	return nil
}

// fillVectors makes the vectors of the memex, unless its daemon does it.
func fillVectors(ctx context.Context, s *session) error {
	if err := s.load(); err != nil { // the file was just written
		return err
	}
	if _, err := s.service(ctx); err != nil {
		return err
	}
	if s.daemon != nil {
		s.Report("the daemon makes the vectors; fovea status counts them")
		return nil
	}
	if err := s.memory.Ingest(ctx, nil); err != nil {
		return err
	}
	room := s.memory.Meaning()
	if room == nil {
		return errors.New("setup embed: the configuration names no embedder that can be used; see fovea status")
	}
	if err := room.Fill(ctx, s.Progress); err != nil {
		return fmt.Errorf("setup embed: %w", err)
	}
	s.Out.Printf("vectors  %d\n", room.Status().Vectors)
	return nil
}
