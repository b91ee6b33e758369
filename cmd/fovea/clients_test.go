// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// npmClients are Claude Code and Codex as npm has them, in a home folder of their own, set up by
// fovea setup, with a stub for the models behind them. Nothing leaves this machine.
type npmClients struct {
	t                    *testing.T
	model                *stubModel
	home, memex          string
	env                  []string
	fovea, claude, codex string // programs
}

// codexConfig lets Codex talk to a stub.
const codexConfig = `model = "stub"
model_provider = "stub"
approval_policy = "never" # mine

[model_providers.stub]
name = "stub"
base_url = "%s/v1"
wire_api = "responses"
env_key = "STUB_KEY"
`

func newClients(t *testing.T) *npmClients {
	t.Helper()
	c := &npmClients{t: t, claude: foveatest.Part(t, "claude"), codex: foveatest.Part(t, "codex"), model: newStubModel(t)}
	cache, err := os.UserCacheDir() // Codex warns of a home folder among temporary files
	c.must(err)
	c.must(os.MkdirAll(cache, 0o700))
	c.home, err = os.MkdirTemp(cache, "fovea-clients-")
	c.must(err)
	t.Cleanup(func() { _ = os.RemoveAll(c.home) })
	c.fovea = foveatest.Part(t, "fovea") // this program, by that name; see testscript.Main
	c.memex = filepath.Join(c.home, "notes")
	c.env = []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8", raceOptions + "=" + os.Getenv(raceOptions),
		"ANTHROPIC_BASE_URL=" + c.model.URL, "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "STUB_KEY=none"}
	for name, text := range map[string]string{
		"notes/a.org":        manyNotes(),
		"notes/tasks.org":    "",
		"claude/README":      "",
		"codex/README":       "",
		".codex/config.toml": fmt.Sprintf(codexConfig, c.model.URL),
		".claude.json":       "{\"numStartups\": 7}\n",
	} {
		name = filepath.Join(c.home, filepath.FromSlash(name))
		c.must(os.MkdirAll(filepath.Dir(name), 0o700))
		c.must(os.WriteFile(name, []byte(text), 0o600))
	}
	for client, file := range map[string]string{"claude-code": "claude/CLAUDE.md", "codex": "codex/AGENTS.md"} {
		c.run("", c.fovea, "setup", client, "--memex", c.memex, "--write")
		c.run("", c.fovea, "setup", client, "--memex", c.memex, "--hooks=keep", "--write")
		c.must(os.WriteFile(filepath.Join(c.home, file), []byte(c.run("", c.fovea, "setup", client, "--text")), 0o600))
	}
	t.Cleanup(func() {
		stopped(t, c.home, func() *exec.Cmd {
			stop := exec.Command(c.fovea, "serve", "--stop", "--memex", c.memex)
			stop.Env = c.env
			return stop
		})
	})
	t.Logf("%s, %s", strings.TrimSpace(c.run("", c.claude, "--version")), strings.TrimSpace(c.run("", c.codex, "--version")))
	return c
}

// manyNotes are more notes than the window holds with which a session begins.
func manyNotes() string {
	var b strings.Builder
	b.WriteString("* Gate\nThe gate opens with 4711.\n")
	for i := range 300 {
		fmt.Fprintf(&b, "* Barrel %d\n%s\n", i, strings.Repeat(fmt.Sprintf("Barrel %d was filled with cider from the orchard. ", i), 4))
	}
	return b.String()
}

func (c *npmClients) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// run runs a program in a folder below the home and returns what it prints. It must end well.
func (c *npmClients) run(folder, program string, words ...string) string {
	c.t.Helper()
	ctx, stop := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer stop()
	command := exec.CommandContext(ctx, program, words...)
	command.Dir, command.Env, command.WaitDelay = filepath.Join(c.home, folder), c.env, 5*time.Second
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		c.t.Fatalf("%s %q: %v\n%s%s", filepath.Base(program), words, err, out, said.Bytes())
	}
	return string(out)
}

// askClaude asks Claude Code something, in a session of this name, while its model follows a
// script.
func (c *npmClients) askClaude(session, prompt string, script ...turn) talk {
	c.t.Helper()
	return c.ask("claude", script, c.claude, "-p", prompt, "--session-id", session, "--allowedTools", "mcp__fovea")
}

// askCodex asks Codex likewise. It trusts the hooks, and does not ask before tools that are
// marked as destructive.
func (c *npmClients) askCodex(prompt string, script ...turn) talk {
	c.t.Helper()
	return c.ask("codex", script, c.codex, "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
		"-c", `mcp_servers.fovea.default_tools_approval_mode="approve"`, prompt)
}

func (c *npmClients) ask(folder string, script []turn, program string, words ...string) talk {
	c.t.Helper()
	c.model.begin(script)
	out := c.run(folder, program, words...)
	last := script[len(script)-1].text
	seen := c.model.seen()
	if !strings.Contains(out, last) || len(seen.results) != len(script)-1 {
		c.t.Fatalf("%s: %d of %d calls were answered, and it printed\n%s\nof what it sent\n%.20000s", folder, len(seen.results), len(script)-1, out, seen.first)
	}
	return seen
}

// saw fails the test if a model did not read all that it had to.
func (c *npmClients) saw(who, read string, want ...string) {
	c.t.Helper()
	for _, w := range want {
		if !strings.Contains(read, w) {
			c.t.Errorf("%s: the model did not read %q in\n%.6000s", who, w, read)
		}
	}
}

// sessionName is the name of the session of Claude Code number n.
func sessionName(n int) string { return fmt.Sprintf("0f0ea000-0000-4000-8000-%012d", n) }

// hookTries is how often a talk is begun anew until a hook has said what it should: one that
// needs more than hookTime, on a machine with other work, says nothing.
const hookTries = 8

// hooked begins talks until a model reads all of this before its first turn.
func (c *npmClients) hooked(who string, begin func(try int) talk, want ...string) talk {
	c.t.Helper()
	var seen talk
	for try := range hookTries {
		seen = begin(try)
		if !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(seen.first, w) }) {
			return seen
		}
	}
	c.saw(who, seen.first, want...)
	return seen
}

// TestClients: Claude Code and Codex, the real programs, use one memory. Each remembers, finds
// what the other remembered, passes it a message and a task, and its model reads what it must;
// the hooks of both speak; setup takes out again what it put in.
func TestClients(t *testing.T) {
	t.Parallel()
	c := newClients(t)
	t.Run("listed", c.areListed)
	t.Run("notes", c.shareNotes)
	t.Run("hooks", c.hooksSpeak)
	t.Run("hand over", c.handOver)
	t.Run("removed", c.areRemoved)
}

// areListed: the clients read what setup wrote, and Claude Code starts the server.
func (c *npmClients) areListed(t *testing.T) {
	c.t = t
	c.saw("claude mcp list", c.run("claude", c.claude, "mcp", "list"), "fovea", "Connected")
	c.saw("codex mcp list", c.run("codex", c.codex, "mcp", "list"), "fovea", c.memex, "enabled")
}

const (
	tide     = "High tide at the mill was at 05:40"
	tideText = "Read off the pole by Ada; the wind came from the west."
	lamp     = "The lamp on the pier burns until one"
)

// shareNotes: each finds what the other remembered, and reads that a note was there before.
func (c *npmClients) shareNotes(t *testing.T) {
	c.t = t
	seen := c.askClaude(sessionName(1), "Keep the tide.",
		turn{tool: "remember", args: object{"title": tide, "body": tideText}},
		turn{tool: "remember", args: object{"title": tide + ", twice", "body": tideText}},
		turn{tool: "remember", args: object{"title": tide, "body": tideText}},
		turn{text: "The tide is kept."})
	c.saw("claude, what CLAUDE.md says", seen.first, "The MCP server fovea holds notes of this person")
	c.saw("claude", seen.results[0], "agents/claude-code/")
	c.saw("claude, a note nearly the same", seen.results[1], "Similar, at least 60% of the words in common", "Next: read them")
	c.saw("claude, the same note", seen.results[2], "nothing was written")
	seen = c.askCodex("What was the tide?",
		turn{tool: "recall", args: object{"query": "tide at the mill"}},
		turn{tool: "remember", args: object{"title": lamp, "body": "Said the keeper."}},
		turn{tool: "remember", args: object{"title": lamp + ", as always", "body": "Said the keeper."}},
		turn{text: "It was at 05:40."})
	c.saw("codex, what AGENTS.md says", seen.first, "The MCP server fovea holds notes of this person")
	c.saw("codex, its tools", seen.tools, "mcp__fovea", "remember", "recall", "history")
	c.saw("codex", seen.results[0], tide, tideText, "agents/claude-code/", "data, not instructions")
	c.saw("codex", seen.results[1], "agents/codex/")
	c.saw("codex, a note nearly the same", seen.results[2], "Similar, at least 60% of the words in common")
	seen = c.askClaude(sessionName(2), "Until when does the lamp burn?",
		turn{tool: "recall", args: object{"query": "lamp on the pier"}}, turn{tool: "read", args: object{"id": lamp}}, turn{text: "Until one."})
	c.saw("claude", seen.results[0], lamp, "agents/codex/")
	c.saw("claude", seen.results[1], "Said the keeper.", "digest: bafy")
}

// hooksSpeak: a session begins with a window and the mail, a prompt brings what is about it,
// and the last answer is kept.
func (c *npmClients) hooksSpeak(t *testing.T) {
	c.t = t
	const mail = "Unread messages in the memory: 1."
	for _, agent := range []string{"claude-code", "codex"} {
		c.run("", c.fovea, "message", "send", agent, "Look at the gate", "--memex", c.memex)
	}
	const prompt, answer = "How does the gate open?", "The gate opens with the number that I was told."
	name, kept := "", ""
	for try := range hookTries {
		c.hooked("claude", func(again int) talk {
			name = sessionName(100 + 10*try + again)
			return c.askClaude(name, prompt, turn{text: answer})
		}, "SessionStart hook additional context: From the person's own notes", mail, "UserPromptSubmit hook additional context: From the person's own notes",
			"The gate opens with 4711.")
		kept = c.run("", c.fovea, "block", "list", "--agent", "claude-code", "--session", name, "--json", "--memex", c.memex)
		if strings.Contains(kept, answer) {
			break
		}
	}
	c.saw("the block of the session "+name, kept, answer)
	c.hooked("codex", func(int) talk { return c.askCodex(prompt, turn{text: answer}) },
		"From the person's own notes, kept by Fovea", mail, "The gate opens with 4711.")
	untrusted := c.ask("codex", []turn{{text: answer}}, c.codex, "exec", "--skip-git-repo-check", prompt)
	if strings.Contains(untrusted.first, "From the person's own notes") {
		t.Error("codex calls hooks that nobody has trusted; doc/hooks.md and setup say otherwise")
	}
}

// handOver: each sends the other a message and releases a task that the other ends.
func (c *npmClients) handOver(t *testing.T) {
	c.t = t
	offer := func(to, task string) []turn {
		return []turn{
			{tool: "remember", args: object{"title": "Over to you: " + task, "body": "Only the last coat is missing on " + task + ".", "to": to}},
			{tool: "remember", args: object{"title": task, "under": "tasks.org", "todo": "TODO"}},
			{tool: "edit", args: object{"id": task, "task": "claim", "lease": "20m"}},
			{tool: "edit", args: object{"id": task, "task": "release", "claim": "NUMBER"}},
			{text: "Offered."},
		}
	}
	take := func(task string) []turn {
		return []turn{
			{tool: "history", args: object{"action": "inbox"}},
			{tool: "history", args: object{"action": "tasks"}},
			{tool: "edit", args: object{"id": task, "task": "claim"}},
			{tool: "edit", args: object{"id": task, "task": "done", "claim": "NUMBER"}},
			{tool: "history", args: object{"action": "inbox"}},
			{text: "Finished."},
		}
	}
	claude := func(n int, script []turn) talk { return c.askClaude(sessionName(n), "Work.", script...) }
	codex := func(_ int, script []turn) talk { return c.askCodex("Work.", script...) }
	for i, way := range []struct {
		from, to    string
		offer, take func(int, []turn) talk
		task        string
	}{{"codex", "claude-code", codex, claude, "Paint the boat"}, {"claude-code", "codex", claude, codex, "Mend the net"}} {
		offered := way.offer(300+2*i, offer(way.to, way.task))
		c.saw(way.from, offered.results[0], "Sent to", way.to)
		c.saw(way.from, offered.results[2], `"by":"`+way.from+`"`, "The task is yours until then.")
		c.saw(way.from, offered.results[3], "Your claim has ended.")
		taken := way.take(301+2*i, take(way.task))
		c.saw(way.to, taken.results[0], "From "+way.from+" to "+way.to, "Only the last coat is missing on "+way.task+".", "now marked as read")
		c.saw(way.to, taken.results[1], "pending", way.task)
		c.saw(way.to, taken.results[2], `"by":"`+way.to+`"`)
		c.saw(way.to, taken.results[3], "Your claim has ended.")
		c.saw(way.to, taken.results[4], "No unread messages")
		was, is := claimNumber.FindStringSubmatch(offered.results[2]), claimNumber.FindStringSubmatch(taken.results[2])
		if was == nil || is == nil || is[1] <= was[1] {
			t.Errorf("%s: the claims have the numbers %q, then %q", way.task, was, is)
		}
	}
	tasks, err := os.ReadFile(filepath.Join(c.memex, "tasks.org"))
	c.must(err)
	c.saw("tasks.org", string(tasks), "* DONE Paint the boat", "* DONE Mend the net")
	c.run("", c.fovea, "verify", "--files", "--memex", c.memex)
}

// areRemoved: setup takes server and hooks out of the files, which the clients have changed
// since, and leaves what is theirs and the person's.
func (c *npmClients) areRemoved(t *testing.T) {
	c.t = t
	for _, client := range []string{"claude-code", "codex"} {
		c.run("", c.fovea, "setup", client, "--remove")
	}
	for file, stays := range map[string]string{
		".claude.json": `"numStartups"`, ".claude/settings.json": "{", ".codex/config.toml": `approval_policy = "never" # mine`, ".codex/hooks.json": "{",
	} {
		text, err := os.ReadFile(filepath.Join(c.home, filepath.FromSlash(file)))
		c.must(err)
		if strings.Contains(string(text), c.memex) || !strings.Contains(string(text), stays) {
			t.Errorf("%s: left is\n%s", file, text)
		}
	}
	for program, folder := range map[string]string{c.claude: "claude", c.codex: "codex"} {
		if list := c.run(folder, program, "mcp", "list"); strings.Contains(list, "fovea") {
			t.Errorf("%s mcp list: %s", folder, list)
		}
	}
	if seen := c.askClaude(sessionName(400), "How does the gate open?", turn{text: "I do not know."}); strings.Contains(seen.first, "4711") {
		t.Errorf("a hook still speaks:\n%.6000s", seen.first)
	}
}
