// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

// mending is an operation on history, and what must hold after it was cut short
// and done again.
type mending struct {
	name   string
	damage func(t *testing.T, d disks)
	do     func(t *testing.T, m *fovea.Memory) error
}

var mendings = []mending{
	{"purge", func(*testing.T, disks) {}, func(t *testing.T, m *fovea.Memory) error {
		_, _, err := m.Mending().Purge(t.Context(), nil, secret, nil)
		if fovea.KindOf(err) == fovea.NotFound {
			return nil // the opening has done it
		}
		return err
	}},
	{"repair", func(t *testing.T, d disks) {
		const name = "journal/00000001.j"
		b, err := d.state.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b[bytes.Index(b, []byte(secret))] ^= 1
		f, err := d.state.OpenFile(name, 2, 0)
		if err == nil {
			_, err = f.WriteAt(b, 0)
		}
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}, func(t *testing.T, m *fovea.Memory) error {
		_, err := m.Mending().Repair(t.Context(), nil)
		return err
	}},
}

// TestMendingSurvivesCrashes cuts the power at every operation on the disk of a
// purge and of a repair. What is left opens; doing it again ends well, with the
// same notes, and verify tells what is gone and nothing else.
func TestMendingSurvivesCrashes(t *testing.T) {
	for _, mend := range mendings {
		t.Run(mend.name, func(t *testing.T) {
			d := disks{faultfs.New(), faultfs.New()}
			for _, text := range []string{"* Node\n" + secret + "\n", "* Node\nclean\n"} {
				d.write(t, map[string]string{"a.org": text})
				m := d.open(t)
				if err := m.Ingest(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				if err := m.Close(); err != nil {
					t.Fatal(err)
				}
			}
			mend.damage(t, d)
			want := map[string]string{"a.org": "* Node\nclean\n"}
			for at := 0; ; at++ {
				run := d.clone()
				m := run.open(t)
				n := 0
				run.onOp(inTurn(func(string, faultfs.Op) error {
					if n++; n > at {
						return errCut
					}
					return nil
				}))
				err := mend.do(t, m)
				run.onOp(nil)
				for seed := range uint64(3) {
					left := run.crash(seed)
					again := left.open(t)
					if err := mend.do(t, again); err != nil {
						t.Fatalf("cut at %d: done again: %v", at, err)
					}
					if diff := cmp.Diff(want, documentsOf(again.View())); diff != "" {
						t.Fatalf("cut at %d: documents (-want +got):\n%s", at, diff)
					}
					_, problems, err := again.Mending().Verify(t.Context())
					if err != nil || len(problems) != 1 || problems[0].Kind != "purged" && problems[0].Kind != "lost" {
						t.Fatalf("cut at %d: verify: %v, %v", at, problems, err)
					}
					if err := again.Close(); err != nil {
						t.Fatal(err)
					}
				}
				_ = m.Close()
				if err == nil {
					if at < 10 {
						t.Fatalf("only %d operations: the test shows little", at)
					}
					return
				}
			}
		})
	}
}

var errCut = errors.New("the power is cut")
