// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
)

// Files name the first two ids, trees the first and the others.
var modelIDs = []string{"one", "two", "three", "four"}

func drawnID(t *rapid.T, label string) string { return rapid.SampledFrom(modelIDs).Draw(t, label) }

func (m *model) write(t *rapid.T) {
	name := rapid.SampledFrom(modelPaths).Draw(t, "path")
	var text strings.Builder
	for range rapid.IntRange(0, 4).Draw(t, "headlines") {
		text.WriteString(rapid.SampledFrom([]string{"* ", "** ", "*** "}).Draw(t, "stars") +
			rapid.SampledFrom([]string{"A", "Rivets", "TODO C :x:", "Gauge :project:"}).Draw(t, "title") + "\n")
		if rapid.Bool().Draw(t, "id") {
			text.WriteString(fmt.Sprintf(":PROPERTIES:\n:ID: %s\n:END:\n", rapid.SampledFrom(modelIDs[:2]).Draw(t, "which")))
		}
		text.WriteString(rapid.SampledFrom([]string{"", "a steel gauge\n", "[[id:one]]\r\n", "[[file:b.org::*Rivets]] ````\n"}).Draw(t, "body"))
	}
	m.d.write(m.t, map[string]string{name: text.String()})
	m.folder[name], m.changed = text.String(), true
}

func (m *model) remove(t *rapid.T) {
	m.unlink(t, m.file(t))
}

func (m *model) file(t *rapid.T) string {
	if len(m.folder) == 0 {
		t.Skip("no file")
	}
	return rapid.SampledFrom(sortedNames(m.folder)).Draw(t, "path")
}

func (m *model) unlink(t *rapid.T, name string) {
	if err := errors.Join(m.d.memex.Remove(name), m.d.memex.SyncDir(path.Dir(name))); err != nil {
		t.Fatal(err)
	}
	delete(m.folder, name)
	m.changed = true
}

func (m *model) rename(t *rapid.T) {
	from, to := m.file(t), rapid.SampledFrom(modelPaths).Draw(t, "to")
	if from == to {
		t.Skip("the same name")
	}
	m.d.write(m.t, map[string]string{to: m.folder[from]})
	m.folder[to] = m.folder[from]
	m.unlink(t, from)
}

func (m *model) ingest(t *rapid.T) { m.take(t) }

// edit changes a node of a file or a tree, as the person or as mint.
func (m *model) edit(t *rapid.T) {
	edits := []document.Edit{
		document.SetTitle{Title: fmt.Sprint("Rain ", rapid.IntRange(0, 9).Draw(t, "title"))}, document.AddTag{Tag: "wet"}, document.SetTodo{Keyword: "DONE"},
		document.AppendBody{Text: "more rivets"},
	}
	ctx := fovea.WithActor(t.Context(), author.Actor{Author: rapid.SampledFrom([]author.Author{{}, author.Named("mint")}).Draw(t, "author"), May: anywhere})
	_, err := m.m.Notes().Edit(ctx, drawnID(t, "id"), nil, rapid.SampledFrom(edits).Draw(t, "edit"))
	m.done(t, err)
}

func (m *model) insert(t *rapid.T) {
	under := rapid.SampledFrom(append([]string{"a.org", "new.org"}, modelIDs...)).Draw(t, "under")
	ctx := fovea.WithActor(t.Context(), author.Actor{Author: rapid.SampledFrom([]author.Author{{}, author.Named("mint")}).Draw(t, "author"), May: anywhere})
	_, _, err := m.m.Notes().Insert(ctx, under, document.InsertHeadline{Title: "Inserted gauge"}, nil)
	m.done(t, err)
}

func (m *model) refile(t *rapid.T) {
	_, err := m.m.Notes().Refile(t.Context(), drawnID(t, "id"), drawnID(t, "below"), nil)
	m.done(t, err)
}

func (m *model) delete(t *rapid.T) {
	_, err := m.m.Notes().Edit(t.Context(), drawnID(t, "id"), nil, document.Delete{})
	m.done(t, err)
}

// tree draws a tree. Of a node without an ID the title may be wanting, too.
func (m *model) tree(t *rapid.T, depth int) *ast.Tree {
	tree := &ast.Tree{Type: rapid.SampledFrom([]string{"headline", "paragraph"}).Draw(t, "type"),
		Content: rapid.SampledFrom([]string{"", "steel rain", "[[id:two]]"}).Draw(t, "content")}
	var attrs []document.Attr
	if id := rapid.SampledFrom([]string{"", "", "one", "three", "four"}).Draw(t, "id"); id != "" {
		attrs = append(attrs, document.Attr{Key: "ID", Value: document.TextValue(id)})
	}
	if title := rapid.SampledFrom([]string{"", "Rivets", "Gauge"}).Draw(t, "title"); title != "" {
		attrs = append(attrs, document.Attr{Key: "TITLE", Value: document.TextValue(title)}, document.Attr{Key: "TODO", Value: document.TextValue("TODO")})
	}
	tree.Attrs = document.Attributes(attrs...)
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "kids") {
			tree.Kids = append(tree.Kids, m.tree(t, depth-1))
		}
	}
	return tree
}

func (m *model) put(t *rapid.T) {
	tree, parent := m.tree(t, 2), rapid.SampledFrom([]string{"", "", "three", "four"}).Draw(t, "parent")
	before := m.m.View()
	_, id, _, err := m.m.IngestTree(t.Context(), tree, parent, nil)
	if err != nil && m.m.View() != before {
		t.Fatalf("refused, and something changed: %v", err)
	}
	m.done(t, err)
	if err != nil {
		return
	}
	v := m.m.View()
	n, ok := v.Get(id)
	if !ok {
		t.Fatalf("the tree was taken in as %q, and no such node is there", id)
	}
	whole := node.TreeOf(collect(v, n.Path))
	if got := whole.Find(id); got == nil || !got.Equal(tree) {
		t.Fatalf("the tree that was put in reads otherwise (-put +read):\n%s", cmp.Diff(string(tree.JSON()), string(got.JSON())))
	}
}

func collect(v fovea.View, path string) (nodes []*node.Node) {
	for n := range v.Document(path) {
		nodes = append(nodes, n)
	}
	return nodes
}

// editTree edits or deletes any node of a tree, also one without an ID.
func (m *model) editTree(t *rapid.T) {
	var ids []string
	for n := range m.m.View().All() {
		if document.IsMemory(n.Path) {
			ids = append(ids, n.ID)
		}
	}
	if len(ids) == 0 {
		t.Skip("no tree")
	}
	edit := rapid.SampledFrom([]document.Edit{document.Delete{}, document.SetTitle{Title: "Rivets"}, document.ReplaceBody{Text: "rain"}}).Draw(t, "edit")
	_, err := m.m.Notes().Edit(t.Context(), rapid.SampledFrom(ids).Draw(t, "id"), nil, edit)
	m.done(t, err)
}

func (m *model) settle(t *rapid.T) {
	_, err := m.m.Notes().Refile(t.Context(), rapid.SampledFrom(modelIDs[2:]).Draw(t, "id"), rapid.SampledFrom(modelIDs[:2]).Draw(t, "below"), nil)
	m.done(t, err)
}

func (m *model) snapshot(t *rapid.T) {
	m.take(t)
	head := m.m.View().Head().Seq
	if head == 0 {
		t.Skip("empty")
	}
	name := rapid.SampledFrom([]string{"x", "y", ""}).Draw(t, "name")
	s, err := m.m.History().Snapshot(t.Context(), name)
	if err != nil || s.Seq != head {
		t.Fatal(s, err)
	}
	if name != "" {
		m.named[name] = head
	}
}

func (m *model) rollback(t *rapid.T) {
	m.back(t, &fovea.WriteOptions{Skip: rapid.Bool().Draw(t, "skip")})
}

func (m *model) forgetful(t *rapid.T) { m.back(t, &fovea.WriteOptions{MemoryOnly: true}) }

func (m *model) back(t *rapid.T, opts *fovea.WriteOptions) {
	m.take(t)
	ref, seq := m.reference(t)
	drift, before := len(m.m.Status().Drift), m.d.files(m.t)
	_, _, err := m.m.History().Rollback(t.Context(), ref, opts)
	m.done(t, err)
	switch got := m.m.View().Root(); {
	case err != nil && drift == 0:
		t.Fatalf("rolling back to commit %d: %v", seq, err)
	case err != nil || opts.MemoryOnly:
		if diff := cmp.Diff(before, m.folder); diff != "" {
			t.Fatalf("files changed (-before +after):\n%s", diff)
		}
	case drift == 0 && got != m.roots[seq]:
		t.Fatalf("rolling back to commit %d gives root %s, want %s", seq, got, m.roots[seq])
	}
	if err == nil && opts.MemoryOnly && m.m.View().Root() != m.roots[seq] {
		t.Fatalf("rolling memory back to commit %d gives another root", seq)
	}
}

func (m *model) apply(t *rapid.T) {
	_, err := m.m.History().ApplyDrift(t.Context())
	m.done(t, err)
}

func (m *model) adopt(t *rapid.T) {
	_, _, err := m.m.History().AdoptDrift(t.Context(), nil)
	m.done(t, err)
}

// revert takes back all that mint did, and then the revert itself.
func (m *model) revert(t *rapid.T) {
	m.take(t)
	commits, err := m.m.History().CommitsOf(t.Context(), author.Named("mint"), "", "")
	if err != nil || len(commits) == 0 {
		t.Skip("mint did nothing", err)
	}
	var seqs []uint64
	for _, c := range commits {
		seqs = append(seqs, c.Seq)
	}
	before, drift := m.m.View().Root(), len(m.m.Status().Drift)
	c, _, _, err := m.m.History().Revert(t.Context(), seqs, nil)
	m.done(t, err)
	if err != nil || c.Seq == 0 || drift > 0 {
		return
	}
	m.check(t)
	_, _, err = m.m.History().Rollback(t.Context(), "0", nil)
	m.done(t, err)
	if err != nil || m.m.View().Root() != before {
		t.Fatalf("rolling back a revert: %v, root %s, want %s", err, m.m.View().Root(), before)
	}
}

// merge merges two moments as if both came from a third: who is first does not matter,
// and a merge with what came of it brings nothing new.
func (m *model) merge(t *rapid.T) {
	viewAt := func(label string) fovea.View {
		ref, _ := m.reference(t)
		v, err := m.m.History().At(t.Context(), ref)
		if err != nil {
			t.Fatal(label, err)
		}
		return v
	}
	base, a, b := view.Of(viewAt("base")).State, viewAt("a"), viewAt("b")
	side := func(v fovea.View) graph.Side {
		return graph.Side{State: view.Of(v).State, Time: v.Head().Time.UnixMilli(), Digest: v.Head().Digest, Who: fmt.Sprint("commit ", v.Head().Seq)}
	}
	one, _ := graph.Merge(base, side(a), side(b), 1)
	two, _ := graph.Merge(base, side(b), side(a), 1)
	first, _ := one.Seal()
	second, _ := two.Seal()
	if first.Root() != second.Root() {
		t.Fatalf("commits %d and %d merged from %v: the root depends on which is first", a.Head().Seq, b.Head().Seq, base.Root())
	}
	merged := side(b)
	merged.State = first
	again, _ := graph.Merge(first, merged, merged, 1)
	if same, _ := again.Seal(); same.Root() != first.Root() {
		t.Fatal("merged with itself it is something else")
	}
}

// overlay puts a tree into a session: it lies over the memex, which does not notice.
func (m *model) overlay(t *rapid.T) {
	before := m.m.View()
	tree := m.tree(t, 1)
	tree.Scope = "session/s"
	_, _, _, err := m.m.IngestTree(t.Context(), tree, "", nil)
	if !expected(err) {
		t.Fatal(err)
	}
	if m.m.View() != before {
		t.Fatal("the memex noticed a session")
	}
	over, err := m.m.Over(t.Context(), "session/s")
	if err != nil {
		t.Fatal(err)
	}
	sameAnswers(t, fresh(over), over)
	for path, text := range filesOf(before) {
		if got, _ := over.Text(path); got != text {
			t.Fatalf("%s reads otherwise through the session", path)
		}
	}
}
