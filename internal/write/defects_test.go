// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
)

func noFault(*world, int, faultfs.Op) error { return nil }

// TestMarksAlone: marks with no change but a declaration are written with it, and a dry run's are not.
func TestMarksAlone(t *testing.T) {
	w := newWorld(t).clone(noFault)
	defer w.m.Close()
	before := len(w.log())
	w.together([]change{
		{id: 1, dry: true, edits: []edit{{mark, "dry.org", "x"}}},
		{id: 2, dry: true, edits: []edit{{declare, "t3", "Dry"}, {mark, "declared-dry.org", "x"}}},
		{id: 3, edits: []edit{{declare, "t3", "Three"}, {mark, "declared.org", "x"}}},
	})
	log := w.log()
	if len(log) != before+1 || log[before].Message != "before change 3" || w.results[3].commit.Seq != log[before].Seq {
		t.Errorf("the history is %+v, and the change is commit %d", log[before:], w.results[3].commit.Seq)
	}
	if drift := w.m.Status().Drift; !slices.Equal(drift, []string{"declared.org", drifting}) {
		t.Errorf("the marks are %q", drift)
	}
}

// TestEncodingOfAGroup: a change is judged by the encoding that another one of its group gave a file.
func TestEncodingOfAGroup(t *testing.T) {
	w := newWorld(t).clone(noFault)
	defer w.m.Close()
	w.together([]change{
		{id: 1, edits: []edit{{prepend, "new.org", "# -*- coding: latin-1 -*-"}}},
		{id: 2, edits: []edit{{insert, "new.org", "\u00fc"}}},
	})
	if r := w.results; r[1].err != nil || fovea.KindOf(r[2].err) != fovea.Invalid {
		t.Errorf("the changes return %v and %v, and the file is %q", r[1].err, r[2].err, w.files()["new.org"])
	}
}

// TestReadTwice: what another program saves between two reads of a change is not overwritten.
func TestReadTwice(t *testing.T) {
	w := newWorld(t).clone(noFault)
	defer w.m.Close()
	runs := 0
	_, _, err := w.writer().Do(context.Background(), scope.Action{Name: "test", Kind: graph.KindEdit}, func(c *write.Change) error {
		runs++
		text, _, err := c.Read("a.org")
		if err != nil {
			return err
		}
		w.outside("a.org", func(text string) string { return "saved\n" + text })
		if _, _, err := c.Read("a.org"); err != nil {
			return err
		}
		c.Put("a.org", "put\n"+text)
		return nil
	})
	if text := w.files()["a.org"]; err == nil || runs != 1 || !strings.HasPrefix(text, "saved\n") {
		t.Errorf("after %d runs %v, and the file is %q", runs, err, text)
	}
}

// TestUnreadable: a change of a file that another program saved, and that cannot be read, fails.
func TestUnreadable(t *testing.T) {
	w := newWorld(t).clone(noFault)
	defer w.m.Close()
	w.outside("a.org", func(text string) string { return "saved\n" + text })
	opened := 0
	w.watch(func(_ *world, _ int, op faultfs.Op) error {
		if op.Kind == faultfs.OpOpen && op.Name == "a.org" {
			if opened++; opened == 2 {
				return faultfs.ErrFault
			}
		}
		return nil
	})
	c := change{id: 1, edits: []edit{{prepend, "a.org", "put"}}}
	if _, _, err := c.perform(w.writer(), w.outside); err == nil || opened < 2 {
		t.Errorf("the file was opened %d times, and the change returns %v", opened, err)
	}
	if _, _, err := c.perform(w.writer(), w.outside); err != nil || !strings.HasPrefix(w.files()["a.org"], "put.\nsaved\n") {
		t.Errorf("again: %v, and the file is %q", err, w.files()["a.org"])
	}
}
