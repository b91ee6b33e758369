// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// sshBox is a machine behind a real sshd on loopback, called box, and those that go to it.
type sshBox struct {
	t    *testing.T
	dir  string
	port int
	sshd string
	run  *exec.Cmd // sshd
	amid *os.File  // a line comes here where a session waits to be killed
}

// newSSHBox starts sshd as the user of the test, with keys and a configuration of its own. A
// machine finds it by its file of ssh's configuration, as a user would: a script ssh on PATH names
// that file, since ssh looks for it in the home folder of the account only.
func newSSHBox(t *testing.T) *sshBox {
	t.Helper()
	b := &sshBox{t: t, dir: t.TempDir(), sshd: foveatest.Part(t, "sshd")}
	ssh, keygen := foveatest.Part(t, "ssh"), foveatest.Part(t, "ssh-keygen")
	if os.Getuid() == 0 { // what Debian's service makes
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"host", "user", "other"} {
		if out, err := exec.CommandContext(t.Context(), keygen, "-q", "-t", "ed25519", "-N", "", "-f", b.at(name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	b.port = foveatest.FreePort(t)
	b.write("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", ssh, b.at("ssh_config")))
	b.write("ssh_config", fmt.Sprintf("Host box\nHostName 127.0.0.1\nPort %d\nIdentityFile %s\nIdentitiesOnly yes\nIdentityAgent none\n"+
		"UserKnownHostsFile %s\nGlobalKnownHostsFile /dev/null\n", b.port, b.at("user"), b.at("known_hosts")))
	b.write("sshd_config", fmt.Sprintf("ListenAddress 127.0.0.1\nPort %d\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\nUsePAM no\nStrictModes no\n"+
		"PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nSetEnv PATH=%s:/usr/bin:/bin\n",
		b.port, b.at("host"), b.at("authorized_keys"), b.at("there")))
	b.write("authorized_keys", b.read("user.pub"))
	b.knows("host")
	b.whole()
	if out, err := exec.CommandContext(t.Context(), "mkfifo", b.at("amid")).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v\n%s", err, out)
	}
	var err error
	if b.amid, err = os.OpenFile(b.at("amid"), os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.amid.Close() })
	b.start()
	t.Cleanup(b.kill)
	return b
}

func (b *sshBox) at(name string) string { return filepath.Join(b.dir, name) }

func (b *sshBox) read(name string) string {
	b.t.Helper()
	text, err := os.ReadFile(b.at(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// write writes a file, readable by its owner only, as keys must be. What is in bin and there runs.
func (b *sshBox) write(name, text string) {
	b.t.Helper()
	mode := fs.FileMode(0o600)
	if dir := filepath.Dir(name); dir == "bin" || dir == "there" {
		mode = 0o700
	}
	if err := os.MkdirAll(filepath.Dir(b.at(name)), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.at(name), []byte(text), mode); err != nil {
		b.t.Fatal(err)
	}
}

// knows has the machines know box by this key.
func (b *sshBox) knows(key string) {
	b.write("known_hosts", fmt.Sprintf("[127.0.0.1]:%d %s", b.port, b.read(key+".pub")))
}

// serves makes a command the fovea that ssh finds on box; FOVEA in it is the real one.
func (b *sshBox) serves(command string) {
	real := fmt.Sprintf("env %s=1 %s", asCommand, os.Args[0])
	b.write("there/fovea", "#!/bin/sh\n"+strings.ReplaceAll(command, "FOVEA", real+` "$@"`)+"\n")
}

func (b *sshBox) whole() { b.serves("exec FOVEA") }

// start starts sshd and waits until it answers.
func (b *sshBox) start() {
	b.t.Helper()
	b.run = exec.CommandContext(b.t.Context(), b.sshd, "-D", "-e", "-f", b.at("sshd_config"))
	said, err := b.run.StderrPipe()
	if err == nil {
		err = b.run.Start()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	var all bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(all.String(), "Server listening") {
		n, err := said.Read(buf)
		all.Write(buf[:n])
		if err != nil {
			b.t.Fatalf("sshd: %v\n%s", err, &all)
		}
	}
	go func() { // until sshd and its sessions have ended
		for err := error(nil); err == nil; _, err = said.Read(buf) {
		}
	}()
}

// kill kills sshd with all its sessions.
func (b *sshBox) kill() {
	for _, pid := range append(below(b.run.Process.Pid), b.run.Process.Pid) {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended
		}
	}
	_ = b.run.Wait()
}

// below returns the sshd processes that a process started, and those that they started.
func below(pid int) (all []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, _ := os.ReadFile(name) // "PID (NAME) STATE PARENT ..."
		before, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		if !strings.HasSuffix(before, "(sshd") || len(fields) < 2 || fields[1] != strconv.Itoa(pid) {
			continue
		}
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		all = append(append(all, child), below(child)...)
	}
	return all
}

// on prepares a command on a machine with a home of its own.
func (b *sshBox) on(machine string, words ...string) *exec.Cmd {
	c := exec.CommandContext(b.t.Context(), os.Args[0], words...)
	c.Env = append(os.Environ(), asCommand+"=1", "PATH="+b.at("bin")+":"+os.Getenv("PATH"), "HOME="+b.at(machine), "MEMORY_SNAPSHOT_PATH=",
		"XDG_CONFIG_HOME="+b.at(machine+"/config"), "XDG_STATE_HOME="+b.at(machine+"/state"), "XDG_RUNTIME_DIR="+b.at(machine+"/run"))
	c.Dir = b.dir
	return c
}

// does runs a command on a machine, on its notes, and returns its standard output.
func (b *sshBox) does(machine string, words ...string) string {
	b.t.Helper()
	c := b.on(machine, append(words, "--memex", machine+"/notes")...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		b.t.Fatalf("%s: %v: %v\n%s%s", machine, words, err, out, &said)
	}
	return string(out)
}

// fails runs a command that ends with an error, whose text it returns: one line.
func (b *sshBox) fails(c *exec.Cmd) string {
	b.t.Helper()
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Run(); err == nil {
		b.t.Fatalf("%v: no error\n%s", c.Args[1:], &said)
	}
	if text := said.String(); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "fovea: ") {
		b.t.Errorf("%v: not one line:\n%s", c.Args[1:], text)
	}
	return said.String()
}

// clones makes a memory of what box has on a new machine, and compares it.
func (b *sshBox) clones(machine, like string, flags ...string) {
	b.t.Helper()
	if out, err := b.on(machine, append([]string{"clone", b.url(), machine + "/notes"}, flags...)...).CombinedOutput(); err != nil {
		b.t.Fatalf("clone: %v\n%s", err, out)
	}
	b.same(machine, like)
	if diff := cmp.Diff(b.commits(machine), b.commits(like)); diff != "" {
		b.t.Errorf("history of %s and %s:\n%s", machine, like, diff)
	}
}

func (b *sshBox) url() string { return "ssh://box" + b.at("remote") }

// same compares the files of two machines, and how many commits lead to which state.
func (b *sshBox) same(one, other string) {
	b.t.Helper()
	files := func(machine string) map[string]string {
		all, root := map[string]string{}, b.at(machine+"/notes")
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				rel, _ := filepath.Rel(root, name)
				all[rel] = b.read(machine + "/notes/" + rel)
			}
			return err
		})
		if err != nil {
			b.t.Fatal(err)
		}
		return all
	}
	if diff := cmp.Diff(files(one), files(other)); diff != "" {
		b.t.Errorf("files of %s and %s:\n%s", one, other, diff)
	}
	of, and := b.commits(one), b.commits(other)
	if len(of) != len(and) || of[0].Root != and[0].Root {
		b.t.Errorf("history of %s and %s: %d and %d commits, %v and %v", one, other, len(of), len(and), of[0], and[0])
	}
}

// logged is a commit as log prints it.
type logged struct {
	Seq          uint64
	Commit, Root string
}

// commits returns the history of a machine, the newest commit first.
func (b *sshBox) commits(machine string) (log []logged) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(b.does(machine, "log", "--json")), &log); err != nil || len(log) == 0 || log[0].Seq < log[len(log)-1].Seq {
		b.t.Fatalf("log: %v, %v", log, err)
	}
	return log
}

// begin makes the notes of a machine, of words that no compression makes short, and puts them on box.
func (b *sshBox) begin(machine string) {
	b.t.Helper()
	random := rand.New(rand.NewPCG(1, 18))
	for i := range 5 {
		var text strings.Builder
		for k := range 20 {
			fmt.Fprintf(&text, "* Note %d of %d\n%x %x\n", k, i, random.Uint64(), random.Uint64())
		}
		b.write(fmt.Sprintf("%s/notes/sub/%d.org", machine, i), text.String())
	}
	b.write("pass", "correct horse\n")
	b.does(machine, "ingest")
	b.does(machine, "remote", "add", "box", b.url(), "--passphrase-file", "pass")
}

// TestSSH: two machines are kept in step both ways through a real sshd: the files have the same
// bytes, the histories the same commits.
func TestSSH(t *testing.T) {
	t.Parallel()
	b := newSSHBox(t)
	b.begin("one")
	b.does("one", "push")
	b.clones("two", "one", "--passphrase-file", "pass")
	b.write("one/notes/inbox.org", "* From one\n")
	b.does("one", "sync")
	b.does("two", "sync")
	b.same("one", "two")
	b.write("two/notes/inbox.org", b.read("two/notes/inbox.org")+"* From two\n")
	b.does("two", "sync")
	b.does("one", "sync")
	b.same("one", "two")
	b.write("one/notes/both.org", "* Of one at the same time\n")
	b.write("two/notes/sub/0.org", b.read("two/notes/sub/0.org")+"* Of two at the same time\n")
	b.does("one", "sync")
	b.does("two", "sync")
	b.does("one", "sync")
	b.same("one", "two")
}

// TestSSHKilled kills sshd amid each request of a push, and behind each before its answer has gone
// out: the push fails with one line, and the next one puts all on box.
func TestSSHKilled(t *testing.T) {
	t.Parallel()
	b := newSSHBox(t)
	b.begin("one")
	const some = "for i in $(seq %d); do head -n 1; done; " // each says what it has at once
	stop := "echo >" + b.at("amid") + "; exec cat >/dev/null; "
	for _, kind := range []struct{ name, command string }{
		{"amid a request", `{ ` + some + `x=$(head -c 10); if [ -n "$x" ]; then printf %s "$x"; ` + stop + `fi; } | FOVEA`},
		{"before an answer", `FOVEA | { ` + some + `if read -r x; then ` + stop + `fi; }`},
	} {
		killed := 0
		for n, done := 0, false; !done; n++ {
			b.write("one/notes/inbox.org", fmt.Sprintf("* %s %d\n", kind.name, n))
			b.does("one", "ingest")
			b.serves(strings.ReplaceAll(kind.command, "%d", strconv.Itoa(n)))
			done = !b.killedPush()
			b.whole()
			if done {
				continue
			}
			killed++
			b.start()
			b.does("one", "push")
			if got := b.does("one", "status"); !strings.Contains(got, "box, 0 commits behind") {
				t.Errorf("%s %d:\n%s", kind.name, n, got)
			}
		}
		if killed < 3 {
			t.Errorf("%s: sshd was killed %d times", kind.name, killed)
		}
		b.clones(strings.ReplaceAll(kind.name, " ", "-"), "one", "--passphrase-file", "pass")
	}
}

// killedPush pushes, and kills sshd when a session says so. It reports whether one did.
func (b *sshBox) killedPush() bool {
	b.t.Helper()
	push := b.on("one", "push", "--memex", "one/notes")
	var said bytes.Buffer
	push.Stderr = &said
	if err := push.Start(); err != nil {
		b.t.Fatal(err)
	}
	ended, now := make(chan error, 1), make(chan struct{})
	go func() { ended <- push.Wait() }()
	go func() {
		defer close(now)
		_, _ = b.amid.Read(make([]byte, 1)) // also ends when it is closed
	}()
	select {
	case err := <-ended:
		if err != nil {
			b.t.Fatalf("push: %v\n%s", err, &said)
		}
		fmt.Fprintln(b.amid) // ends the other one
		<-now
		return false
	case <-now:
	}
	b.kill()
	err := <-ended
	if text := said.String(); err == nil || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "fovea: ") {
		b.t.Errorf("the push that was cut: %v\n%s", err, text)
	}
	return true
}

// TestSSHRefuses: what keeps a machine from getting in is one line that says what to do.
func TestSSHRefuses(t *testing.T) {
	t.Parallel()
	b := newSSHBox(t)
	b.begin("one")
	b.does("one", "push")
	for _, tt := range []struct {
		name   string
		change func()
		want   string
	}{
		{"another host key", func() { b.knows("other") }, "ssh-keygen -R"},
		{"an unknown host", func() { b.write("known_hosts", "") }, "connect once with ssh"},
		{"a refused key", func() { b.write("authorized_keys", b.read("other.pub")) }, "ssh-copy-id"},
		{"no fovea there", func() { os.Remove(b.at("there/fovea")) }, "no fovea there"},
		{"nobody listens", b.kill, "Connection refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.t = t
			tt.change()
			for _, c := range []*exec.Cmd{b.on("one", "sync", "--memex", "one/notes"), b.on("two", "clone", b.url(), "two/notes")} {
				if got := b.fails(c); !strings.Contains(got, tt.want) || !strings.Contains(got, "ssh://box/") || len(got) > 500 {
					t.Errorf("want %q: %s", tt.want, got)
				}
			}
			b.knows("host")
			b.write("authorized_keys", b.read("user.pub"))
			b.whole()
		})
	}
}

// TestRepositoryOverSSH: two machines meet in a repository behind sshd, which the git of each reaches with its own key; a
// machine whose key is refused is told of that.
func TestRepositoryOverSSH(t *testing.T) {
	b := newSSHBox(t)
	repository := b.at("notes.git")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--bare", repository).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	url := "git+ssh://box" + repository
	b.write("pass.txt", "correct horse\n")
	b.write("laptop/notes/a.org", "* Of the laptop\n")
	b.does("laptop", "ingest")
	b.does("laptop", "remote", "add", "team", url, "--passphrase-file", b.at("pass.txt"))
	b.does("laptop", "push", "team")
	if out, err := b.on("desk", "clone", url, "desk/notes", "--passphrase-file", b.at("pass.txt")).CombinedOutput(); err != nil {
		t.Fatalf("clone: %v\n%s", err, out)
	}
	b.does("desk", "remote", "add", "team", url, "--passphrase-file", b.at("pass.txt"))
	b.does("desk", "remember", "Of the desk")
	b.does("desk", "sync", "team")
	b.does("laptop", "sync", "team")
	b.same("laptop", "desk")
	b.write("authorized_keys", b.read("other.pub"))
	if text := b.fails(b.on("laptop", "sync", "team", "--memex", "laptop/notes")); !strings.Contains(text, "Permission denied") {
		t.Error(text)
	}
}
