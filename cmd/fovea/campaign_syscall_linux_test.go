// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// systemCalls are those through which the command reads and writes files, with
// the error that each fails with.
var systemCalls = []struct{ name, fault string }{
	{"openat", "EMFILE"}, {"openat", "EIO"}, {"read", "EIO"}, {"pread64", "EIO"}, {"getdents64", "EIO"}, {"newfstatat", "EIO"}, {"fstat", "EIO"},
	{"write", "EIO"}, {"write", "ENOSPC"}, {"pwrite64", "EIO"}, {"pwrite64", "ENOSPC"}, {"ftruncate", "EIO"},
	{"fsync", "EIO"}, {"fdatasync", "EIO"}, {"renameat", "EIO"}, {"renameat", "ENOSPC"}, {"linkat", "EIO"}, {"unlinkat", "EIO"},
	{"mkdirat", "ENOSPC"}, {"fchmod", "EPERM"}, {"flock", "EINTR"}, {"close", "EIO"},
}

// mostCalls bounds the search for the last call of a kind.
const mostCalls = 400

// TestCampaignOfSystemCalls makes system calls of the command fail, one or a few
// per run, by strace: no panic, nothing printed is lost, no command that failed
// has half happened, and none ends well that did not do its work.
func TestCampaignOfSystemCalls(t *testing.T) {
	t.Parallel()
	strace := foveatest.Part(t, "strace")
	campaign := foveatest.NewCampaign(t)
	o := newOwner(t, campaign)
	for _, words := range [][]string{{"ingest"}, {"snapshot", "first"}, {"edit", "n01-1", "--todo", "TODO"}} {
		o.run(words, false)
	}
	base := t.TempDir()
	o.copy(t, base, "")
	runs, failed := 0, 0
	for _, words := range [][]string{
		{"edit", "n00-1", "--title", "Other"}, {"refile", "n00-1", "n01-0"}, {"archive", "n00-0"}, {"ingest"},
		{"snapshot", "name"}, {"checkpoint", "here"}, {"rollback", "seq:1"}, {"remember", "New", "--under", "inbox.org"},
	} {
		for _, call := range systemCalls {
			for n := 1; n < mostCalls; n++ {
				if !campaign.Picks(40) {
					if n > 12 {
						break // a short campaign does not know how many there are
					}
					continue
				}
				o.copy(t, "", base)
				if words[0] == "ingest" {
					o.save(3)
				}
				run := injection{owner: o, strace: strace, words: words, call: call.name, fault: call.fault, n: n}
				hit, well := run.do(t)
				if !hit {
					break
				}
				runs++
				if !well {
					failed++
				}
			}
		}
	}
	const sample = 100 // of fewer, all may end alike
	if runs == 0 || runs >= sample && (failed == 0 || failed == runs) {
		t.Errorf("%d of %d commands failed", failed, runs)
	}
	t.Logf("seed %d: %d commands with a failing system call, %d of them failed", campaign.Seed, runs, failed)
}

// copy copies memex and state to a folder, or from one.
func (o *owner) copy(t *testing.T, to, from string) {
	t.Helper()
	for name, dir := range map[string]string{"memex": o.memex, "state": o.state} {
		source, target := dir, filepath.Join(to, name)
		if from != "" {
			source, target = filepath.Join(from, name), dir
		}
		if err := os.RemoveAll(target); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(target, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
	}
}

// injection is a command that strace makes one kind of system call fail in: the
// n-th of each thread.
type injection struct {
	*owner
	strace, call, fault string
	words               []string
	n                   int
}

// do runs it and checks what it left. It reports whether a call failed, and
// whether the command ended well all the same.
func (in injection) do(t *testing.T) (hit, well bool) {
	t.Helper()
	o := new(*in.owner) // what this run prints is gone with the next
	o.printed, o.names = maps.Clone(o.printed), maps.Clone(o.names)
	where := fmt.Sprintf("%s with %s at %s %d", strings.Join(in.words, " "), in.fault, in.call, in.n)
	before, head := o.files(), o.head()
	plain := o.command(t.Context(), in.words...)
	trace := filepath.Join(t.TempDir(), "trace")
	c := exec.CommandContext(t.Context(), in.strace, append([]string{
		"-f", "-qq", "-o", trace, "-e", "trace=" + in.call, "-e", fmt.Sprintf("inject=%s:error=%s:when=%d", in.call, in.fault, in.n), "--", plain.Path,
	}, plain.Args[1:]...)...)
	c.Env = plain.Env
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	err := c.Run()
	traced, readErr := os.ReadFile(trace)
	if readErr != nil {
		t.Fatalf("%s: %v\n%s", where, readErr, complaint.Bytes())
	}
	if !bytes.Contains(traced, []byte("(INJECTED)")) {
		return false, err == nil
	}
	if said := complaint.String(); strings.Contains(said, "goroutine ") && !runtimesOwn(said) {
		t.Fatalf("%s: panic:\n%s", where, said)
	}
	known := len(o.printed)
	o.note(out.Bytes())
	if err == nil && in.words[0] != "ingest" && in.words[0] != "snapshot" && in.words[0] != "checkpoint" && len(o.printed) == known {
		t.Errorf("%s: ended well without a commit:\n%s%s", where, out.Bytes(), complaint.Bytes())
	}
	if after := o.head(); in.words[0] != "ingest" && (after == head) != cmp.Equal(before, o.files()) {
		t.Fatalf("%s: from commit %d to %d, and the files are the same: %v\n%s", where, head, after, cmp.Equal(before, o.files()), complaint.Bytes())
	}
	o.check(where)
	return true, err == nil
}

// runtimesOwn reports whether the Go runtime gave up because a call of its own
// failed, one that is about no file.
func runtimesOwn(said string) bool {
	return strings.Contains(said, "netpoll") || strings.Contains(said, "epoll") || strings.Contains(said, "eventfd")
}
