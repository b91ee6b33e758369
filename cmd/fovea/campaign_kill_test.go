// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// owner is a memory that the command works on, what it has printed, and how long
// its verbs take.
type owner struct {
	t            *testing.T
	campaign     *foveatest.Campaign
	memex, state string
	env          []string
	printed      map[uint64]string // roots of commits, "" where only the number was
	names        map[string]uint64 // of snapshots
	took         map[string]time.Duration
	n            int // of texts written
}

func newOwner(t *testing.T, campaign *foveatest.Campaign) *owner {
	t.Helper()
	dir := t.TempDir()
	o := &owner{
		t: t, campaign: campaign, memex: filepath.Join(dir, "memex"), state: filepath.Join(dir, "state"),
		printed: map[uint64]string{}, names: map[string]uint64{}, took: map[string]time.Duration{},
	}
	o.env = append(os.Environ(), asCommand+"=1", "MEMORY_SNAPSHOT_PATH="+o.state, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
	for i := range 12 {
		o.save(i)
	}
	return o
}

// save writes a file beside the command, as an editor does.
func (o *owner) save(i int) {
	o.t.Helper()
	var b strings.Builder
	for k := range 4 {
		o.n++
		fmt.Fprintf(&b, "* Text %d\n:PROPERTIES:\n:ID: n%02d-%d\n:END:\n%s", o.n, i, k, strings.Repeat("A line of a body.\n", o.campaign.Rand.IntN(400)))
	}
	path := filepath.Join(o.memex, fmt.Sprintf("f%02d.org", i))
	err := os.MkdirAll(o.memex, 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(b.String()), 0o644)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// verb draws the words of a command.
func (o *owner) verb() []string {
	node := func() string { return fmt.Sprintf("n%02d-%d", o.campaign.Rand.IntN(12), o.campaign.Rand.IntN(4)) }
	o.n++
	switch o.campaign.Rand.IntN(14) {
	case 0, 1:
		for range 1 + o.campaign.Rand.IntN(4) {
			o.save(o.campaign.Rand.IntN(12))
		}
		return []string{"ingest"}
	case 2:
		return []string{"edit", node(), "--title", fmt.Sprintf("Title %d", o.n), "--tag", "edited"}
	case 3:
		return []string{"remember", fmt.Sprintf("Remembered %d", o.n), "--under", node()}
	case 4:
		return []string{"refile", node(), node()}
	case 5:
		return []string{"archive", node()}
	case 6:
		return []string{"snapshot", fmt.Sprintf("name-%d", o.campaign.Rand.IntN(20))}
	case 7:
		return []string{"ingest", "--ast", o.ast()}
	case 8:
		return []string{"refile", fmt.Sprintf("t%d", o.campaign.Rand.IntN(6)), node()}
	case 9:
		return []string{"checkpoint", fmt.Sprintf("checkpoint-%d", o.campaign.Rand.IntN(5))}
	case 10:
		return []string{"revert", fmt.Sprintf("seq:%d", 2+o.campaign.Rand.IntN(2*o.n))}
	case 11:
		return []string{"retain", "--hourly", "1h"}
	case 12:
		return []string{"repair"}
	default:
		return []string{"rollback", fmt.Sprint(o.campaign.Rand.IntN(5))}
	}
}

// ast writes a tree beside the memex and names its file.
func (o *owner) ast() string {
	text := fmt.Sprintf(`{"type":"headline","properties":{"ID":"t%d","TITLE":"Tree `+
		`%d"},"raw-content":"text","contents":[{"type":"paragraph","raw-content":"%d"}]}`,
		o.campaign.Rand.IntN(6), o.n, o.n)
	file := filepath.Join(filepath.Dir(o.state), "tree.json")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		o.t.Fatal(err)
	}
	return file
}

// command prepares a run of the command.
func (o *owner) command(ctx context.Context, words ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], append(words, "--memex", o.memex, "--json")...)
	c.Env = o.env
	return c
}

// run runs a command to its end, or kills it after a part of the time that its
// verb takes. What it has printed is noted. It reports whether it was killed.
func (o *owner) run(words []string, kill bool) bool {
	o.t.Helper()
	ctx := o.t.Context()
	if kill {
		var stop context.CancelFunc
		part := time.Duration((0.4 + 0.7*o.campaign.Rand.Float64()) * float64(o.took[words[0]]))
		ctx, stop = context.WithTimeout(ctx, part)
		defer stop()
	}
	c := o.command(ctx, words...)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	begun := time.Now()
	err := c.Run()
	took := time.Since(begun)
	o.note(out.Bytes())
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case kill && ctx.Err() != nil:
		o.took[words[0]] += o.took[words[0]] / 20 // so that the kills come late enough
		return true
	case ended && (exit.ExitCode() == exitFailed || exit.ExitCode() == exitMisuse || exit.ExitCode() == exitConflict) &&
		strings.Contains(complaint.String(), `"kind"`):
		return false // the draw asked for what cannot be
	case err != nil:
		o.t.Fatalf("%v: %v\n%s", words, err, complaint.Bytes())
	}
	o.took[words[0]] = took
	return false
}

// note takes down the commits and snapshots that were printed.
func (o *owner) note(out []byte) {
	for line := range bytes.Lines(out) {
		var said struct {
			Seq      uint64
			Root     string
			Name     *string
			Snapshot *struct {
				Seq  uint64
				Name string
			}
			Documents, Line *int
		}
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &said) != nil {
			continue // cut short by the kill
		}
		switch {
		case said.Snapshot != nil:
			o.names[said.Snapshot.Name] = said.Snapshot.Seq
		case said.Name != nil:
			o.names[*said.Name] = said.Seq
		case said.Seq > 0:
			o.printed[said.Seq] = said.Root
		}
	}
}

// files reads the memex.
func (o *owner) files() map[string]string {
	o.t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(o.memex)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(o.memex, e.Name()))
		if err != nil {
			o.t.Fatal(err)
		}
		out[e.Name()] = string(b)
	}
	return out
}

// open opens the memory in this process.
func (o *owner) open() *fovea.Memory {
	o.t.Helper()
	m, err := fovea.Open(o.t.Context(), o.memex, &fovea.Options{StateDir: o.state})
	if err != nil {
		o.t.Fatal(err)
	}
	return m
}

// check demands that all that was printed is there, that the memory verifies,
// and that it agrees with the files.
func (o *owner) check(where string) {
	o.t.Helper()
	m := o.open()
	defer m.Close()
	if s := m.Status(); s.ReadOnly != "" {
		o.t.Fatalf("%s: called damaged: %s", where, s.ReadOnly)
	}
	log, err := m.History().Log(o.t.Context(), "", 0)
	if err != nil {
		o.t.Fatalf("%s: log: %v", where, err)
	}
	roots := map[uint64]string{}
	for _, c := range log {
		roots[c.Seq] = c.Root.String()
	}
	for seq, root := range o.printed {
		if got, ok := roots[seq]; !ok || root != "" && got != root {
			o.t.Fatalf("%s: commit %d was printed with root %q; the log has %q", where, seq, root, got)
		}
	}
	named := map[string]uint64{}
	for _, s := range m.History().Snapshots() {
		named[s.Name] = s.Seq
	}
	for name, seq := range o.names {
		if named[name] < seq {
			o.t.Fatalf("%s: snapshot %s of commit %d was printed; there is one of commit %d", where, name, seq, named[name])
		}
	}
	if err := m.Ingest(o.t.Context(), nil); err != nil {
		o.t.Fatalf("%s: ingest: %v", where, err)
	}
	documents := map[string]string{}
	for d := range m.View().Documents() {
		if !document.IsMemory(d.Path) { // of these the roots of the commits, which were printed, say all
			documents[d.Path], _ = m.View().Text(d.Path)
		}
	}
	if diff := cmp.Diff(o.files(), documents); diff != "" {
		o.t.Fatalf("%s: files and memory disagree (-files +memory):\n%s", where, diff)
	}
	_, problems, err := m.Mending().Verify(o.t.Context())
	problems = slices.DeleteFunc(problems, func(p document.Problem) bool { return p.Kind == "thinned" }) // on request
	if err != nil || len(problems) > 0 {
		o.t.Fatalf("%s: verify: %v, %v", where, problems, err)
	}
}

// TestCampaignOfKills kills the command, with what it does drawn from all that
// changes a memory: every printed commit and snapshot is there afterwards, a
// change of files happened wholly or not at all, and the memory verifies.
func TestCampaignOfKills(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	o := newOwner(t, campaign)
	o.run([]string{"ingest"}, false)
	kills, finished := 0, 0
	for round := 0; kills < campaign.Length(foveatest.Size(30, 12), 1000); round++ {
		words := o.verb()
		known := o.took[words[0]] > 0
		before, head := o.files(), o.head()
		where := fmt.Sprintf("round %d, %s", round, strings.Join(words, " "))
		if !o.run(words, known) {
			continue
		}
		kills++
		if words[0] == "ingest" { // the files are another's: only its commits count
			o.check(where)
			continue
		}
		if campaign.Rand.IntN(3) == 0 {
			o.run([]string{"status"}, o.took["status"] > 0) // killed while it recovers
		}
		after := o.head()
		same := cmp.Equal(before, o.files())
		if !same && after == head || same && after > head && !slices.Contains(memoryAlone, words[0]) {
			t.Fatalf("%s: killed at commit %d, now commit %d, and the files are the same: %v", where, head, after, same)
		}
		if after > head {
			finished++
		}
		o.check(where)
	}
	t.Logf("seed %d: %d kills, %d left the change done; %d commits and %d snapshots had been printed", campaign.Seed, kills, finished, len(o.printed),
		len(o.names))
}

// memoryAlone are the verbs whose commit may leave the files as they are.
var memoryAlone = []string{"retain", "repair", "rollback", "revert"}

// head returns the newest commit's number.
func (o *owner) head() uint64 {
	o.t.Helper()
	m := o.open()
	defer m.Close()
	return m.View().Head().Seq
}
