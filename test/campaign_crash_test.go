// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
)

// crashes is the campaign of power cuts: a workload whose machine loses power
// before each operation on its disks, at times for good.
type crashes struct {
	*workload
	campaign *foveatest.Campaign
	moments  map[uint64]moment // what each commit holds
	cuts     int
	reboots  int
	amid     int // cuts amid an operation that made a commit
	kept     int // those of them that left it done
}

// moment is a commit and the documents it holds.
type moment struct {
	Digest    merkle.Digest
	Documents map[string]string
}

// powerCut is what a cut left, and what had been told by then.
type powerCut struct {
	left  disks
	told  ledger
	where string
}

// TestCampaignOfCrashes cuts the power before operations of a mixed workload on
// the files of memex and state: unsynced data is kept, lost, torn or reordered.
// Opened again, everything told is there, nothing is called damaged, and the
// operation that was going on happened wholly or not at all.
func TestCampaignOfCrashes(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	want := campaign.Length(150, 20_000)
	c := &crashes{campaign: campaign}
	for c.cuts < want {
		c.workload = newWorkload(t, campaign.Rand, disks{faultfs.New(), faultfs.New()}, 30)
		c.moments = map[uint64]moment{}
		c.run(steps[0])
		for range 60 {
			if c.cuts >= want {
				break
			}
			for range campaign.Rand.IntN(3) {
				c.save(campaign.Rand.IntN(4))
			}
			c.run(steps[campaign.Rand.IntN(len(steps))])
		}
		if err := c.m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const sample = 100 // of fewer, all may end alike
	if c.amid == 0 || c.amid >= sample && (c.kept == 0 || c.kept == c.amid) {
		t.Errorf("%d of %d cuts amid a commit left it done", c.kept, c.amid)
	}
	t.Logf("seed %d: %d cuts, %d of them amid a commit, %d left it done, %d histories went on from what was left",
		campaign.Seed, c.cuts, c.amid, c.kept, c.reboots)
}

// run does one step, cuts the power before its operations, and at times goes on
// from what a cut left.
func (c *crashes) run(s step) {
	c.t.Helper()
	filesBefore, headBefore := c.d.files(c.t), c.m.View().Head().Seq
	var cuts []powerCut
	c.d.onOp(inTurn(func(where string, op faultfs.Op) error {
		if op.Kind.Changes() && c.campaign.Picks(6) {
			seed := c.rand.Uint64()
			cuts = append(cuts, powerCut{c.d.crash(seed), c.told.clone(), fmt.Sprintf("%s: cut before %s of %s %s", s.name, op.Kind, where, op.Name)})
		}
		return nil
	}))
	err := c.do(s)
	c.d.onOp(nil)
	if !expected(err) {
		c.t.Fatalf("%s: %v", s.name, err)
	}
	filesAfter := c.d.files(c.t)
	cuts = append(cuts, powerCut{c.d.crash(c.rand.Uint64()), c.told.clone(), s.name + ": cut behind it"})
	c.learn()
	for _, cut := range cuts {
		c.cuts++
		left := []map[string]string{filesBefore, filesAfter}
		if headBefore < c.m.View().Head().Seq {
			left = left[:1] // with the last commit the others
		}
		c.survives(cut, left, filesAfter)
	}
	if c.rand.IntN(4) == 0 {
		c.reboot(cuts[c.rand.IntN(len(cuts))])
	}
}

// learn notes what each new commit holds.
func (c *crashes) learn() {
	c.t.Helper()
	log, err := c.m.History().Log(c.t.Context(), "", 0)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, commit := range log {
		if _, known := c.moments[commit.Seq]; known {
			break
		}
		v, err := c.m.History().At(c.t.Context(), fmt.Sprintf("seq:%d", commit.Seq))
		if err != nil {
			c.t.Fatal(err)
		}
		c.moments[commit.Seq] = moment{commit.Digest, documentsOf(v)}
	}
}

// survives opens what a cut left and compares it with what was told.
// Files are one of before, or after where the last commit is there.
func (c *crashes) survives(cut powerCut, before []map[string]string, after map[string]string) {
	c.t.Helper()
	left := cut.left.clone()
	m, err := c.openOn(left)
	if err != nil {
		c.t.Fatalf("%s: open: %v", cut.where, err)
	}
	defer m.Close()
	if s := m.Status(); s.ReadOnly != "" {
		c.t.Fatalf("%s: called damaged: %s", cut.where, s.ReadOnly)
	}
	if lost := cut.told.missing(c.t, m); lost != "" {
		c.t.Fatalf("%s: lost: %s", cut.where, lost)
	}
	head, last := m.View().Head(), c.m.View().Head()
	files, got := before, left.files(c.t)
	if head.Seq == last.Seq && len(before) == 1 {
		files = []map[string]string{after}
	}
	if cut.told.head < last.Seq {
		c.amid++
		if head.Seq == last.Seq {
			c.kept++
		}
	}
	if want := c.moments[head.Seq]; head.Digest != want.Digest || head.Seq > last.Seq {
		c.t.Fatalf("%s: the head is commit %d, %v; it was %v", cut.where, head.Seq, head.Digest, want.Digest)
	}
	if !slices.ContainsFunc(files, func(want map[string]string) bool { return cmp.Equal(want, got) }) {
		c.t.Fatalf("%s: at commit %d, files (-want +got):\n%s\n%s", cut.where, head.Seq, cmp.Diff(files[0], got), m.Status().Recovered)
	}
	c.agrees(left, m, cut.where)
}

// agrees compares a memory with its history and its files.
func (c *crashes) agrees(left disks, m *fovea.Memory, where string) {
	c.t.Helper()
	head := m.View().Head().Seq
	_, problems, err := m.Mending().Verify(c.t.Context())
	if err != nil || len(damaged(problems)) > 0 {
		c.t.Fatalf("%s: verify: %v, %v", where, problems, err)
	}
	for _, seq := range []uint64{head, c.rand.Uint64N(head + 1)} {
		if seq == 0 {
			continue
		}
		v, err := m.History().At(c.t.Context(), fmt.Sprintf("seq:%d", seq))
		if taken(err, problems) && seq < head {
			continue
		}
		if err != nil {
			c.t.Fatalf("%s: commit %d: %v", where, seq, err)
		}
		if diff := cmp.Diff(c.moments[seq].Documents, documentsOf(v)); diff != "" {
			c.t.Fatalf("%s: documents of commit %d (-want +got):\n%s", where, seq, diff)
		}
	}
	if err := m.Ingest(c.t.Context(), nil); err != nil {
		c.t.Fatalf("%s: ingest: %v", where, err)
	}
	if len(m.Status().Drift) == 0 {
		if diff := cmp.Diff(left.files(c.t), filesOf(m.View())); diff != "" {
			c.t.Fatalf("%s: after an ingest (-files +memory):\n%s", where, diff)
		}
	}
}

// reboot goes on from what a cut left: what was not told may be gone.
func (c *crashes) reboot(cut powerCut) {
	c.t.Helper()
	_ = c.m.Close()
	c.d, c.reboots = cut.left, c.reboots+1
	if err := c.open(); err != nil {
		c.t.Fatal(err)
	}
	head := c.m.View().Head().Seq
	c.told = cut.told
	c.told.head = min(c.told.head, head)
	maps.DeleteFunc(c.told.commits, func(seq uint64, _ merkle.Digest) bool { return seq > head })
	for seq := range c.moments {
		if seq > head {
			delete(c.moments, seq)
		}
	}
	c.told.names = map[string]uint64{}
	for _, s := range c.m.History().Snapshots() {
		if s.Name != "" {
			c.told.names[s.Name] = s.Seq
		}
	}
}
