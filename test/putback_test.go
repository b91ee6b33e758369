// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
)

// TestPutBackLater: an edit of two files that fails between them and cannot be
// taken back is taken back by the next opening, whatever is asked of the memory
// in between: until then it is read-only.
func TestPutBackLater(t *testing.T) {
	for name, then := range map[string]func(*fovea.Memory) error{
		"nothing":    func(*fovea.Memory) error { return nil },
		"snapshot":   func(m *fovea.Memory) error { _, err := m.History().Snapshot(t.Context(), "x"); return err },
		"checkpoint": func(m *fovea.Memory) error { _, _, err := m.History().Checkpoint(t.Context(), "x"); return err },
		"ingest":     func(m *fovea.Memory) error { return m.Ingest(t.Context(), nil) },
		"edit": func(m *fovea.Memory) error {
			_, err := m.Notes().Edit(t.Context(), "a", nil, document.SetTodo{Keyword: "TODO"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := disks{faultfs.New(), faultfs.New()}
			d.write(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n", "b.org": "* B\n:PROPERTIES:\n:ID: b\n:END:\n"})
			m := d.open(t)
			if err := m.Ingest(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			before := d.files(t)
			renames := 0
			d.memex.OnOp(func(op faultfs.Op) error {
				if op.Kind == faultfs.OpRename {
					if renames++; renames > 1 {
						return faultfs.ErrFault
					}
				}
				return nil
			})
			if err := assignIDs(t.Context(), m, "a.org", "b.org"); err == nil {
				t.Fatal("an edit that failed half way told no error")
			}
			d.memex.OnOp(nil)
			if err := then(m); name != "nothing" && fovea.KindOf(err) != fovea.ReadOnly {
				t.Errorf("after it: %v, want read-only", err)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			m = d.open(t)
			if got := m.Status(); !strings.Contains(got.Recovered, "took back") || got.ReadOnly != "" {
				t.Errorf("opening again: recovered %q, read-only %q", got.Recovered, got.ReadOnly)
			}
			if diff := cmp.Diff(before, d.files(t)); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
			if err := m.Ingest(t.Context(), nil); err != nil || m.View().Head().Seq != 1 {
				t.Errorf("the memory went on to commit %d, %v", m.View().Head().Seq, err)
			}
		})
	}
}

// TestPutBackNamesAllFiles: an edit that fails half way names each file that it could not
// put back.
func TestPutBackNamesAllFiles(t *testing.T) {
	d := disks{faultfs.New(), faultfs.New()}
	d.write(t, map[string]string{"a.org": "* A\n", "b.org": "* B\n", "c.org": "* C\n"})
	m := d.open(t)
	defer m.Close()
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	renames := 0
	d.memex.OnOp(func(op faultfs.Op) error {
		if op.Kind == faultfs.OpRename {
			if renames++; renames > 2 {
				return faultfs.ErrFault
			}
		}
		return nil
	})
	err := assignIDs(t.Context(), m, "a.org", "b.org", "c.org")
	d.memex.OnOp(nil)
	if err == nil || !strings.Contains(err.Error(), "a.org") || !strings.Contains(err.Error(), "b.org") {
		t.Errorf("got %v, want both files named", err)
	}
}
