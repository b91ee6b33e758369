// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// headline matches what a diff says of a change of the headline.
var headline = regexp.MustCompile(`(?m)^(title|todo|tag): `)

// decision is a note with notes below it, what ada proposes about it, and what the owner does.
type decision struct {
	t          *testing.T
	owner, svc api.Service
	ada        context.Context
	name       string // of the file, and the beginning of each id
}

func (d *decision) id(of string) string { return d.name + "-" + of }

// scene is the file that a decision is about.
func (d *decision) scene() string {
	var b strings.Builder
	for _, h := range [][2]string{
		{"* ", "top"}, {"** ", "note"}, {"*** ", "child"}, {"**** ", "grand"}, {"*** ", "second"}, {"* ", "other"}, {"** ", "guest"}, {"* ", "place"},
	} {
		fmt.Fprintf(&b, "%s%s\n:PROPERTIES:\n:ID: %s\n:END:\n%s one\n- [ ] %s two\n", h[0], d.id(h[1]), d.id(h[1]), d.id(h[1]), d.id(h[1]))
	}
	return b.String()
}

// proposable are requests of ada about the note, by what they are about: a branch, the own text and
// the place of a note, the note as it then is, or no note.
var proposable = map[string]map[string]func(d *decision) (*api.EditResponse, error){
	"branch": {
		"forget": func(d *decision) (*api.EditResponse, error) {
			return api.OpForget.Call(d.ada, d.svc, api.MoveRequest{ID: d.id("note")})
		},
		"archive": func(d *decision) (*api.EditResponse, error) {
			return api.OpArchive.Call(d.ada, d.svc, api.MoveRequest{ID: d.id("note")})
		},
		"refile": func(d *decision) (*api.EditResponse, error) {
			return api.OpRefile.Call(d.ada, d.svc, api.MoveRequest{ID: d.id("note"), To: d.id("place")})
		},
	},
	"own": {
		"body":  func(d *decision) (*api.EditResponse, error) { return d.edit(api.EditRequest{Body: new("new\n")}) },
		"title": func(d *decision) (*api.EditResponse, error) { return d.edit(api.EditRequest{Title: new("New")}) },
		"todo":  func(d *decision) (*api.EditResponse, error) { return d.edit(api.EditRequest{Todo: new("DONE")}) },
		"check": func(d *decision) (*api.EditResponse, error) { return d.edit(api.EditRequest{Check: []int{12}}) },
		"both": func(d *decision) (*api.EditResponse, error) {
			return d.edit(api.EditRequest{Append: new("more\n"), Title: new("New")})
		},
	},
	"adds": {
		"append": func(d *decision) (*api.EditResponse, error) { return d.edit(api.EditRequest{Append: new("more\n")}) },
		"tag":    func(d *decision) (*api.EditResponse, error) { return d.edit(api.EditRequest{Tag: []string{"new"}}) },
		"remember": func(d *decision) (*api.EditResponse, error) {
			return api.OpRemember.Call(d.ada, d.svc, api.RememberRequest{Title: "Kid of " + d.name, Under: d.id("note")})
		},
	},
	"none": {
		"file": func(d *decision) (*api.EditResponse, error) {
			return api.OpRemember.Call(d.ada, d.svc, api.RememberRequest{Title: "In file " + d.name, Under: d.name + ".org"})
		},
		"folder": func(d *decision) (*api.EditResponse, error) {
			return api.OpRemember.Call(d.ada, d.svc, api.RememberRequest{Title: "In folder " + d.name, Body: "text"})
		},
	},
}

func (d *decision) edit(r api.EditRequest) (*api.EditResponse, error) {
	r.ID = d.id("note")
	return api.OpEdit.Call(d.ada, d.svc, r)
}

// meanwhile is what the owner does between a proposal and the decision, with the parts of the note
// that it touches.
var meanwhile = map[string]struct {
	touches []string // branch, own, adds
	do      func(d *decision) error
}{
	"nothing":    {nil, func(*decision) error { return nil }},
	"elsewhere":  {nil, func(d *decision) error { return d.append("other") }},
	"above":      {nil, func(d *decision) error { return d.append("top") }},
	"place text": {nil, func(d *decision) error { return d.append("place") }},
	"child new":  {[]string{"branch"}, func(d *decision) error { return d.remember("note") }},
	"grand new":  {[]string{"branch"}, func(d *decision) error { return d.remember("grand") }},
	"child text": {[]string{"branch"}, func(d *decision) error { return d.append("child") }},
	"grand text": {[]string{"branch"}, func(d *decision) error { return d.append("grand") }},
	"moved in":   {[]string{"branch"}, func(d *decision) error { return d.refile("guest", "child") }},
	"moved out":  {[]string{"branch"}, func(d *decision) error { return d.refile("second", "other") }},
	"child gone": {[]string{"branch"}, func(d *decision) error { return d.forget("second") }},
	"text":       {[]string{"branch", "own"}, func(d *decision) error { return d.append("note") }},
	"title":      {[]string{"branch", "own"}, func(d *decision) error { return d.change("note", api.EditRequest{Title: new("Other words")}) }},
	"keyword":    {[]string{"branch", "own"}, func(d *decision) error { return d.change("note", api.EditRequest{Todo: new("TODO")}) }},
	"moved":      {[]string{"own"}, func(d *decision) error { return d.refile("note", "other") }},
	"moved away": {[]string{"own"}, func(d *decision) error {
		_, err := api.OpRefile.Call(d.t.Context(), d.owner, api.MoveRequest{ID: d.id("top"), To: "projects/p.org"})
		return err
	}},
	"gone":        {[]string{"branch", "own", "adds"}, func(d *decision) error { return d.forget("note") }},
	"parent gone": {[]string{"branch", "own", "adds"}, func(d *decision) error { return d.forget("top") }},
}

func (d *decision) change(of string, r api.EditRequest) error {
	r.ID = d.id(of)
	_, err := api.OpEdit.Call(d.t.Context(), d.owner, r)
	return err
}

func (d *decision) append(of string) error {
	return d.change(of, api.EditRequest{Append: new("words of the owner\n")})
}

func (d *decision) remember(under string) error {
	_, err := api.OpRemember.Call(d.t.Context(), d.owner, api.RememberRequest{Title: "Precious", Under: d.id(under)})
	return err
}

func (d *decision) refile(id, to string) error {
	_, err := api.OpRefile.Call(d.t.Context(), d.owner, api.MoveRequest{ID: d.id(id), To: d.id(to)})
	return err
}

func (d *decision) forget(id string) error {
	_, err := api.OpForget.Call(d.t.Context(), d.owner, api.MoveRequest{ID: d.id(id)})
	return err
}

// count counts the lines of the files of a decision, of the archive and of ada's folder.
func (d *decision) count(file func(string) string) map[string]int {
	lines := map[string]int{}
	for _, name := range []string{d.name + ".org", d.name + ".org_archive", "projects/p.org", "projects/p.org_archive"} {
		for line := range strings.Lines(file(name)) {
			lines[strings.TrimLeft(line, "* ")]++
		}
	}
	return lines
}

// judge has ada propose, the owner act and decide, and says what is wrong: "" for nothing. It
// counts what was carried out.
func (d *decision) judge(kind, what string, events []string, file func(string) string) (wrong string, done bool) {
	e, err := proposable[kind][what](d)
	if err != nil || e.Proposal == "" {
		return fmt.Sprintf("was not proposed: %+v, %v", e, err), false
	}
	touched := false
	for _, name := range events {
		n, err := api.OpShow.Call(d.t.Context(), d.owner, api.ShowRequest{ID: d.id("note")})
		left := err == nil && n.Parent != d.id("top") && name == "parent gone" // the note was moved before
		if meanwhile[name].do(d) == nil && !left {                             // what is gone cannot be changed again
			touched = touched || slices.Contains(meanwhile[name].touches, kind)
		}
	}
	before, title := d.count(file), ""
	if n, err := api.OpShow.Call(d.t.Context(), d.owner, api.ShowRequest{ID: d.id("note")}); err == nil {
		title = n.Title
	}
	seen, err := ops.OpReview.Call(d.t.Context(), d.owner, ops.ReviewRequest{ID: e.Proposal})
	if err != nil {
		return err.Error(), false
	}
	got, err := ops.OpReviewAccept.Call(d.t.Context(), d.owner, ops.ReviewDecision{ID: e.Proposal})
	after := d.count(file)
	switch p := seen[0]; {
	case err == nil && touched:
		return "was done, though the owner touched that part", true
	case err != nil && !touched:
		return fmt.Sprintf("was refused, though nobody touched that part: %v", err), false
	case err != nil:
		if !maps.Equal(before, after) {
			return "was refused, and changed files", false
		}
		if !strings.Contains(p.Change, "This cannot be accepted now") {
			return "the diff does not say that it cannot be accepted", false
		}
		if _, err := ops.OpReviewReject.Call(d.t.Context(), d.owner, ops.ReviewDecision{ID: e.Proposal}); err != nil {
			return err.Error(), false
		}
		return "", false
	case got.Path != p.Path && what != "forget":
		return fmt.Sprintf("the diff names %s, and it is in %s", p.Path, got.Path), true
	default:
		for line, n := range before {
			shown := strings.Contains(p.Change, "-"+line) || strings.HasPrefix(line, ":") || strings.Contains(p.Change, strings.TrimSpace(line))
			if owner, _, _ := strings.Cut(strings.TrimPrefix(line, "- [ ] "), " "); !shown && what == "forget" {
				shown = strings.Contains(p.Change, owner) // the title of the note that it is the text of
			}
			shown = shown || headline.MatchString(p.Change) && strings.TrimPrefix(line, "TODO ") == title+"\n"
			if after[line] < n && !shown {
				return fmt.Sprintf("took the line %q, which the diff does not show:\n%s", line, p.Change), true
			}
		}
		return "", true
	}
}

// TestDecisions: each proposal, with each thing that the owner does meanwhile.
func TestDecisions(t *testing.T) {
	owner, svc, ada, file := reviewed(t, "/")
	status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, kind := range slices.Sorted(maps.Keys(proposable)) {
		for _, what := range slices.Sorted(maps.Keys(proposable[kind])) {
			for _, event := range slices.Sorted(maps.Keys(meanwhile)) {
				n++
				d := &decision{t, owner, svc, ada, fmt.Sprintf("d%d", n)}
				writeFile(t, status.Memex, d.name+".org", d.scene())
				if wrong, _ := d.judge(kind, what, []string{event}, file); wrong != "" {
					t.Errorf("%s, and the owner %q: %s", what, event, wrong)
				}
			}
		}
	}
}

// TestCampaignOfDecisions: proposals, and up to four things that the owner does before deciding.
// No text changes that the diff does not show, and none is refused whose part nobody touched.
func TestCampaignOfDecisions(t *testing.T) {
	c := foveatest.NewCampaign(t)
	const each = 50 // of one memory
	all, carried := c.Length(100, 10_000), 0
	for from := 0; from < all; from += each {
		t.Run("", func(t *testing.T) {
			owner, svc, ada, file := reviewed(t, "/")
			status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range min(each, all-from) {
				d := &decision{t, owner, svc, ada, fmt.Sprintf("d%d", i)}
				writeFile(t, status.Memex, d.name+".org", d.scene())
				kind := drawKey(c.Rand, proposable)
				what := drawKey(c.Rand, proposable[kind])
				var events []string
				for range c.Rand.IntN(5) {
					events = append(events, drawKey(c.Rand, meanwhile))
				}
				wrong, done := d.judge(kind, what, events, file)
				if wrong != "" {
					t.Errorf("%d: %s, and the owner %q: %s", from+i, what, events, wrong)
				}
				if done {
					carried++
				}
			}
		})
	}
	t.Logf("%d proposals, %d carried out, %d refused", all, carried, all-carried)
}

// drawKey returns a key of a map.
func drawKey[K cmp.Ordered, V any](r *rand.Rand, of map[K]V) K {
	keys := slices.Sorted(maps.Keys(of))
	return keys[r.IntN(len(keys))]
}

// TestBaseOfABranch: what takes a branch is refused for the version that the branch had, also where
// the node stood alone then, and its version was its own digest.
func TestBaseOfABranch(t *testing.T) {
	take := map[string]func(api.Service, string, string) error{
		"forget": func(svc api.Service, id, base string) error {
			_, err := api.OpForget.Call(t.Context(), svc, api.MoveRequest{ID: id, Base: base})
			return err
		},
		"archive": func(svc api.Service, id, base string) error {
			_, err := api.OpArchive.Call(t.Context(), svc, api.MoveRequest{ID: id, Base: base})
			return err
		},
		"refile": func(svc api.Service, id, base string) error {
			_, err := api.OpRefile.Call(t.Context(), svc, api.MoveRequest{ID: id, Base: base, To: "d-place"})
			return err
		},
	}
	for name, do := range take {
		for of, changed := range map[string]bool{"note": true, "second": true, "guest": false} {
			owner, write := serve(t, nil)
			d := &decision{t: t, owner: owner, name: "d"}
			write("d.org", d.scene())
			was, err := api.OpShow.Call(t.Context(), owner, api.ShowRequest{ID: d.id(of)})
			if err != nil {
				t.Fatal(err)
			}
			if changed {
				if err := d.remember(of); err != nil {
					t.Fatal(err)
				}
			}
			if err := do(owner, d.id(of), was.Version); (fovea.KindOf(err) == fovea.Conflict) != changed || !changed && err != nil {
				t.Errorf("%s %s: %v", name, of, err)
			}
			if of != "note" {
				continue
			}
			if err := do(owner, d.id(of), was.Digest); err != nil { // which says nothing of what is below
				t.Errorf("%s %s by its own digest: %v", name, of, err)
			}
		}
	}
}

// writeFile writes a file as an editor does.
func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
