// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest/looking"
	"github.com/fovea-memory/fovea/internal/guard"
)

// folder is a memex of the person and of the agents ada and bob, in which something
// leads from a place that ada may write to one that she may not.
type folder struct {
	t      *testing.T
	dir    string
	memory *fovea.Memory
	person api.Service
	ada    api.Service
}

// underAda has a note that moves: those of the memex's files that ada may write.
const underAda = "* Mine\n:PROPERTIES:\n:ID: mine\n:END:\nmine\n"

// newFolder makes the files and links, and reads them.
func newFolder(t *testing.T, lead func(t *testing.T, dir string)) *folder {
	t.Helper()
	f := &folder{t: t, dir: t.TempDir()}
	for name, text := range map[string]string{
		"core.org": "* Core\n:PROPERTIES:\n:ID: core\n:END:\ncore\n", "skills/plan.org": planText,
		"inbox.org":        "* Inbox\n:PROPERTIES:\n:ID: inbox\n:END:\nowner\n",
		"agents/bob/b.org": "* Bob\n:PROPERTIES:\n:ID: bob\n:END:\nbob\n", ".store/hidden.org": "* Hidden\n:PROPERTIES:\n:ID: hidden\n:END:\nowner\n",
		"agents/ada/own.org": underAda, "tasks.org": "* Task\n:PROPERTIES:\n:ID: task\n:END:\n",
	} {
		put(t, f.dir, name, text)
	}
	lead(t, f.dir)
	m, err := fovea.Open(t.Context(), f.dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state"),
		Guard: guard.Rules{Lockdown: []string{"core.org", "/.store/"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	f.memory, f.person = m, looking.First(api.NewLocal(m, nil))
	f.ada = f.as(api.Grant{Agent: "ada", Role: api.Agent})
	if _, err := api.OpIngest.Call(t.Context(), f.person, api.IngestRequest{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// as is the service as a grant gives it.
func (f *folder) as(g api.Grant) api.Service {
	return api.Service(func(ctx context.Context, c api.Call) (any, error) {
		return ops.Hold(f.person, g)(author.WithGrant(ctx, g), c)
	})
}

// others are the files, links not followed, that ada may not change: all but those of
// her own folder and tasks that have no other name.
func (f *folder) others() map[string]string {
	f.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(f.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(f.dir, name)
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(name)
			out[rel] = "link to " + to
			return err
		}
		own := strings.HasPrefix(rel, "agents/ada/") || rel == "tasks.org"
		if !d.Type().IsRegular() || own && !strings.Contains(rel, "hard") {
			return nil
		}
		text, err := os.ReadFile(name)
		out[rel] = string(text)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// standing lists the protected files that are not as they were trusted.
func (f *folder) standing() []string {
	f.t.Helper()
	p, err := api.OpGuard.Call(f.t.Context(), f.person, api.None{})
	if err != nil {
		f.t.Fatal(err)
	}
	var out []string
	for _, file := range p.Files {
		if file.State != "as trusted" {
			out = append(out, file.Path+" "+file.State)
		}
	}
	return out
}

// link makes one link, and the folder it is in.
func link(from, to string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) { symlink(t, dir, from, to) }
}

func symlink(t *testing.T, dir, from, to string) {
	t.Helper()
	at := filepath.Join(dir, from)
	err := os.MkdirAll(filepath.Dir(at), 0o700)
	if err == nil {
		err = os.Symlink(strings.ReplaceAll(to, "DIR", dir), at)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func hardLink(t *testing.T, dir, from, to string) {
	t.Helper()
	if err := os.Link(filepath.Join(dir, to), filepath.Join(dir, from)); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
}

// leads are the ways from a place that ada may write to one that she may not, and the
// paths below which she would write there.
var leads = []struct {
	name  string
	make  func(t *testing.T, dir string)
	under []string
}{
	{"a protected file", link("agents/ada/l.org", "../../core.org"), []string{"agents/ada/l.org"}},
	{"a skill", link("agents/ada/l.org", "../../skills/plan.org"), []string{"agents/ada/l.org"}},
	{"the person's file", link("agents/ada/l.org", "../../inbox.org"), []string{"agents/ada/l.org"}},
	{"another agent's file", link("agents/ada/l.org", "../bob/b.org"), []string{"agents/ada/l.org"}},
	{"an absolute link", link("agents/ada/l.org", "DIR/core.org"), []string{"agents/ada/l.org"}},
	{"a hidden file that is protected", link("agents/ada/l.org", "../../.store/hidden.org"), []string{"agents/ada/l.org", "hidden"}},
	{"a folder that is protected", link("agents/ada/d", "../../skills"),
		[]string{"agents/ada/d/new.org", "agents/ada/d/plan.org", "agents/ada/d/", "agents/ada/d/sub/new.org"}},
	{"the folder above", link("agents/ada/d", ".."), []string{"agents/ada/d/bob/b.org", "agents/ada/d/eve/new.org"}},
	{"the memex", link("agents/ada/d", "../.."), []string{"agents/ada/d/core.org", "agents/ada/d/new.org", "agents/ada/d/skills/new.org",
		"agents/ada/d/agents/ada/d/new.org"}},
	{"a hidden folder", link("agents/ada/d", "../../.store"), []string{"agents/ada/d/new.org", "agents/ada/d/hidden.org", "hidden"}},
	{"a link to a link", func(t *testing.T, dir string) {
		symlink(t, dir, "a.org", "core.org")
		symlink(t, dir, "agents/ada/m.org", "../../a.org")
		symlink(t, dir, "agents/ada/l.org", "m.org")
	}, []string{"agents/ada/l.org", "agents/ada/m.org"}},
	{"a link in the middle", func(t *testing.T, dir string) {
		symlink(t, dir, "notes/deep", "../skills")
		symlink(t, dir, "agents/ada/d", "../../notes")
	}, []string{"agents/ada/d/deep/new.org", "agents/ada/d/deep/plan.org", "agents/ada/d/new.org"}},
	{"her folder", func(t *testing.T, dir string) {
		if err := os.Rename(filepath.Join(dir, "agents/ada"), filepath.Join(dir, "vault")); err != nil {
			t.Fatal(err)
		}
		symlink(t, dir, "agents/ada", "../vault")
	}, []string{"agents/ada/new.org", "agents/ada/own.org", "agents/ada/"}},
	{"the folder of agents", func(t *testing.T, dir string) {
		if err := os.Rename(filepath.Join(dir, "agents"), filepath.Join(dir, ".agents")); err != nil {
			t.Fatal(err)
		}
		symlink(t, dir, "agents", ".agents")
	}, []string{"agents/ada/new.org", "mine"}},
	{"tasks", func(t *testing.T, dir string) {
		if err := os.Rename(filepath.Join(dir, "tasks.org"), filepath.Join(dir, "todo.org")); err != nil {
			t.Fatal(err)
		}
		symlink(t, dir, "tasks.org", "todo.org")
	}, []string{"tasks.org", "task"}},
	{"the folder of tasks", link("tasks", "skills"), []string{"tasks/new.org", "tasks/plan.org"}},
	{"a hard link of a protected file", func(t *testing.T, dir string) { hardLink(t, dir, "agents/ada/hard.org", "core.org") },
		[]string{"agents/ada/hard.org"}},
	{"a hard link of a hidden file", func(t *testing.T, dir string) { hardLink(t, dir, "agents/ada/hard.org", ".store/hidden.org") },
		[]string{"agents/ada/hard.org", "hidden"}},
	{"a protected name leads to her file", func(t *testing.T, dir string) {
		put(t, dir, "agents/ada/plan.org", "* Her plan\n:PROPERTIES:\n:ID: herplan\n:END:\nplan\n")
		symlink(t, dir, "skills/hers.org", "../agents/ada/plan.org")
	}, nil},
	{"other letters", func(*testing.T, string) {}, []string{"agents/ada/rom.org", "agents/ada/Rom.org", "agents/ada/roM-2.org", "agents/ada/r\u200dom.org"}},
}

// writes are the ways in which ada changes what a name leads to, a node or a file.
var writes = []struct {
	name string
	do   func(ctx context.Context, ada api.Service, under string) error
}{
	{"remember", func(ctx context.Context, ada api.Service, under string) error {
		_, err := api.OpRemember.Call(ctx, ada, api.RememberRequest{Title: "Planted", Body: "planted", Under: under})
		return err
	}},
	{"edit", func(ctx context.Context, ada api.Service, under string) error {
		_, err := api.OpEdit.Call(ctx, ada, api.EditRequest{ID: under, Append: new("planted\n")})
		return err
	}},
	{"refile to it", func(ctx context.Context, ada api.Service, under string) error {
		_, err := api.OpRefile.Call(ctx, ada, api.MoveRequest{ID: "mine", To: under})
		return err
	}},
	{"refile from it", func(ctx context.Context, ada api.Service, under string) error {
		_, err := api.OpRefile.Call(ctx, ada, api.MoveRequest{ID: under, To: "task"})
		return err
	}},
	{"archive", func(ctx context.Context, ada api.Service, under string) error {
		_, err := api.OpArchive.Call(ctx, ada, api.MoveRequest{ID: under})
		return err
	}},
	{"forget", func(ctx context.Context, ada api.Service, under string) error {
		_, err := api.OpForget.Call(ctx, ada, api.MoveRequest{ID: under})
		return err
	}},
	{"assign ids", func(ctx context.Context, ada api.Service, under string) error {
		_, err := api.OpAssignIDs.Call(ctx, ada, api.AssignRequest{IDs: []string{under}})
		return err
	}},
	{"resolve", func(ctx context.Context, ada api.Service, under string) error {
		_, err := api.OpResolve.Call(ctx, ada, api.ResolveRequest{ID: under})
		return err
	}},
}

// TestAgentsStayInTheirPlaces: whatever leads from a place that an agent may write to
// another one, and whichever way it writes, no file changes but its own, and none that
// is protected is taken out of service.
func TestAgentsStayInTheirPlaces(t *testing.T) {
	for _, way := range leads {
		t.Run(way.name, func(t *testing.T) {
			f := newFolder(t, way.make)
			names := way.under
			if way.under == nil {
				names = []string{"agents/ada/plan.org", "skills/hers.org", "herplan"}
			}
			hers := map[string]string{}
			if way.under == nil {
				hers["agents/ada/plan.org"] = ""
			}
			was := f.snapshot(hers)
			stood := f.standing()
			for _, under := range names {
				for _, w := range writes {
					err := w.do(t.Context(), f.ada, under)
					if err == nil && w.name != "assign ids" {
						t.Errorf("%s %s: allowed", w.name, under)
					}
					if err != nil && w.name == "remember" && fovea.KindOf(err) != fovea.Denied && !strings.Contains(err.Error(), "is not seen") {
						t.Errorf("%s %s: %v", w.name, under, err)
					}
					if diff := cmp.Diff(was, f.snapshot(hers)); diff != "" {
						t.Fatalf("%s %s (-before +after):\n%s", w.name, under, diff)
					}
					if now := f.standing(); !slices.Equal(now, stood) {
						t.Fatalf("%s %s: %s", w.name, under, now)
					}
				}
			}
		})
	}
}

// snapshot is others, and the files that are named besides.
func (f *folder) snapshot(more map[string]string) map[string]string {
	out := f.others()
	for name := range more {
		text, err := os.ReadFile(filepath.Join(f.dir, name))
		if err != nil {
			f.t.Fatal(err)
		}
		out[name] = string(text)
	}
	return out
}

// TestGoingBackStaysInPlace: a file that an agent wrote and that has become a link
// since is not written again by its rollback or revert.
func TestGoingBackStaysInPlace(t *testing.T) {
	for name, back := range map[string]func(*folder) error{
		"rollback": func(f *folder) error {
			_, err := api.OpRollback.Call(f.t.Context(), f.ada, api.RollbackRequest{To: "seq:2"})
			return err
		},
		"rollback of memory": func(f *folder) error {
			_, err := api.OpRollback.Call(f.t.Context(), f.ada, api.RollbackRequest{To: "seq:2", MemoryOnly: true})
			return err
		},
		"revert": func(f *folder) error {
			_, err := api.OpRevert.Call(f.t.Context(), f.ada, api.RevertRequest{Commits: []string{"seq:3"}})
			return err
		},
	} {
		for where, to := range map[string]string{"a hidden file": "../../.store/same.org", "a hard link": ""} {
			t.Run(name+" of "+where, func(t *testing.T) {
				f := newFolder(t, func(*testing.T, string) {})
				for _, title := range []string{"One", "Two"} {
					if _, err := api.OpRemember.Call(t.Context(), f.ada, api.RememberRequest{Title: title, Under: "agents/ada/n.org"}); err != nil {
						t.Fatal(err)
					}
				}
				at := filepath.Join(f.dir, "agents/ada/n.org")
				same := filepath.Join(f.dir, ".store/same.org")
				if err := os.Rename(at, same); err != nil {
					t.Fatal(err)
				}
				if to != "" {
					symlink(t, f.dir, "agents/ada/n.org", to)
				} else {
					hardLink(t, f.dir, "agents/ada/n.org", ".store/same.org")
				}
				was, _ := os.ReadFile(same)
				err := back(f)
				if now, readErr := os.ReadFile(same); err == nil || readErr != nil || string(now) != string(was) {
					t.Errorf("%v, and the file is now %q, %v", err, now, readErr)
				}
			})
		}
	}
}

// TestArchivesAreAskedFor: the file that an archive goes to is one that the agent may
// write, by whatever it is named.
func TestArchivesAreAskedFor(t *testing.T) {
	for _, tc := range []struct {
		name, location string
		property       bool
		make           func(t *testing.T, dir string)
		allowed        bool
	}{
		{name: "another folder", location: "archive/done.org::"},
		{name: "the folder above", location: "../../archive/done.org::"},
		{name: "by a pattern", location: "../../archive/%s::"},
		{name: "by a property", location: "../../archive/done.org::", property: true},
		{name: "an absolute path", location: "DIR/archive/done.org::"},
		{name: "outside", location: "../../../done.org::"},
		{name: "a protected file", location: "../../core.org::"},
		{name: "a skill", location: "../../skills/new.org::", property: true},
		{name: "another agent's file", location: "../bob/b.org::"},
		{name: "her ROM", location: "ROM.org::"},
		{name: "her rom", location: "rom.org::"},
		{name: "a link to a protected file", location: "l.org::", make: link("agents/ada/l.org", "../../core.org")},
		{name: "a link to a folder", location: "d/done.org::", make: link("agents/ada/d", "../../skills"), property: true},
		{name: "a link to a hidden file", location: "l.org::", make: link("agents/ada/l.org", "../../.store/hidden.org")},
		{name: "her own", location: "done/%s_archive::", allowed: true},
		{name: "tasks", location: "../../tasks/done.org::", allowed: true},
		{name: "the usual", location: "%s_archive::", allowed: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFolder(t, func(t *testing.T, dir string) {
				location := strings.ReplaceAll(tc.location, "DIR", dir)
				if tc.name == "another folder" {
					location = "../../" + location
				}
				text := "#+ARCHIVE: " + location + "\n* Old\n:PROPERTIES:\n:ID: old\n:END:\n** Older\n:PROPERTIES:\n:ID: older\n:END:\n"
				if tc.property {
					text = "* Old\n:PROPERTIES:\n:ID: old\n:ARCHIVE: " + location + "\n:END:\n** Older\n:PROPERTIES:\n:ID: older\n:END:\n"
				}
				put(t, dir, "agents/ada/a.org", text)
				if tc.make != nil {
					tc.make(t, dir)
				}
			})
			was, above := f.others(), entries(t, filepath.Dir(f.dir))
			for _, id := range []string{"older", "old"} {
				_, err := api.OpArchive.Call(t.Context(), f.ada, api.MoveRequest{ID: id})
				if (err == nil) != tc.allowed {
					t.Errorf("%s: %v", id, err)
				}
			}
			now := f.others()
			if tc.allowed {
				for name := range now {
					if strings.HasPrefix(name, "tasks/") {
						delete(now, name)
					}
				}
			}
			if diff := cmp.Diff(was, now); diff != "" || len(f.standing()) > 0 {
				t.Errorf("%s (-before +after):\n%s", f.standing(), diff)
			}
			if diff := cmp.Diff(above, entries(t, filepath.Dir(f.dir))); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Stat(filepath.Join(f.dir, "archive")); err == nil {
				t.Error("a folder was made for it")
			}
		})
	}
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// TestGrantsReachWhereLinksLead: what a person grants by path is granted where links
// lead there, and not beyond.
func TestGrantsReachWhereLinksLead(t *testing.T) {
	f := newFolder(t, func(t *testing.T, dir string) {
		symlink(t, dir, "agents/ada/d", "../../.vault")
		put(t, dir, ".vault/v.org", "* Vault\n:PROPERTIES:\n:ID: vault\n:END:\n")
	})
	for name, tc := range map[string]struct {
		paths   []string
		allowed bool
	}{"nothing": {nil, false}, "the folder that it leads to": {[]string{".vault/"}, true}, "another one": {[]string{".store/"}, false}} {
		g := api.Grant{Agent: "ada", Role: api.Agent, Paths: tc.paths}
		_, err := api.OpEdit.Call(t.Context(), f.as(g), api.EditRequest{ID: "vault", Append: new(fmt.Sprintf("by %s at %s\n", name, time.Now()))})
		if (err == nil) != tc.allowed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTheOwnerNamesTheFileItself: a note below a link to a file that has a path of its
// own goes nowhere, whoever asks: it would be in memory under both paths.
func TestTheOwnerNamesTheFileItself(t *testing.T) {
	f := newFolder(t, func(t *testing.T, dir string) {
		symlink(t, dir, "l.org", "core.org")
		symlink(t, dir, "d", "skills")
		symlink(t, dir, "only.org", ".store/hidden.org")
	})
	was := f.others()
	for _, under := range []string{"l.org", "d/new.org", "d/plan.org"} {
		_, err := api.OpRemember.Call(t.Context(), f.person, api.RememberRequest{Title: "A note", Under: under})
		if err == nil || !strings.Contains(err.Error(), "name that file instead") {
			t.Errorf("%s: %v", under, err)
		}
	}
	if diff := cmp.Diff(was, f.others()); diff != "" || len(f.standing()) > 0 {
		t.Errorf("%s (-before +after):\n%s", f.standing(), diff)
	}
	if _, err := api.OpRemember.Call(t.Context(), f.person, api.RememberRequest{Title: "A note", Under: "only.org"}); err != nil {
		t.Errorf("a file that has no other path: %v", err)
	}
}
