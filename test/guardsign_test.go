// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// keyed is a guarded memory whose machine has a key.
type keyed struct{ *guarded }

func newKeyed(t *testing.T) *keyed {
	k := &keyed{&guarded{world: newWorld(t, map[string]string{
		"skills/plan.org": planSkill, "skills/walk.org": "* Walk\n", "notes.org": "* A note\n",
	})}}
	k.sign(newKey(t, "desk"))
	k.reopen()
	k.ingest()
	return k
}

// open opens the memory with other keys than its owner's.
func (k *keyed) open(s note.Signer, known ...note.Verifier) {
	k.t.Helper()
	signer, mine := k.signer, k.known
	k.signer, k.known = s, known
	k.reopen()
	k.signer, k.known = signer, mine
}

// again opens the memory as its owner does, and reads the folder.
func (k *keyed) again() (taken []string) {
	k.t.Helper()
	k.reopen()
	if err := k.m.Ingest(k.t.Context(), &fovea.IngestOptions{Trusted: func(p []string) { taken = append(taken, p...) }}); err != nil {
		k.t.Fatal(err)
	}
	return taken
}

// without rewrites the closed history as somebody can who writes the state folder:
// without the marks of some kinds, and without images.
func (k *keyed) without(kinds ...string) {
	k.t.Helper()
	if err := k.m.Close(); err != nil {
		k.t.Fatal(err)
	}
	folder, err := disk.OpenFolder(k.state)
	if err != nil {
		k.t.Fatal(err)
	}
	defer folder.Close()
	from, err := disk.OpenSalvage(folder)
	if err != nil {
		k.t.Fatal(err)
	}
	err = from.Rebuild(k.t.Context(), store.Rebuilt{Memex: k.dir, Rand: rand.Reader, Keep: func(r store.Record) store.Kind {
		if r.Kind == store.Mark {
			m := merkle.NewReader(r.Data)
			m.List()
			kind := m.Text()
			if slices.Contains(kinds, kind) {
				return 0
			}
		}
		return r.Kind
	}})
	if err != nil {
		k.t.Fatal(err)
	}
	for _, name := range []string{"image", "cache"} {
		if err := os.RemoveAll(filepath.Join(k.state, name)); err != nil {
			k.t.Fatal(err)
		}
	}
	k.m, err = fovea.Open(k.t.Context(), k.dir, &fovea.Options{StateDir: k.state, Now: k.now})
	if err != nil {
		k.t.Fatal(err)
	}
}

// Who can write notes and state, but has not the key, can neither change nor remove
// a baseline unseen: the files are locked down until each is adopted.
func TestBaselinesAreSigned(t *testing.T) {
	evil := planSkill + "* Obey\n"
	for _, tc := range []struct {
		name   string
		attack func(*keyed)
		why    string
	}{
		{"adopts without a key", func(k *keyed) {
			k.open(nil)
			k.tamper("skills/plan.org", evil)
			k.adopt("skills/plan.org")
		}, "are not signed"},
		{"adopts with a key of their own", func(k *keyed) {
			s, v := newKey(k.t.(*testing.T), "desk")
			k.open(s, v)
			k.tamper("skills/plan.org", evil)
			k.ingest()
			k.adopt("skills/plan.org")
		}, "a key that is not known"},
		{"removes baselines", func(k *keyed) {
			k.without("guard")
			k.tamper("skills/plan.org", evil)
		}, "not those that were signed"},
		{"removes baselines and signatures", func(k *keyed) {
			k.without("guard", "head")
			k.tamper("skills/plan.org", evil)
		}, "no commit is signed"},
		{"removes signatures", func(k *keyed) {
			k.without("head")
			k.tamper("skills/plan.org", evil)
		}, "no commit is signed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newKeyed(t)
			k.lockdown()
			tc.attack(k)
			k.alerts = nil
			for range 2 { // also after a commit on top of it
				if taken := k.again(); len(taken) > 0 {
					t.Errorf("taken as they are: %v", taken)
				}
				k.lockdown("skills/plan.org", "skills/walk.org")
				if why := k.m.Status().Baselines; !strings.Contains(why, tc.why) && !strings.Contains(why, "in doubt before") {
					t.Errorf("status says %q", why)
				}
				k.write(map[string]string{"notes.org": "* Note " + k.now().String() + "\n"})
			}
			k.told(1)
			if text := k.alerts[0][1]; !strings.Contains(text, "no baseline that a known key signed") ||
				strings.Contains(text, "The same holds") && !strings.Contains(text, "1 more protected file") {
				t.Errorf("the alert says %s", text)
			}
			if _, err := k.m.Guard().Reject(t.Context(), "skills/plan.org", nil); fovea.KindOf(err) != fovea.Conflict {
				t.Errorf("reject: %v", err)
			}
			k.adopt("skills/walk.org")
			k.lockdown("skills/plan.org")
			k.again()
			k.lockdown("skills/plan.org")
			k.write(map[string]string{"skills/plan.org": planSkill})
			k.adopt("skills/plan.org")
			k.again()
			k.lockdown()
			if why := k.m.Status().Baselines; why != "" {
				t.Errorf("in the end status says %q", why)
			}
		})
	}
}

// What the owner does goes on being signed, and a memory without a key says so.
func TestBaselinesOfOurOwn(t *testing.T) {
	k := newKeyed(t)
	k.tamper("skills/plan.org", planSkill+"* More\n")
	k.ingest()
	k.adopt("skills/plan.org")
	k.again()
	k.lockdown()
	if _, _, err := k.m.History().Checkpoint(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	k.again()
	k.lockdown()
	head := k.signedHead()
	if _, problems, err := k.m.Mending().Verify(t.Context(), head); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	if why := k.m.Status().Baselines; why != "" {
		t.Errorf("status says %q", why)
	}
	k.open(nil)
	k.lockdown()
	if why := k.m.Status().Baselines; !strings.Contains(why, "no signing key") {
		t.Errorf("without a key status says %q", why)
	}
	k.told(0)
}

func (k *keyed) adopt(path string) {
	k.t.Helper()
	if _, err := k.m.Guard().Adopt(k.t.Context(), path, nil); err != nil {
		k.t.Fatal(err)
	}
}

// That a change was told counts where a known key signed it: who forges that writes
// a mark that is passed over, and the owner is told all the same, once.
func TestToldIsSigned(t *testing.T) {
	evil := planSkill + "* Obey\n"
	for _, tc := range []struct {
		name   string
		attack func(*keyed)
		want   int
	}{
		{"its owner was told", func(k *keyed) { k.read() }, 0},
		{"its owner was told, and there is an image", func(k *keyed) {
			k.read()
			if _, _, err := k.m.History().Checkpoint(k.t.Context(), ""); err != nil {
				k.t.Fatal(err)
			}
		}, 0},
		{"forged without a key", func(k *keyed) {
			k.open(nil)
			k.read()
		}, 1},
		{"forged without a key, with an image", func(k *keyed) {
			k.open(nil)
			k.read()
			if _, _, err := k.m.History().Checkpoint(k.t.Context(), ""); err != nil {
				k.t.Fatal(err)
			}
		}, 1},
		{"forged with another key", func(k *keyed) {
			s, v := newKey(k.t.(*testing.T), "desk")
			k.open(s, v)
			k.read()
		}, 1},
		{"forged behind another that was told", func(k *keyed) {
			k.tamper("skills/plan.org", evil+"* And this\n")
			k.read()
			k.open(nil)
			k.tamper("skills/plan.org", evil)
			k.read()
		}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := newKeyed(t)
			k.tamper("skills/plan.org", evil)
			tc.attack(k)
			k.alerts = nil
			for range 2 {
				k.reopen()
				if locked := k.read().Lockdown(); !slices.Contains(locked, "skills/plan.org") {
					t.Errorf("locked down are %q", locked)
				}
				k.told(tc.want)
			}
		})
	}
}
