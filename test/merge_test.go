// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/merkle"
)

// machine is one of several that have a copy of a memory.
type machine struct {
	t    testing.TB
	name string
	d    disks
	m    *fovea.Memory
	hour *atomic.Int64 // of the clock that all look at

	set func(*fovea.Options) // before it is opened, nil for nothing
}

func newMachine(t testing.TB, files map[string]string) *machine {
	t.Helper()
	a := &machine{t: t, name: "a", d: disks{faultfs.New(), faultfs.New()}, hour: new(atomic.Int64)}
	a.d.write(t, files)
	a.open()
	a.sync()
	return a
}

func (a *machine) open() {
	a.t.Helper()
	opts := &fovea.Options{Store: a.d.state, Actor: author.Actor{Author: author.Named(a.name), May: anywhere, Renames: true}, Now: func() time.Time {
		return time.UnixMilli(1_800_000_000_000).Add(time.Duration(a.hour.Add(1)) * time.Hour)
	}}
	opts.Folder = a.d.memex
	if a.set != nil {
		a.set(opts)
	}
	var err error
	if a.m, err = fovea.Open(a.t.Context(), "/memex", opts); err != nil {
		a.t.Fatal(err)
	}
}

// copy starts another machine with what this one has.
func (a *machine) copy(name string) *machine {
	a.t.Helper()
	b := &machine{t: a.t, name: name, d: a.d.clone(), hour: a.hour}
	b.open()
	return b
}

func (a *machine) sync() {
	a.t.Helper()
	if err := a.m.Ingest(a.t.Context(), &fovea.IngestOptions{AcceptDeletions: true}); err != nil {
		a.t.Fatal(err)
	}
}

func (a *machine) write(name, text string) {
	a.t.Helper()
	a.d.write(a.t, map[string]string{name: text})
	a.sync()
}

// from merges what another machine has at the moment.
func (a *machine) from(b *machine) (fovea.Commit, []document.Conflict) {
	a.t.Helper()
	return a.fromStore(b.d.state.Clone())
}

func (a *machine) fromStore(in *faultfs.FS) (fovea.Commit, []document.Conflict) {
	a.t.Helper()
	return a.mergeFor(a.t, in)
}

// mergeFor is fromStore that reports to t, which may be a rapid.T, so that rapid shrinks
// the run and prints its seed.
func (a *machine) mergeFor(t rapid.TB, in *faultfs.FS) (fovea.Commit, []document.Conflict) {
	t.Helper()
	c, _, conflicts, err := mergeStore(a.t.Context(), a.m, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.whole(t)
	return c, conflicts
}

// whole proves the memory, and that its files are what it holds.
func (a *machine) whole(t rapid.TB) {
	t.Helper()
	if diff := cmp.Diff(filesOf(a.m.View()), a.d.files(a.t)); diff != "" {
		t.Fatalf("%s: files (-memory +folder)\n%s", a.name, diff)
	}
	_, problems, err := a.m.Mending().Verify(a.t.Context())
	if err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v %v", a.name, problems, err)
	}
}

func (a *machine) root() merkle.Digest { return a.m.View().Root() }

// took returns what a merge took in: the parent that was not the head before it.
func (a *machine) took(c fovea.Commit) merkle.Digest {
	a.t.Helper()
	before, err := a.m.History().At(a.t.Context(), fmt.Sprintf("seq:%d", c.Seq-1))
	if err != nil || len(c.Parents) != 2 {
		a.t.Fatalf("commit %d has parents %v, %v", c.Seq, c.Parents, err)
	}
	i := slices.Index(c.Parents, before.Head().Digest)
	if i < 0 {
		a.t.Fatalf("commit %d does not follow the one before it", c.Seq)
	}
	return c.Parents[1-i]
}

const mergeFile = "* A\n:PROPERTIES:\n:ID: a\n:END:\none\ntwo\nthree\nfour\n* B\n:PROPERTIES:\n:ID: b\n:END:\n"

// TestMergeBothWays: two machines merge what both did, each on its own, and are one
// again: the same root by the same commit, and nothing new the next time.
func TestMergeBothWays(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": mergeFile, "gone.org": "* Gone\n"})
	b := a.copy("b")
	a.write("a.org", strings.Replace(strings.Replace(mergeFile, "* A", "* TODO A :x:", 1), "one", "one, by a", 1))
	b.write("a.org", strings.Replace(strings.Replace(mergeFile, "* A", "* [#A] A", 1), "four", "four, by b", 1))
	b.write("sub/new.org", "* New\n")
	atA, atB := a.d.state.Clone(), b.d.state.Clone()

	ca, conflicts := a.fromStore(atB)
	if len(conflicts) > 0 || ca.Kind != "merge" || ca.Message != "2 commits of another copy, 0 conflicts" {
		t.Errorf("%+v, %v", ca, conflicts)
	}
	cb, _ := b.fromStore(atA)
	if a.root() != b.root() || a.took(ca) != b.took(cb) {
		t.Errorf("roots %s and %s, by %s and %s", a.root(), b.root(), a.took(ca), b.took(cb))
	}
	want := map[string]string{
		"a.org":    strings.NewReplacer("* A", "* TODO [#A] A :x:", "one", "one, by a", "four", "four, by b").Replace(mergeFile),
		"gone.org": "* Gone\n", "sub/new.org": "* New\n",
	}
	if diff := cmp.Diff(want, a.d.files(t)); diff != "" {
		t.Error(diff)
	}
	for _, m := range []*machine{a, b} {
		other := map[*machine]*machine{a: b, b: a}[m]
		if c, _ := m.from(other); c.Seq != 0 {
			t.Errorf("%s: merged again it makes commit %d", m.name, c.Seq)
		}
	}

	// The next time both go on from there.
	a.edit("b", document.SetTitle{Title: "Bee"})
	b.edit("b", document.AddTag{Tag: "late"})
	a.from(b)
	if c, _ := b.from(a); c.Seq == 0 || a.root() != b.root() {
		t.Errorf("roots %s and %s", a.root(), b.root())
	}
	if got := a.d.files(t)["a.org"]; !regexp.MustCompile(`\* Bee +:late:\n`).MatchString(got) {
		t.Errorf("%s", got)
	}
}

func (a *machine) edit(id string, edits ...document.Edit) {
	a.t.Helper()
	if _, err := a.m.Notes().Edit(a.t.Context(), id, nil, edits...); err != nil {
		a.t.Fatal(err)
	}
}

// TestMergeTakesOver: where nothing was done here, the other's newest commit is what
// is taken in.
func TestMergeTakesOver(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": mergeFile})
	b := a.copy("b")
	b.edit("a", document.SetTitle{Title: "Ay"})
	b.edit("b", document.Delete{})
	want, root := b.m.View().Head().Digest, b.root()
	c, _ := a.from(b)
	if a.took(c) != want || a.root() != root || c.Message != "2 commits of another copy" || c.Author != author.Named("a") {
		t.Errorf("%+v", c)
	}
	if c, _ := b.from(a); c.Seq != 0 {
		t.Errorf("what has all made commit %d", c.Seq)
	}
	if _, _, err := a.m.History().Rollback(t.Context(), "0", nil); err != nil {
		t.Fatal(err)
	}
	if got := a.d.files(t)["a.org"]; got != mergeFile {
		t.Errorf("rolled back to %q", got)
	}
}

// TestMergeConflict: both changed one field; the loser is kept in the note until
// somebody resolves it, and that is not undone by the next merge.
func TestMergeConflict(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": mergeFile})
	b := a.copy("b")
	a.edit("b", document.SetTitle{Title: "Early"})
	b.edit("b", document.SetTitle{Title: "Late"})
	atA := a.d.state.Clone()
	_, conflicts := a.from(b)
	if len(conflicts) != 1 || conflicts[0].ID != "b" || conflicts[0].Kept != "Late" || conflicts[0].Lost != "Early" {
		t.Fatalf("%+v", conflicts)
	}
	b.fromStore(atA)
	if _, err := a.m.Notes().ResolveConflicts(t.Context(), "b", nil, true); err != nil {
		t.Fatal(err)
	}
	if _, conflicts := b.from(a); len(conflicts) > 0 || a.root() != b.root() {
		t.Errorf("%v, roots %s and %s", conflicts, a.root(), b.root())
	}
	if got := b.d.files(t)["a.org"]; !strings.HasSuffix(got, "* Early\n:PROPERTIES:\n:ID: b\n:END:\n") {
		t.Error(got)
	}
}

// TestMergeOfThree: what came by way of a third machine is merged as the same.
func TestMergeOfThree(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": mergeFile})
	b, c := a.copy("b"), a.copy("c")
	c.edit("b", document.SetTitle{Title: "By c"})
	a.edit("a", document.AddTag{Tag: "a"})
	b.edit("a", document.AddTag{Tag: "b"})
	a.from(c)
	b.from(c)
	c.edit("b", document.AppendBody{Text: "more"})
	b.from(c)
	// The newest that a and b have in common is the first commit of c, which is in neither chain.
	if _, conflicts := a.from(b); len(conflicts) > 0 {
		t.Errorf("%v", conflicts)
	}
	b.from(a)
	if c.from(b); a.root() != b.root() || a.root() != c.root() {
		t.Errorf("roots %s, %s and %s", a.root(), b.root(), c.root())
	}
	n, _ := c.m.View().Get("a")
	if tags := n.Derived.Tags; !slices.Contains(tags, "a") || !slices.Contains(tags, "b") {
		t.Errorf("tags %v", tags)
	}
	if n, _ := c.m.View().Get("b"); n.Title() != "By c" || n.Body() != "more\n" {
		t.Errorf("%s: %q", n.Title(), n.Body())
	}
}

// TestMergeForgets: what was forgotten on one machine, no agent brings back on the
// other, after a restart too.
func TestMergeForgets(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* The code of the door\n1234\n* Other\n"})
	b := a.copy("b")
	if _, err := b.m.Notes().Forget(t.Context(), get(t, b.m.View(), "The code of the door").ID, nil); err != nil {
		t.Fatal(err)
	}
	a.from(b)
	for range 2 {
		if _, kind := asAda(t, a.m, "The code of the door", "1234"); kind != fovea.Denied {
			t.Errorf("it comes back: %v", kind)
		}
		if err := a.m.Close(); err != nil {
			t.Fatal(err)
		}
		a.open()
	}
}

func TestMergeErrors(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": mergeFile})
	b := a.copy("b")
	b.edit("a", document.SetTitle{Title: "Ay"})
	stranger := newMachine(t, map[string]string{"b.org": "* Another\n"})
	empty := &machine{t: t, d: disks{faultfs.New(), faultfs.New()}, hour: a.hour}
	empty.open()
	session, err := a.m.Scope(t.Context(), "session/s")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		m    *fovea.Memory
		in   *faultfs.FS
		opts *fovea.WriteOptions
		kind fovea.Kind
		want string
	}{
		{"not of this memory", a.m, stranger.d.state.Clone(), nil, fovea.Invalid, "no commit in common"},
		{"no state folder", a.m, faultfs.New(), nil, fovea.NotFound, "keeps no memory of the scope memex"},
		{"no such scope", a.project("project/q"), b.d.state.Clone(), nil, fovea.NotFound, "keeps no memory of the scope project/q"},
		{"a session", session, b.d.state.Clone(), nil, fovea.Invalid, "a session stays on its machine"},
		{"into nothing", empty.m, b.d.state.Clone(), nil, fovea.Invalid, "this memory is empty"},
		{"leaving out", a.m, b.d.state.Clone(), &fovea.WriteOptions{Skip: true}, fovea.Invalid, "all or nothing"},
		{"an old head", a.m, b.d.state.Clone(), &fovea.WriteOptions{Head: 9}, fovea.Conflict, "came meanwhile"},
		{"open elsewhere", a.m, b.d.state, nil, fovea.Conflict, "held by process"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := tc.m.View()
			_, _, _, err := mergeStore(t.Context(), tc.m, tc.in, tc.opts)
			if fovea.KindOf(err) != tc.kind || !strings.Contains(fmt.Sprint(err), tc.want) {
				t.Errorf("%v: %v", fovea.KindOf(err), err)
			}
			if tc.m.View() != before {
				t.Error("something changed")
			}
		})
	}
	if _, _, _, err := a.m.History().Merge(t.Context(), "/nowhere/at/all", nil); fovea.KindOf(err) != fovea.NotFound {
		t.Error(err)
	}

	// A file that nobody has ingested yet refuses the whole.
	a.d.write(t, map[string]string{"a.org": "* Written meanwhile\n"})
	if _, _, _, err := mergeStore(t.Context(), a.m, b.d.state.Clone(), nil); fovea.KindOf(err) != fovea.Conflict || !strings.Contains(err.Error(), "a.org") {
		t.Error(err)
	}
	dry := &fovea.WriteOptions{DryRun: true}
	a.sync()
	before := a.m.View()
	if _, files, _, err := mergeStore(t.Context(), a.m, b.d.state.Clone(), dry); err != nil || !slices.Equal(files, []string{"a.org"}) || a.m.View() != before {
		t.Errorf("%v, %v", files, err)
	}
}

// project opens a project and takes a tree into it.
func (a *machine) project(name string) *fovea.Memory {
	a.t.Helper()
	m, err := a.m.Scope(a.t.Context(), name)
	if err == nil {
		_, _, _, err = m.IngestTree(a.t.Context(), &ast.Tree{Type: "headline",
			Attrs: document.Attributes(document.Attr{Key: "ID", Value: document.TextValue("of " + name)})}, "", nil)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return m
}

// TestMergeOfTheSameState: where both sides did the same, that is remembered, so that
// what one of them does next is no conflict with it.
func TestMergeOfTheSameState(t *testing.T) {
	const text = "* New\n:PROPERTIES:\n:ID: new\n:END:\nx\n"
	for _, tc := range []struct {
		name string
		edit document.Edit
		left bool
	}{
		{"edited", document.AppendBody{Text: "more"}, true},
		{"deleted", document.Delete{}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := newMachine(t, map[string]string{"a.org": mergeFile})
			b := a.copy("b")
			for _, m := range []*machine{a, b} {
				m.write("new.org", text)
			}
			if _, conflicts := a.from(b); len(conflicts) > 0 {
				t.Fatal(conflicts)
			}
			a.edit("new", tc.edit) // b has done nothing since they were one
			if _, conflicts := a.from(b); len(conflicts) > 0 {
				t.Errorf("conflicts: %v", conflicts)
			}
			if _, there := a.m.View().Get("new"); there != tc.left {
				t.Errorf("the note is there: %v", there)
			}
		})
	}
}

// TestMergeModel: two machines start from one memory, change apart, files and trees,
// and merge at any moment, restarts between. Merged both ways they are one, by one
// commit; a word that both have and nobody took away is there afterwards.
func TestMergeModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := newMachine(t, map[string]string{"a.org": mergeFile})
		b := a.copy("b")
		defer func() { a.m.Close(); b.m.Close() }()
		words, doubled := 0, map[string]bool{} // those that stood in two places of one state
		merge := func(rt *rapid.T, m *machine, in *faultfs.FS) fovea.Commit {
			c, _ := m.mergeFor(rt, in)
			for w, places := range wordsOf(m.m.View()) {
				doubled[w] = doubled[w] || len(places) > 1
			}
			return c
		}
		drawn := func() *machine { return rapid.SampledFrom([]*machine{a, b}).Draw(rt, "machine") }
		rt.Repeat(map[string]func(*rapid.T){
			"write": func(rt *rapid.T) {
				m := drawn()
				words++
				name := rapid.SampledFrom([]string{"b.org", "sub/c.org"}).Draw(rt, "file")
				old := m.d.files(t)[name]
				m.write(name, old+fmt.Sprintf("* %s\n%sword%d\n", rapid.SampledFrom([]string{"Rivets", "Gauge"}).Draw(rt, "title"),
					rapid.SampledFrom([]string{"", ":PROPERTIES:\n:ID: c\n:END:\n"}).Draw(rt, "drawer"), words))
			},
			"edit": func(rt *rapid.T) {
				m, id := drawn(), rapid.SampledFrom([]string{"a", "b", "c", "t"}).Draw(rt, "id")
				words++
				edit := rapid.SampledFrom([]document.Edit{
					document.AppendBody{Text: fmt.Sprintf("word%d", words)}, document.SetTitle{Title: fmt.Sprintf("word%d", words)}, document.Delete{},
					document.AddTag{Tag: "x"}, document.SetTodo{Keyword: "DONE"},
				}).Draw(rt, "edit")
				if _, err := m.m.Notes().Edit(t.Context(), id, nil, edit); !expected(err) {
					rt.Fatal(err)
				}
			},
			"move": func(rt *rapid.T) {
				m := drawn()
				if _, err := m.m.Notes().Refile(t.Context(), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "id"),
					rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "to"), nil); !expected(err) {
					rt.Fatal(err)
				}
			},
			"tree": func(rt *rapid.T) {
				m := drawn()
				words++
				tree, err := ast.DecodeTree(fmt.Appendf(nil, `{"type":"headline","properties":{"ID":"t","N":%d},"raw-content":"word%d",`+
					`"contents":[{"type":"paragraph"}]}`, rapid.IntRange(0, 2).Draw(rt, "n"), words))
				if err != nil {
					rt.Fatal(err)
				}
				if _, _, _, err := m.m.IngestTree(t.Context(), tree, "", nil); !expected(err) {
					rt.Fatal(err)
				}
			},
			"rollback": func(rt *rapid.T) {
				if _, _, err := drawn().m.History().Rollback(t.Context(), "0", nil); !expected(err) {
					rt.Fatal(err)
				}
			},
			"merge": func(rt *rapid.T) {
				m := drawn()
				merge(rt, m, map[*machine]*machine{a: b, b: a}[m].d.state.Clone())
			},
			"merge both ways": func(rt *rapid.T) {
				kept := keptWords(a, b, doubled)
				atA, atB := a.d.state.Clone(), b.d.state.Clone()
				ca, cb := merge(rt, a, atB), merge(rt, b, atA)
				if a.root() != b.root() {
					rt.Fatalf("root %s, on the other machine %s\n%s", a.root(), b.root(), cmp.Diff(nodesOf(a.m.View()), nodesOf(b.m.View())))
				}
				if ca.Seq != 0 && cb.Seq != 0 && a.took(ca) != b.took(cb) {
					rt.Fatalf("took in %s, on the other machine %s", a.took(ca), b.took(cb))
				}
				have := wordsOf(a.m.View())
				for w, is := range kept {
					if is && len(have[w]) == 0 {
						rt.Fatalf("%s is lost", w)
					}
				}
				for _, m := range []*machine{a, b} {
					if c := merge(rt, m, map[*machine]*machine{a: b, b: a}[m].d.state.Clone()); c.Seq != 0 {
						rt.Fatalf("%s: merged again it makes commit %d", m.name, c.Seq)
					}
				}
			},
			"restart": func(rt *rapid.T) {
				m := drawn()
				before := m.m.View()
				if err := m.m.Close(); err != nil {
					rt.Fatal(err)
				}
				m.open()
				if m.m.View().Head().Digest != before.Head().Digest {
					rt.Fatal("another head after a restart")
				}
			},
		})
	})
}

// wordsOf lists the numbered words of a view, those kept in conflicts too, with the places
// where each stands: the node, and its title, an attribute or a line.
func wordsOf(v fovea.View) map[string][]string {
	out := map[string][]string{}
	add := func(place, text string) {
		for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			if strings.HasPrefix(w, "word") {
				out[w] = append(out[w], place)
			}
		}
	}
	for n := range v.All() {
		own := n.Content
		if n.Type == document.TypeHeadline && !n.IsTree() {
			_, own, _ = strings.Cut(own, "\n")
			add(n.ID+" title", n.Title())
		}
		for line := range strings.Lines(own) {
			add(n.ID+" line "+line, line)
		}
		for _, a := range n.Attrs {
			add(n.ID+" attribute "+a.Key, fmt.Sprint(a.Value))
		}
	}
	return out
}

// keptWords are those that both sides have and a merge may not take away. A word of one
// side alone may have been taken away by the other. So may one that a merge put in a second
// place, as in a conflict, unless both have it in one place: each side may have taken away
// the place where the other has it.
func keptWords(a, b *machine, doubled map[string]bool) map[string]bool {
	out, of := map[string]bool{}, wordsOf(b.m.View())
	for w, places := range wordsOf(a.m.View()) {
		out[w] = len(of[w]) > 0 && (!doubled[w] || slices.ContainsFunc(places, func(p string) bool { return slices.Contains(of[w], p) }))
	}
	return out
}

// TestMergeOfAnEmptyCopy: a copy that keeps nothing yet is not a damaged one.
func TestMergeOfAnEmptyCopy(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": mergeFile})
	b := &machine{t: t, name: "b", d: disks{faultfs.New(), faultfs.New()}, hour: new(atomic.Int64)}
	b.open()
	_, _, _, err := mergeStore(t.Context(), a.m, b.d.state.Clone(), nil)
	if kind := fovea.KindOf(err); kind == fovea.Corrupt || err == nil {
		t.Errorf("%v: %v", kind, err)
	}
}
