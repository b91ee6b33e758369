// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// BenchmarkRollback rolls a memory of 1,000 files and 10,000 headlines back to before
// a change of every file, files included and all of it durable, and lets git restore
// the same folder from the same two states, by turns. git syncs nothing.
func BenchmarkRollback(b *testing.B) {
	git := foveatest.Part(b, "git")
	for b.Loop() {
		r := newRollback(b, git, foveatest.Size(1000, 20))
		for range rounds() {
			r.forth(b)
			r.ours = append(r.ours, spend(b, func() error { return r.back(b) }))
			r.forth(b)
			r.theirs = append(r.theirs, r.restore(b))
		}
		ours, theirs := middle(r.ours, cost.wallMS), middle(r.theirs, cost.wallMS)
		b.ReportMetric(ours, "fovea-ms")
		b.ReportMetric(middle(r.ours, cost.processorMS), "fovea-cpu-ms")
		b.ReportMetric(theirs, "git-ms")
		b.ReportMetric(middle(r.theirs, cost.processorMS), "git-cpu-ms")
		b.ReportMetric(ours/theirs, "fovea/git")
	}
	b.ReportMetric(0, "ns/op")
}

// TestRollbackSides: both sides must bring every file back.
func TestRollbackSides(t *testing.T) {
	r := newRollback(t, foveatest.Part(t, "git"), 20)
	r.forth(t)
	must(t, r.back(t))
	r.forth(t)
	r.restore(t)
}

// rollback is one folder that a memory and a repository of git know in two states.
type rollback struct {
	dir, git, repository string
	files                int
	m                    *fovea.Memory

	ours, theirs []cost
}

func newRollback(tb testing.TB, git string, files int) *rollback {
	r := &rollback{dir: tb.TempDir(), git: git, repository: filepath.Join(tb.TempDir(), "git"), files: files}
	must(tb, foveatest.GenFiles(r.dir, files, 10))
	m, err := fovea.Open(tb.Context(), r.dir, &fovea.Options{StateDir: tb.TempDir()})
	must(tb, err)
	tb.Cleanup(func() { must(tb, m.Close()) })
	must(tb, m.Ingest(tb.Context(), nil))
	_, err = m.History().Snapshot(tb.Context(), "before")
	must(tb, err)
	r.m = m
	r.run(tb, "init", "-q")
	r.run(tb, "add", "-A")
	r.run(tb, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-q", "-m", "before")
	return r
}

// run calls git on the folder.
func (r *rollback) run(tb testing.TB, arg ...string) run {
	env := append(os.Environ(), "GIT_DIR="+r.repository, "GIT_WORK_TREE="+r.dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	return measure(tb, env, r.git, arg...)
}

// forth changes every file, and lets the memory and git's index know.
func (r *rollback) forth(tb testing.TB) {
	for f := range r.files {
		must(tb, os.WriteFile(r.name(f), fmt.Appendf(nil, "%schanged\n", foveatest.GenFile(f, 10)), 0o644))
	}
	must(tb, r.m.Ingest(tb.Context(), nil))
	r.run(tb, "add", "-A")
}

func (r *rollback) name(f int) string { return filepath.Join(r.dir, fmt.Sprintf("f%05d.org", f)) }

// back rolls the memory back.
func (r *rollback) back(tb testing.TB) error {
	_, touched, err := r.m.History().Rollback(tb.Context(), "before", nil)
	if err == nil && len(touched) != r.files {
		err = fmt.Errorf("%d files were rolled back, want %d", len(touched), r.files)
	}
	r.check(tb)
	return err
}

// restore lets git bring the files of its last commit back.
func (r *rollback) restore(tb testing.TB) cost {
	took := r.run(tb, "checkout", "-q", "-f", "HEAD", "--", ".")
	r.check(tb)
	return cost{took.wall, took.cpu}
}

// check looks at the last file.
func (r *rollback) check(tb testing.TB) {
	text, err := os.ReadFile(r.name(r.files - 1))
	must(tb, err)
	if string(text) != foveatest.GenFile(r.files-1, 10) {
		tb.Fatal("the files are not what they were")
	}
}
