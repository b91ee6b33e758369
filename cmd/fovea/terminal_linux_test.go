// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// openTerminal makes a pseudo terminal of so many columns. What is written to the
// terminal comes out of the screen as it was written.
func openTerminal(t *testing.T, wide int) (screen, terminal *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("no pseudo terminal: %v", err)
	}
	screen = os.NewFile(uintptr(fd), "/dev/ptmx")
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	how, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	how.Oflag &^= unix.OPOST
	how.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(terminal.Fd()), unix.TCSETS, how); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(wide)}); err != nil {
		t.Fatal(err)
	}
	return screen, terminal
}

// atTerminal runs a command whose standard output and standard error are a terminal,
// and returns what came there but for what was drawn over.
func atTerminal(t *testing.T, c *exec.Cmd, wide int) (string, error) {
	t.Helper()
	screen, terminal := openTerminal(t, wide)
	c.Stdout, c.Stderr = terminal, terminal
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	var out bytes.Buffer
	if _, err := io.Copy(&out, screen); !errors.Is(err, syscall.EIO) { // the last one closed it
		t.Fatal(err)
	}
	err := c.Wait()
	return undrawn(out.String()), err
}

var workingLine = regexp.MustCompile("(\r\x1b\\[Kfovea: working, [0-9]+ s)+|\r\x1b\\[K|\r *\r|\rreading [^\r\n]*")

// undrawn takes away what the lines of progress are drawn with.
func undrawn(text string) string { return workingLine.ReplaceAllString(text, "") }

// hostile is a memex in which everything that can be named has a name that would act
// on a terminal, the folder too, with an environment for verbs.
type hostile struct {
	dir, memex string
	env        []string
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	dir := t.TempDir()
	h := &hostile{dir: dir, memex: filepath.Join(dir, "memex\x1b[31m\u202e")}
	h.env = append(os.Environ(), asCommand+"=1", "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"), "MEMORY_SNAPSHOT_PATH=", "COLUMNS=")
	for name, text := range map[string]string{
		"memex/a.org": "#+TODO: TODO N\u202eXT | DONE\n#+TITLE: T" + evil + "\n* TODO Oak " + evil + " :t\u200bag:\n:PROPERTIES:\n:ID: oak\n:K\u202eY: " +
			evil + "\n:END:\nBody of oak " + evil + "\n[[id:no\x1b[5m\u202ewhere]]\n" + evil + "\r\n* Elm\n:PROPERTIES:\n:ID: elm\n:END:\nelm " + evil +
			"\n* Twin\n:PROPERTIES:\n:ID: oak\n:END:\n",
		"memex/b\x1b[2J\u202e\n.org": "* Beech " + evil + "\n",
		"memex/skills/s\u202e.org": ":PROPERTIES:\n:SKILL_PRIORITY: 7\n:SKILL_TRIGGERS: go\x1b[1m\u202e\n:SKILL_DEPENDS: no\u202ene\n:END:\n#+TITLE: " +
			"skill\n#+DESCRIPTION: " + evil + "\n* Do " + evil + "\n",
		"memex/skills/plan.org": ":PROPERTIES:\n:SKILL_PRIORITY: 7\n:END:\n#+TITLE: plan\n* Plan\n",
		"base.org":              "* Oak\nOld\n", "ours.org": "* Oak\nours " + evil + "\n", "theirs.org": "* Oak\ntheirs " + evil + "\n",
		"graph.jsonl": `{"type":"entity","name":"E\u001b[31m\u202e` + "\u202e" +
			`","entityType":"t","observations":["o\u001b[2J\u202e"]}` + "\n{bad " + evil + "\n",
		"bad.toml": "colour\x1b[31m = " + evil,
	} {
		name = filepath.Join(dir, strings.Replace(name, "memex/", filepath.Base(h.memex)+"/", 1))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		stopped(t, h.dir, func() *exec.Cmd {
			c := exec.Command(os.Args[0], "serve", "--stop", "--memex", h.memex)
			c.Env = h.env
			return c
		})
	})
	return h
}

func (h *hostile) command(t *testing.T, stdin string, words ...string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), os.Args[0], append(words, "--memex", h.memex)...)
	c.Env, c.Dir, c.Stdin = h.env, h.dir, strings.NewReader(stdin)
	return c
}

// hostileRows are arguments for each verb, in an order in which they find something to
// tell. A row that begins with "<" gives standard input first.
var hostileRows = []struct {
	verb string
	rows [][]string
}{
	{"ingest", [][]string{{}, {"<" + `{"type":"headline","properties":{"ID":"rain\u202e","TITLE":"Rain \u001b[31m\u202e"}}`, "--ast", "-"},
		{"--ast", evilName}}},
	{"query", [][]string{{"Oak"}, {"type:headline"}, {"(" + evilName}, {evilName + ":x"}, {"Oak", "--at", evilName}, {"type:document"}}},
	{"search", [][]string{{"oak"}, {"body"}, {"oak", "--query", "((" + evilName}}},
	{"context", [][]string{{"--question", "oak elm"}, {"--focus", "oak", "--explain"}, {"--question", "oak", "--format", "markdown"},
		{"--question", "oak", "--format", "json"}, {"--focus", "Bee" + evilName}, {"--policy", evilName}}},
	{"show", [][]string{{"oak"}, {"elm"}, {"a.org"}, {"Oak" + evilName}, {"b\x1b[2J\u202e\n.org"}, {"a.org:999"}}},
	{"skill", [][]string{{}, {evilName}}}, {"skill list", [][]string{{}}}, {"skill show", [][]string{{"skill"}, {"s\u202e"}, {evilName}}},
	{"event", [][]string{{"go\x1b[1m\u202e"}}}, {"logs", [][]string{{}}}, {"skill check", [][]string{{}}},
	{"block add", [][]string{{"task", "T\x1b[31m\u202e", "x" + evilName, "--agent", "ada"}, {"file", evilName, "--agent", "ada"},
		{evilName, "x", "--agent", "ada"},
		{"<" + `{"type":"status","status_type":"a\u001b[2J\u202e"}`, "-", "--agent", "ada"}, {"<{" + evilName, "-", "--agent", "ada"}}},
	{"block list", [][]string{{"--agent", "ada"}, {"--agent", evilName}}},
	{"windows", [][]string{{"--agent", "ada"}, {"1", "--agent", "ada"}, {evilName, "--agent", "ada"}, {"--agent", evilName}}},
	{"block score", [][]string{{"task:T\x1b[31m\u202e", "0.5", "--agent", "ada"}, {evilName, evilName, "--agent", "ada"}}},
	{"block remove", [][]string{{evilName, "--agent", "ada"}}}, {"block", [][]string{{}, {evilName}}},
	{"message", [][]string{{}, {evilName}}}, {"message send", [][]string{{"ada", "Hi " + evilName, "--first", "--body", evilName}, {evilName, "Hi"},
		{"owner", "Up", "--agent", "ada", "--body", "b" + evilName}, {"owner", "Up", "--agent", "ada", "--thread", evilName}}},
	{"message inbox", [][]string{{}, {"--agent", "ada"}, {"--thread", evilName}}}, {"message read", [][]string{{evilName}, {}, {"--agent", "ada"}}},
	{"agent", [][]string{{}, {evilName}}}, {"agent list", [][]string{{}}}, {"agent show", [][]string{{"ada"}, {evilName}}},
	{"remember", [][]string{{"T" + evilName, "--under", "tasks.org", "--todo", "TODO"}, {"U", "--under", "tasks.org", "--todo", "TODO",
		"--property", "ID=task1", "--property", "DEPENDS_ON=" + evilName}}},
	{"feedback", [][]string{{evilName, "--question", evilName}, {"--cites", evilName, "--question", evilName}}},
	{"feedback status", [][]string{{}}}, {"feedback reset", [][]string{{}}},
	{"review", [][]string{{}, {evilName}}}, {"review list", [][]string{{}}}, {"review diff", [][]string{{evilName}}},
	{"review accept", [][]string{{evilName}}}, {"review edit", [][]string{{evilName, "--title", evilName}}},
	{"review reject", [][]string{{evilName, "--reason", evilName}}},
	{"review withdraw", [][]string{{evilName}}},
	{"task", [][]string{{}, {evilName}}}, {"task list", [][]string{{}, {"--status", evilName}}},
	{"task claim", [][]string{{"T" + evilName}, {evilName}, {"task1"}, {"task1", "--lease", evilName}}},
	{"task list", [][]string{{}, {"--holder", evilName}}}, {"task renew", [][]string{{evilName, "1"}, {"task1", evilName}, {"task1", "1", "--claim", evilName}}},
	{"task release", [][]string{{evilName}}}, {"task done", [][]string{{evilName}, {"T" + evilName}}},
	{"snapshot", [][]string{{"mine"}, {"mine" + evilName}}}, {"snapshot list", [][]string{{}}},
	{"remember", [][]string{{"New", "--under", "a.org"}, {"New" + evilName}, {"New", "--under", evilName}, {"New", "--agent", evilName},
		{"N", "--session", evilName, "--project", evilName}}},
	{"edit", [][]string{{"elm", "--todo", "DONE"}, {"elm", "--todo", evilName}, {"elm", "--tag", evilName}, {evilName, "--todo", "DONE"},
		{"elm", "--title", "E\u202e"},
		{"elm", "--body", "other\u202e", "--base", strings.Repeat("0", 64)}}},
	{"refile", [][]string{{"elm", "oak"}, {"elm", evilName}}}, {"archive", [][]string{{"elm"}, {evilName}}}, {"forget", [][]string{{"elm"}, {evilName}}},
	{"id", [][]string{{}}}, {"id list", [][]string{{}, {evilName}}}, {"id assign", [][]string{{"--all"}, {evilName}}},
	{"import", [][]string{{}, {evilName}}}, {"import server-memory", [][]string{{"graph.jsonl"}, {evilName}}},
	{"import jsonl", [][]string{{"graph.jsonl"}, {"graph.jsonl", "--label", evilName}, {evilName}}}, {"import markdown", [][]string{{"."}, {evilName}}},
	{"import claude", [][]string{{evilName}}}, {"import basic-memory", [][]string{{evilName}}}, {"import okf", [][]string{{evilName}}},
	{"export", [][]string{{"jsonl", "n.jsonl"}, {"okf", "okf" + evilName}, {evilName, evilName}}},
	{"log", [][]string{{}, {"oak"}, {evilName}, {"--since-last"}, {"--since-last", "--json"}}},
	{"diff", [][]string{{"seq:1"}, {"seq:1", "head", "--text"}, {evilName}}},
	{"blame", [][]string{{"oak"}, {evilName}}},
	{"rollback", [][]string{{"mine", "--memory-only"}, {evilName}}}, {"drift", [][]string{{}, {evilName}}}, {"drift list", [][]string{{}}},
	{"drift apply", [][]string{{}}}, {"drift adopt", [][]string{{}, {evilName}}},
	{"revert", [][]string{{"--author", "file", "--dry-run"}, {"--author", evilName}, {evilName}, {"--session", evilName}}},
	{"resolve", [][]string{{"oak"}, {evilName}, {"oak", "--take", evilName}}},
	{"checkpoint", [][]string{{"cp"}, {evilName}}}, {"restore", [][]string{{"cp"}, {evilName}, {"--source", evilName}, {"--source", "ipfs", "--cid", evilName}}},
	{"bundle", [][]string{{}}}, {"bundle write", [][]string{{"b.car", "--plain"}, {evilName, "--for", evilName}}}, {"bundle key", [][]string{{}}},
	{"bundle verify", [][]string{{"b.car"}, {evilName}}}, {"bundle read", [][]string{{"b.car"}, {evilName}}},
	{"remote", [][]string{{}}}, {"remote list", [][]string{{}}}, {"remote add", [][]string{{evilName, "."}, {"a", "x://" + evilName}}},
	{"remote remove", [][]string{{evilName}}}, {"remote serve", [][]string{{evilName}}}, {"clone", [][]string{{evilName, evilName}}},
	{"remote scrub", [][]string{{}, {evilName}}}, {"remote members", [][]string{{evilName}}},
	{"remote admit", [][]string{{evilName, evilName, evilName}, {"a", "box", evilName, "--seal", evilName, "--for", evilName}}},
	{"remote expel", [][]string{{evilName, evilName}}},
	{"push", [][]string{{evilName}}}, {"pull", [][]string{{evilName}}}, {"sync", [][]string{{}, {evilName}}},
	{"merge", [][]string{{evilName}, {"."}}}, {"merge-file", [][]string{{"base.org", "ours.org", "theirs.org", "--output", "-"},
		{evilName, "ours.org", "theirs.org"},
		{"base.org", "ours.org", "theirs.org", "--output", "-", "--path", evilName}}},
	{"setup", [][]string{{"claude-code"}, {"codex"}, {"gptel"}, {"cursor", "--write", "--file", "conf" + evilName + ".json"}, {evilName},
		{"claude-code", "--hooks"}, {"codex", "--hooks=" + evilName}, {"gptel", "--hooks"},
		{"cursor", "--hooks", "--write", "--file", "hooks" + evilName + ".json"}, {"cursor", "--remove", "--file", "hooks" + evilName + ".json"}}},
	{"hook", [][]string{{"<{" + evilName, "--check"}, {"<" + `{"hook_event_name":"SessionStart","session_id":"\u001b[2J"}`, "--check"}}},
	{"serve", [][]string{{"--detach"}, {"--stop"}}}, // the daemon that a hook started
	{"setup embed", [][]string{{"--url", "http://127.0.0.1:1/" + evilName}, {evilName}}},
	{"mcp", [][]string{{"--compat", evilName}, {"<" + mcpLines, "--no-daemon"}, {"<" + mcpLines, "--no-daemon", "--compat", "server-memory"}}},
	{"serve", [][]string{{"--print-unit"}, {"--idle", evilName}, {"--idle", "1s"}}},
	{"token", [][]string{{}, {evilName}}}, {"token add", [][]string{{"ada"}, {"bob" + evilName}, {"eve", "--role", evilName},
		{"eve", "--scope", evilName}}}, {"token list", [][]string{{}}},
	{"token remove", [][]string{{evilName}, {"ada"}}},
	{"guard", [][]string{{}, {evilName}}}, {"guard list", [][]string{{}}}, {"guard policy", [][]string{{}}},
	{"guard diff", [][]string{{"skills/s\u202e.org"}, {evilName}}}, {"guard adopt", [][]string{{"skills/s\u202e.org"}, {evilName}}},
	{"guard reject", [][]string{{"skills/s\u202e.org"}, {evilName}}}, {"guard adopt-key", [][]string{{}, {evilName}, {"<" + evil, "-"}}},
	{"status", [][]string{{}, {"--diagnostics"}, {evilName}, {"--" + evilName}}},
	{"verify", [][]string{{}, {"--files"}, {"--anchor", evilName}, {"<" + evil, "--anchor", "-"}}},
	{"head", [][]string{{}}}, {"prove", [][]string{{"elm"}, {evilName}, {evilName, "--absent"}, {"--check", evilName}}},
	{"repair", [][]string{{"--dry-run"}}}, {"retain", [][]string{{"--keep-all", "7d", "--dry-run"}, {"--keep-all", evilName}}},
	{"purge", [][]string{{"--text", "Body", "--dry-run"}, {evilName}}}, {"version", [][]string{{}}},
	{"status", [][]string{{"--all"}}}, {"adopt", [][]string{{}, {evilName}, {"--from", evilName}}}, {"store", [][]string{{}, {evilName}}},
	{"store remove", [][]string{{evilName}, {}}},
	{"help", [][]string{{}, {evilName}, {"show"}}}, {"completion", [][]string{{evilName}}}, {"completion bash", [][]string{{}}},
	{"completion zsh", [][]string{{}}},
	{"completion fish", [][]string{{}}}, {"completion powershell", [][]string{{}}},
}

// evil is remembered text that would act on a terminal.
const evil = foveatest.TerminalControls

// evilName is evil as an argument, which cannot hold a zero byte.
var evilName = "x" + strings.ReplaceAll(evil, "\x00", "")

const mcpLines = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"c\u202e","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":{"query":"oak"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_graph","arguments":{}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"no\u202e\u009b","arguments":{}}}
`

// TestTerminal: whatever the notes, their names and the arguments hold, no verb lets a
// character through to a terminal that acts on it or cannot be seen.
func TestTerminal(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	for i, v := range hostileRows {
		for j, row := range v.rows {
			for _, how := range []string{"", "--json", "--color=always"} {
				if foveatest.Thin(i+j, 3) || how != "" && foveatest.Thin(i+j, 6) {
					continue
				}
				words, stdin := append(strings.Fields(v.verb), row...), ""
				if len(row) > 0 && strings.HasPrefix(row[0], "<") {
					words, stdin = append(strings.Fields(v.verb), row[1:]...), row[0][1:]
				}
				if how != "" {
					words = append(words, how)
				}
				if v.verb == "guard diff" { // there is something to tell
					appendText(t, filepath.Join(h.memex, "skills/s\u202e.org"), "* More "+evil+"\n")
				}
				out, _ := atTerminal(t, h.command(t, stdin, words...), 100)
				if how == "--color=always" {
					out = coloured.ReplaceAllString(out, "")
				}
				for _, found := range foveatest.ActingOnTerminal(out) {
					t.Errorf("fovea %q: %s", words, found)
				}
			}
		}
	}
}

// TestTerminalRows: every verb stands in the table of TestTerminal.
func TestTerminalRows(t *testing.T) {
	there := map[string]bool{}
	for _, v := range hostileRows {
		there[v.verb] = len(v.rows) > 0
	}
	root := command(newSession())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, missing := range verbsWithout(root, "", there) {
		t.Errorf("fovea %s has no row in hostileRows", missing)
	}
	if got := verbsWithout(root, "", map[string]bool{}); len(got) < 50 {
		t.Errorf("only %d verbs are looked for", len(got))
	}
}

func verbsWithout(c *cobra.Command, above string, there map[string]bool) (missing []string) {
	for _, sub := range c.Commands() {
		path := strings.TrimSpace(above + " " + sub.Name())
		if !there[path] {
			missing = append(missing, path)
		}
		missing = append(missing, verbsWithout(sub, path, there)...)
	}
	return missing
}

func appendText(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// TestPipeHasTheBytes: what is made visible at a terminal is as it was in a pipe.
func TestPipeHasTheBytes(t *testing.T) {
	h := newHostile(t)
	text, err := os.ReadFile(filepath.Join(h.memex, "a.org"))
	if err != nil {
		t.Fatal(err)
	}
	own := string(text[bytes.Index(text, []byte("* TODO Oak")):bytes.Index(text, []byte("* Elm"))])
	for _, tc := range []struct {
		name  string
		words []string
		want  string
	}{
		{"show", []string{"show", "oak"}, own},
		{"context", []string{"context", "--question", "oak elm"}, "elm \x1b[2J\x1b[H\x1b]0;owned\x07"},
		{"search", []string{"search", "oak"}, "\tOak \x1b[2J\x1b[H\x1b]0;owned\x07 \u009b31m"},
		{"blame", []string{"blame", "oak"}, "\tBody of oak \x1b[2J"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := h.command(t, "", tc.words...).Output()
			if err != nil || !strings.Contains(string(got), tc.want) {
				t.Errorf("a pipe gets\n%q, %v\nwithout\n%q", got, err, tc.want)
			}
			seen, err := atTerminal(t, h.command(t, "", tc.words...), 100)
			if err != nil || !strings.Contains(seen, `\x1b[2J`) {
				t.Errorf("a terminal gets\n%q, %v", seen, err)
			}
		})
	}
}
