// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// need is what a verb needs of the store; it decides which exit code damage leads to.
type need int

const (
	needsNotes   need = iota // what the notes hold now
	needsPast                // an earlier state
	needsWrite               // a commit
	needsProof               // verify
	needsMend                // repair
	needsOpen                // a process that keeps the memory open
	needsNothing             // no store
	allNeeds
)

// verbsByNeed has each verb once; newKept makes the memex. "./" begins a path below the
// folder of the test.
var verbsByNeed = map[need][][]string{
	needsNotes: {
		{"context", "--question", "first", "--budget", "500"}, {"query", "first"}, {"search", "first"}, {"show", "first"},
		{"skill", "list"}, {"event", "heartbeat"}, {"logs"}, {"skill", "check"},
		{"id", "list"}, {"log"}, {"snapshot", "list"}, {"drift"}, {"drift", "list"},
		{"guard", "list"}, {"guard", "policy"}, {"guard", "diff", "skills/s.org"}, {"status"}, {"block", "list", "--agent", "ada"},
		{"windows", "--agent", "ada"}, {"agent", "list"}, {"message", "inbox"}, {"task", "list"}, {"review", "list"},
		{"feedback", "status"},
	},
	needsPast: {{"diff", "0"}, {"blame", "inbox.org"}},
	needsWrite: {
		{"remember", "third"}, {"edit", "first", "--todo", "DONE"}, {"refile", "first", "Inbox"}, {"archive", "first"}, {"forget", "first"},
		{"id", "assign", "Inbox"}, {"import", "server-memory", "./graph.jsonl"},
		{"import", "jsonl", "./graph.jsonl"}, {"snapshot", "now"}, {"rollback", "0"}, {"revert", "3"},
		{"checkpoint"}, {"restore", "--at", "0", "inbox.org"}, {"guard", "adopt", "skills/s.org"}, {"retain", "--keep-all", "1h"},
		{"block", "add", "task", "T", "--agent", "ada"}, {"message", "send", "ada", "Hello", "--first"},
		{"feedback", "first", "--question", "first"},
	},
	needsProof:   {{"verify"}},
	needsMend:    {{"repair"}},
	needsOpen:    {{"serve", "--detach", "--idle", "1m"}, {"mcp"}, {"mcp", "--compat", "server-memory"}},
	needsNothing: {{"version"}, {"token", "list"}, {"token", "add", "ada"}},
}

// otherVerbs are in no table: what they do is not done to the store of the memex, or goes
// the way of another verb.
var otherVerbs = []string{
	"token remove", "store remove", "adopt", "merge", "merge-file", "setup", "ingest", "resolve", "drift adopt", "drift apply",
	"guard reject", "skill show", "purge", "guard adopt-key", "head", "prove", "setup embed", "hook", "block remove", "block score",
	"agent show", "message read", "task claim", "task renew", "task release", "task done", "import claude", "import basic-memory",
	"import okf", "import markdown", "export", "clone", "bundle write", "bundle read", "bundle verify", "bundle key", "remote list", "remote add",
	"remote remove", "remote serve", "remote scrub", "remote members", "remote admit", "remote expel",
	"push", "pull", "sync", "review diff", "review accept", "review edit", "review reject", "review withdraw",
	"feedback reset",
}

// TestEveryVerbHasACode: no verb is forgotten in the table of exit codes.
func TestEveryVerbHasACode(t *testing.T) {
	var have []string
	for _, verbs := range verbsByNeed {
		for _, words := range verbs {
			have = append(have, strings.Join(words, " "))
		}
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "fovea ")
		named := func(words string) bool { return words == name || strings.HasPrefix(words, name+" ") }
		if c.HasParent() && !slices.ContainsFunc(have, named) && !slices.ContainsFunc(otherVerbs, named) {
			t.Errorf("%q has no exit codes", name)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(command(newSession()))
}

// The exit codes by need, in the order of the constants.
var (
	soundCodes = [allNeeds]int{}
	toldCodes  = [allNeeds]int{needsWrite: exitCorrupt, needsProof: exitCorrupt} // damage that leaves the history readable
	// and damage that does not
	lostCodes     = [allNeeds]int{needsNotes: exitCorrupt, needsPast: exitCorrupt, needsWrite: exitCorrupt, needsProof: exitCorrupt}
	shutCodes     = [allNeeds]int{exitCorrupt, exitCorrupt, exitCorrupt, exitCorrupt, exitCorrupt, exitCorrupt, 0}
	misuseCodes   = [allNeeds]int{exitMisuse, exitMisuse, exitMisuse, exitMisuse, exitMisuse, exitMisuse, 0}
	goneCodes     = [allNeeds]int{exitFailed, exitFailed, exitFailed, exitFailed, exitFailed, exitFailed, 0}
	readOnlyCodes = [allNeeds]int{needsWrite: exitCorrupt}
)

// harms are the kinds of damage and refusal that every verb meets.
var harms = map[string]struct {
	codes [allNeeds]int
	do    func(k *kept)
}{
	"nothing is wrong":       {soundCodes, func(*kept) {}},
	"a newer format":         {toldCodes, func(k *kept) { k.put("state/FORMAT", "format 9.9\n") }},
	"no FORMAT":              {toldCodes, func(k *kept) { k.remove("FORMAT") }},
	"a damaged journal":      {lostCodes, func(k *kept) { k.put("state/journal/00000001.j", "damaged") }},
	"no journal":             {lostCodes, func(k *kept) { k.remove("journal") }},
	"no history":             {lostCodes, func(k *kept) { k.remove("journal", "image", "head", "cache") }},
	"no state folder":        {lostCodes, func(k *kept) { k.must(os.RemoveAll(k.state)) }},
	"a pipe for a log":       {shutCodes, func(k *kept) { k.must(specialKinds["a pipe"](filepath.Join(k.state, "serve.log"))) }},
	"a pipe for FORMAT":      {shutCodes, func(k *kept) { k.remove("FORMAT"); k.must(specialKinds["a pipe"](filepath.Join(k.state, "FORMAT"))) }},
	"a link for the journal": {shutCodes, func(k *kept) { k.remove("journal"); k.must(specialKinds["a link"](filepath.Join(k.state, "journal"))) }},
	"a file for the state":   {misuseCodes, func(k *kept) { k.must(os.RemoveAll(k.state)); k.put("state", "") }},
	"a bad configuration":    {misuseCodes, func(k *kept) { k.put("config/fovea/config.toml", "guard = = 3\n") }},
	"no memex":               {goneCodes, func(k *kept) { k.must(os.RemoveAll(k.memex)) }},
	"a file for the memex":   {goneCodes, func(k *kept) { k.must(os.RemoveAll(k.memex)); k.put("memex", "") }},
	"a state not writable":   {readOnlyCodes, func(k *kept) { k.must(exec.Command("chmod", "-R", "a-w", k.state).Run()) }},
	"a state not readable":   {shutCodes, func(k *kept) { k.must(os.Chmod(k.state, 0)) }},
}

// TestExitCodes: each verb ends, in each kind of damage, with the code that
// doc/command-line.md gives it, and the error as JSON is of a kind with that code. Root may
// read and write everything, so there the verbs run as nobody.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	k.put("graph.jsonl", `{"type":"entity","name":"Rivet","entityType":"part","observations":["steel"]}`+"\n")
	k.must(errors.Join(os.Chmod(k.dir, 0o755), copied(k.memex, k.memex+".bak"), copied(k.dir+"/config", k.dir+"/config.bak")))
	binary := os.Args[0]
	if os.Getuid() == 0 {
		binary = readable(t, k.dir)
	}
	nobody := false
	ran := func(k *kept, words ...string) (out, said string, code int) {
		c := k.command(words...)
		if slices.ContainsFunc(verbsByNeed[needsOpen], func(v []string) bool { return v[0] == words[0] }) {
			c = k.served(words...)
		}
		if nobody {
			c.Path = binary
			k.must(exec.Command("chown", "-R", "65534:65534", k.dir).Run())
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		return k.ran(c)
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			k := *k
			k.t = t
			nobody = os.Getuid() == 0 && strings.HasPrefix(name, "a state not")
			k.must(os.RemoveAll(filepath.Join(k.dir, "fovea"))) // of sockets, which another user may have made
			for need := range allNeeds {
				for i, words := range verbsByNeed[need] {
					if foveatest.Thin(i, 12) {
						continue
					}
					k.restore()
					for _, folder := range []string{k.memex, k.dir + "/config"} {
						k.must(errors.Join(os.RemoveAll(folder), copied(folder+".bak", folder)))
					}
					harm.do(&k)
					words = slices.Clone(words)
					for i := range words {
						if below, ok := strings.CutPrefix(words[i], "./"); ok {
							words[i] = filepath.Join(k.dir, below)
						}
					}
					_, said, code := ran(&k, append(words, "--json")...)
					if code != harm.codes[need] {
						t.Errorf("%q ends with %d, want %d:\n%s", words, code, harm.codes[need], said)
					}
					if code != 0 {
						k.kind(said, code)
					}
					if need == needsOpen {
						_, _, _ = ran(&k, "serve", "--stop")
					}
				}
			}
		})
	}
}

// put writes a file below the folder of the test.
func (k *kept) put(name, text string) {
	k.t.Helper()
	path := filepath.Join(k.dir, name)
	k.must(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
}

// kind checks that the error on the last line of what was said is of a kind with a code.
func (k *kept) kind(said string, code int) {
	k.t.Helper()
	lines := strings.Split(strings.TrimSpace(said), "\n")
	var last struct{ Error, Kind string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		k.t.Errorf("no error as JSON: %s", said)
		return
	}
	for kind := fovea.Other; kind <= fovea.Unreachable; kind++ {
		if kind.String() == last.Kind && exitCode(&fovea.Error{Kind: kind, Err: errors.New("x")}) != code {
			k.t.Errorf("the error is %q, the code %d: %s", last.Kind, code, last.Error)
		}
	}
}
