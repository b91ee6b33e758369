// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/node"
)

// copiesOfGarden are names that programs give to a copy of notes/garden.org, as their
// documentation, their source or their users show them.
var copiesOfGarden = []struct {
	program, name string
	marked        bool
}{
	{"Syncthing", "garden.sync-conflict-20260314-101112-ABCDEFG.org", true},
	{"Syncthing, twice", "garden.sync-conflict-20260314-101112-ABCDEFG.sync-conflict-20260315-101112-ABCDEFG.org", true},
	{"Dropbox", "garden (Anna's conflicted copy 2026-03-14).org", true},
	{"Dropbox, a long name", "garden (Anna Maria Lopez de la Vega's conflicted copy 2026-03-14).org", true},
	{"Dropbox, by case", "garden (Case Conflict 1).org", true},
	{"Dropbox in German", "garden (In Konflikt stehende Kopie von Anna 2026-03-14).org", true},
	{"Dropbox in French", "garden (Copie en conflit de Anna 2026-03-14).org", true},
	{"Dropbox in Spanish", "garden (Copia en conflicto de Anna 2026-03-14).org", true},
	{"Dropbox in Japanese", "garden (Anna の競合コピー 2026-03-14).org", true},
	{"Nextcloud", "garden (conflicted copy 2026-03-14 101112).org", true},
	{"ownCloud", "garden (conflicted copy anna 2026-03-14 101112).org", true},
	{"ownCloud before 2.5", "garden_conflict-20260314-101112.org", true},
	{"SecuriSync", "garden (Conflicted copy 2026-03-14 for anna).org", true},
	{"OneDrive", "garden-DESKTOP-4F5G6H.org", false},
	{"OneDrive on a Mac", "garden-Annas-MacBook.org", false},
	{"OneDrive on the web", "garden 1.org", false},
	{"onedrive for Linux", "garden-laptop-safeBackup-0001.org", true},
	{"onedrive for Linux before 2.5", "garden-sahil-Inspiron-5559.org", false},
	{"Google Drive", "garden (1).org", false},
	{"Google Drive on the web", "Copy of garden.org", true},
	{"Insync", "garden (Anna's conflict).org", true},
	{"iCloud", "garden 2.org", false},
	{"Resilio", "garden.Conflict.org", true},
	{"Resilio, numbered", "garden.Conflict1.org", true},
	{"Seafile", "garden (SFConflict anna@example.org 2026-03-14-10-11-12).org", true},
	{"FileCloud", "garden(Conflict_anna (Web browser)_2026-03-14-10-11-12).org", true},
	{"Box", "garden (Anna Lopez conflict 2026-03-14).org", true},
	{"pCloud", "garden [conflicted].org", true},
	{"Synology Drive", "garden_Andy-PC_Jan-03-0901-2013_CaseConflict_1.org", true},
	{"Synology Cloud Station", "garden_DiskStation_Mar-14-101112-2026_Conflict.org", true},
	{"Unison", "garden (copy: conflict #1 on 2026-03-14).org", true},
	{"MEGA", "garden (1).org", false},
	{"Tresorit", "garden (conflict).org", true},
	{"SpiderOak", "garden (conflict from laptop 2026-03-14).org", true},
	{"Syncplicity", "garden (edited by Anna on Home PC @ 3-14-26 10-11-12 AM).org", true},
	{"Cozy", "garden-conflict-2026-03-14T10_11_12Z.org", true},
	{"rclone", "garden.conflict1.org", true},
	{"rclone, behind the extension", "garden.org.conflict1.org", true},
	{"Obsidian Remotely Save", "garden.dup.org", false},
	{"orgzly", "garden.sync-clash-20260314.org", true},
	{"Windows", "garden - Copy.org", false},
	{"Windows, again", "garden - Copy (2).org", false},
	{"Windows in German", "garden - Kopie.org", false},
	{"macOS", "garden copy.org", false},
	{"macOS, again", "garden copy 2.org", false},
	{"Nautilus", "garden (copy).org", false},
	{"Nautilus, third", "garden (3rd copy).org", false},
	{"git mergetool", "garden_LOCAL_1234.org", true},
	{"git mergetool, base", "garden_BASE_1234.org", true},
	{"a hand", "Backup of garden.org", true},
	{"an editor", "garden+autosave.org", true},
	{"some program", "garden,sync-clash-20260314-phone.org", true},
	{"another", "garden.~phone-20260314.org", true},
	{"another", "garden@phone.org", false},
	{"OneDrive on a Mac that was named again", "garden-Annas-MacBook-Pro-2.org", false},
	{"Dropbox, the longest name", "garden (Dr. Anna Maria Theresia von und zu Lopez de la Vega-Smith's conflicted copy 2026-03-14).org", true},
}

// stems are names of originals: with signs at their ends, as those that copies get, and with
// the words of a mark.
var stems = []string{
	"garden", "todo (private)", "C++", "x!", "etc.", "a_b-", "[x]", "v1.2", "日記（一）", "what?", "~", "İİ (x)",
	"family conflict", "Copy of x", "x 2", "x - Copy",
}

func TestOriginals(t *testing.T) {
	for _, c := range copiesOfGarden {
		t.Run(c.program, func(t *testing.T) {
			for _, stem := range stems {
				name := strings.Replace(c.name, "garden", stem, 1)
				got, marked := node.Originals("notes/" + name)
				if !slices.Contains(got, "notes/"+stem+".org") || stem == "garden" && marked != c.marked {
					t.Errorf("%q can be a copy of %q, marked %t", name, got, marked)
				}
			}
		})
	}
	for path, first := range map[string]string{
		"garden (conflicted copy) (1).org": "garden.org", "Copy of garden (1).org": "garden (1).org",
		"family conflict (conflicted copy).org": "family conflict.org", "\xff .org\xff": "\xff.org\xff",
		"( (1).org": "( (1.org", "Copy of .org": "Copy of.org",
	} {
		if got, _ := node.Originals(path); len(got) == 0 || got[0] != first {
			t.Errorf("%q can be a copy of %q", path, got)
		}
	}
	for _, path := range []string{
		"garden.org", "notes/garden.org", "conflict.org", "a.b/garden.org", "/garden (1).org", "notes/.org", "notes", "",
	} {
		if got, marked := node.Originals(path); len(got) > 0 || marked {
			t.Errorf("%q can be a copy of %q, marked %t", path, got, marked)
		}
	}
}
