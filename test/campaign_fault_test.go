// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// fault is one way in which an operation on a file system fails.
type fault struct {
	name  string
	err   error
	lasts bool // what follows fails too
	kills bool // until the process has ended
}

var faults = []fault{
	{"once", faultfs.ErrFault, false, false},
	{"half written", fmt.Errorf("half: %w", faultfs.ErrShortWrite), false, false},
	{"no space from then on", faultfs.ErrNoSpace, true, false},
	{"killed", faultfs.ErrFault, true, true},
}

// TestCampaignOfFaults makes operations on the files of memex and state fail, one
// per run of a mixed workload: what fails is told, what was told to be done is
// there afterwards, with and without a power cut, and nothing is called damaged.
func TestCampaignOfFaults(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	runs, told := 0, 0
	for s := range campaign.Length(1, 5) {
		seed := campaign.Seed + uint64(s)
		whole := &faulty{}
		whole.run(t, seed, -1, faults[0])
		for n := range whole.count {
			for _, f := range faults {
				if !campaign.Picks(8) || foveatest.Thin(n, 3) {
					continue
				}
				r := &faulty{}
				r.run(t, seed, n, f)
				runs++
				told += r.errors
				r.check(r.d.crash(uint64(n)), "and power was lost")
				r.check(r.d.clone(), "")
				if t.Failed() {
					return
				}
			}
		}
	}
	if told == 0 || told > 3*runs {
		t.Errorf("%d errors in %d runs", told, runs)
	}
	t.Logf("seed %d: %d runs with a fault, %d errors told", campaign.Seed, runs, told)
}

// faulty is a workload one of whose operations on files fails.
type faulty struct {
	*workload
	count  int    // operations on files so far
	failed string // the one that did
	over   bool   // the process that was killed has ended
	errors int    // told by the memory
}

// run does some steps with fault f at operation n of the disks, and closes the
// memory.
func (r *faulty) run(t *testing.T, seed uint64, n int, f fault) {
	t.Helper()
	r.workload = newWorkload(t, rand.New(rand.NewPCG(seed, 0)), disks{faultfs.New(), faultfs.New()}, 30)
	for i := range 16 {
		r.save(r.rand.IntN(4))
		s := steps[min(i, 1)*r.rand.IntN(len(steps))]
		before := r.failed
		r.d.onOp(inTurn(func(where string, op faultfs.Op) error {
			r.count++
			if r.count-1 == n {
				r.failed = fmt.Sprintf("%s: %s of %s %s failed %s", s.name, op.Kind, where, op.Name, f.name)
				return f.err
			}
			if r.failed != "" && f.lasts && !r.over && op.Kind.Changes() {
				return f.err
			}
			return nil
		}))
		err := r.do(s)
		if f.kills && r.failed != "" && !r.over {
			if r.m != nil {
				_ = r.m.Close() // it writes nothing any more
			}
			r.m, r.over = nil, true
		}
		r.d.onOp(nil)
		switch hit := r.failed != before; {
		case err != nil && hit:
			r.errors++
		case !expected(err) && r.failed == "":
			t.Fatalf("%s: %v", s.name, err)
		}
		r.complete(s, err)
		r.revive(f)
	}
	if err := r.m.Close(); err != nil && r.failed == "" {
		t.Fatal(err)
	}
}

// complete demands that a step that ended well did all of it.
func (r *faulty) complete(s step, err error) {
	r.t.Helper()
	if r.m == nil || err != nil {
		return
	}
	if lost := r.told.missing(r.t, r.m); lost != "" {
		r.t.Fatalf("%s: after %s: %s", r.failed, s.name, lost)
	}
	status := r.m.Status()
	if s.name != "ingest" || len(status.DiagnosticList)+len(status.Drift) > 0 {
		return
	}
	if diff := cmp.Diff(r.d.files(r.t), filesOf(r.m.View())); diff != "" {
		r.t.Fatalf("%s: an ingest that ended well left out (-files +memory):\n%s", r.failed, diff)
	}
}

// revive opens the memory again when it stopped writing, as a person does.
func (r *faulty) revive(f fault) {
	r.t.Helper()
	if r.m != nil && r.m.Status().ReadOnly == "" && !(f.lasts && r.failed != "" && !r.over) {
		return
	}
	if r.m != nil {
		_ = r.m.Close() // it stopped writing
	}
	if err := r.open(); err != nil {
		r.t.Fatalf("%s: opened again: %v", r.failed, err)
	}
	if s := r.m.Status(); s.ReadOnly != "" {
		r.t.Fatalf("%s: opened again: %s", r.failed, s.ReadOnly)
	}
}

// check opens what is left after all of it.
func (r *faulty) check(left disks, how string) {
	r.t.Helper()
	where := r.failed + " " + how
	m, err := r.openOn(left)
	if err != nil {
		r.t.Fatalf("%s: open: %v", where, err)
	}
	defer m.Close()
	if s := m.Status(); s.ReadOnly != "" {
		r.t.Fatalf("%s: called damaged: %s", where, s.ReadOnly)
	}
	if lost := r.told.missing(r.t, m); lost != "" {
		r.t.Fatalf("%s: lost: %s", where, lost)
	}
	if _, problems, err := m.Mending().Verify(r.t.Context()); err != nil || len(damaged(problems)) > 0 {
		r.t.Fatalf("%s: verify: %v, %v", where, problems, err)
	}
	if err := m.Ingest(r.t.Context(), &fovea.IngestOptions{AcceptDeletions: true}); err != nil {
		r.t.Fatalf("%s: ingest: %v", where, err)
	}
	if diff := cmp.Diff(left.files(r.t), filesOf(m.View())); diff != "" && len(m.Status().Drift) == 0 {
		r.t.Fatalf("%s: after an ingest (-files +memory):\n%s", where, diff)
	}
}
