// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
)

// exchanging is a memory of files on a disk, and a folder beside it for other programs' notes.
type exchanging struct {
	t          *testing.T
	dir, other string
	svc        api.Service
	m          *fovea.Memory
}

func newExchanging(t *testing.T) *exchanging {
	t.Helper()
	x := &exchanging{t: t, dir: t.TempDir(), other: filepath.Join(t.TempDir(), "vault")}
	x.write(filepath.Join(x.dir, "mine.org"), "* Mine\n")
	m, err := fovea.Open(t.Context(), x.dir, &fovea.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	x.m, x.svc = m, api.NewLocal(m, nil)
	return x
}

func (x *exchanging) write(name, text string) {
	x.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		x.t.Fatal(err)
	}
}

func (x *exchanging) add(name, text string) { x.write(filepath.Join(x.other, name), text) }

// here is a file of the memex.
func (x *exchanging) here(name string) string {
	text, err := os.ReadFile(filepath.Join(x.dir, name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (x *exchanging) bring(req ops.ImportRequest) *ops.Imported {
	x.t.Helper()
	if req.Source == "" {
		req.Kind, req.Source = "markdown", x.other
	}
	done, err := ops.OpImport.Call(x.t.Context(), x.svc, req)
	if err != nil {
		x.t.Fatal(err)
	}
	return done
}

// TestImport: an import is one commit, the second changes nothing, what was edited or removed
// here stays so, links lead to the imported notes, and a revert takes all of it back.
func TestImport(t *testing.T) {
	x := newExchanging(t)
	x.add("port.md", "---\ntitle: Port\n---\nIt is **8080**, see [[Host]].\n")
	x.add("host.md", "---\ntitle: Host\n---\nIt is alder.\n")
	before := x.m.View().Root()
	done := x.bring(ops.ImportRequest{Kind: "markdown", Source: x.other, DryRun: true})
	if done.Added != 2 || !strings.Contains(x.here("imports/markdown/vault/port.org"), "no such file") || x.m.View().Root() != before {
		t.Fatalf("a dry run did something: %+v", done)
	}
	first := x.bring(ops.ImportRequest{})
	if first.Added != 2 || len(first.Files) != 2 || first.Seq == 0 {
		t.Fatalf("%+v", first)
	}
	if again := x.bring(ops.ImportRequest{}); again.Unchanged != 2 || again.Seq != 0 || again.Root != first.Root {
		t.Errorf("the second import did something: %+v", again)
	}
	n, err := x.m.View().Resolve("Port")
	if err != nil {
		t.Fatal(err)
	}
	host, err := x.m.View().Resolve("Host")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"id:" + host.ID}, n.Derived.Links); diff != "" {
		t.Error(diff)
	}

	// What changes there comes, unless it was changed here.
	x.add("port.md", "---\ntitle: Port\n---\nIt is 9090.\n")
	x.add("host.md", "---\ntitle: Host\n---\nIt is birch.\n")
	x.write(filepath.Join(x.dir, "imports/markdown/vault/host.org"), x.here("imports/markdown/vault/host.org")+"My line.\n")
	done = x.bring(ops.ImportRequest{})
	if diff := cmp.Diff([]string{"imports/markdown/vault/host.org"}, done.Kept); diff != "" || done.Updated != 1 {
		t.Errorf("%+v: %s", done, diff)
	}
	if text := x.here("imports/markdown/vault/port.org"); !strings.Contains(text, "9090") {
		t.Errorf("not brought up to date:\n%s", text)
	}
	if text := x.here("imports/markdown/vault/host.org"); !strings.Contains(text, "alder") || !strings.Contains(text, "My line") {
		t.Errorf("an edit is lost:\n%s", text)
	}

	// What was moved is known by its id, and what was removed stays away.
	if _, err := api.OpForget.Call(t.Context(), x.svc, api.MoveRequest{ID: "Mine"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(x.dir, "imports/markdown/vault/port.org"), filepath.Join(x.dir, "ports.org")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(x.dir, "imports/markdown/vault/host.org")); err != nil {
		t.Fatal(err)
	}
	if done = x.bring(ops.ImportRequest{}); done.Added != 0 || len(done.Removed) != 1 || done.Unchanged != 1 {
		t.Errorf("%+v", done)
	}
	if done = x.bring(ops.ImportRequest{Kind: "markdown", Source: x.other, Again: true}); done.Added != 1 {
		t.Errorf("again: %+v", done)
	}
	if _, err := api.OpRevert.Call(t.Context(), x.svc, api.RevertRequest{Commits: []string{strconv.FormatUint(done.Seq, 10)}}); err != nil {
		t.Fatal(err)
	}
	if text := x.here("imports/markdown/vault/host.org"); !strings.Contains(text, "no such file") {
		t.Errorf("the revert left\n%s", text)
	}
}

// TestImportLines: objects become headlines of one file, which grows with later imports.
func TestImportLines(t *testing.T) {
	x := newExchanging(t)
	file := filepath.Join(x.other, "mem.jsonl")
	req := ops.ImportRequest{Kind: "jsonl", Source: file}
	x.add("mem.jsonl", `{"id":1,"title":"One","content":"first"}`+"\n")
	if done := x.bring(req); done.Added != 1 {
		t.Fatalf("%+v", done)
	}
	x.add("mem.jsonl", `{"id":1,"title":"One","content":"changed"}`+"\n"+`{"id":2,"title":"Two","content":"second"}`)
	if done := x.bring(req); done.Added != 1 || done.Updated != 1 {
		t.Errorf("%+v", done)
	}
	text := x.here("imports/jsonl/mem/mem.org")
	if strings.Count(text, "* ") != 2 || !strings.Contains(text, "changed") || strings.Contains(text, "first") {
		t.Errorf("the file is\n%s", text)
	}
	if done := x.bring(req); done.Unchanged != 2 || done.Seq != 0 {
		t.Errorf("%+v", done)
	}
}

// TestImportRefuses: each bad source is named, and nothing changes.
func TestImportRefuses(t *testing.T) {
	x := newExchanging(t)
	x.add("a.md", "text\n")
	x.write(filepath.Join(x.dir, "taken/a.org"), "* Taken\n")
	root := x.m.View().Root()
	for _, tc := range []struct {
		name string
		req  ops.ImportRequest
		kind fovea.Kind
		want string
	}{
		{"an unknown kind", ops.ImportRequest{Kind: "notion", Source: x.other}, fovea.Invalid, "no such kind"},
		{"a relative path", ops.ImportRequest{Kind: "markdown", Source: "vault"}, fovea.Invalid, "absolute"},
		{"no folder", ops.ImportRequest{Kind: "markdown", Source: filepath.Join(x.other, "none")}, fovea.NotFound, "no such file"},
		{"a folder outside", ops.ImportRequest{Kind: "markdown", Source: x.other, Into: "../out"}, fovea.Invalid, "below the memex"},
		{"a hidden folder", ops.ImportRequest{Kind: "markdown", Source: x.other, Into: ".git"}, fovea.Invalid, "no note is read from this path"},
		{"a file that is there", ops.ImportRequest{Kind: "markdown", Source: x.other, Into: "taken"}, fovea.Conflict, "--into"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ops.OpImport.Call(t.Context(), x.svc, tc.req)
			if err == nil || fovea.KindOf(err) != tc.kind || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v (%v), want %v with %q", err, fovea.KindOf(err), tc.kind, tc.want)
			}
		})
	}
	if text := x.here("taken/a.org"); text != "* Taken\n" {
		t.Errorf("taken/a.org is %q", text)
	}
	if err := x.m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := x.m.View().Len(); n != 4 { // mine.org, taken/a.org and their headlines
		t.Errorf("%d nodes, root %s before and %s now", n, root, x.m.View().Root())
	}
}

// TestImportBesideACopy: a note that comes anew replaces the one here, and not a person's copy of it. A
// file that leads elsewhere fails the import.
func TestImportBesideACopy(t *testing.T) {
	x := newExchanging(t)
	source := filepath.Join(x.other, "mem.jsonl")
	req := ops.ImportRequest{Kind: "jsonl", Source: source}
	x.write(source, `{"id":"1","title":"Port","text":"It is 8080."}`+"\n"+`{"id":"2","title":"Host","text":"It is alder."}`)
	file := x.bring(req).Files[0]
	ours := x.here(file)
	mine := "* Copies\n*" + ours[strings.Index(ours, "* Port"):strings.Index(ours, "* Host")]
	x.write(filepath.Join(x.dir, file), ours+mine)
	x.write(source, `{"id":"2","title":"Host","text":"It is an old birch."}`+"\n"+`{"id":"1","title":"Port","text":"It is 9090."}`)
	done, text := x.bring(req), x.here(file)
	if done.Updated != 2 || !strings.HasSuffix(text, mine) || strings.Count(text, "8080") != 1 || strings.Count(text, "9090") != 1 ||
		strings.Count(text, "old birch") != 1 || strings.Contains(text, "alder") {
		t.Errorf("%+v\n%s", done, text)
	}
	x.add("a.md", "A\n")
	x.write(filepath.Join(x.dir, "links", "b.org"), "* B\n")
	if err := os.Symlink(filepath.Join(x.other, "elsewhere.org"), filepath.Join(x.dir, "links", "a.org")); err != nil {
		t.Fatal(err)
	}
	if done, err := ops.OpImport.Call(t.Context(), x.svc, ops.ImportRequest{Kind: "markdown", Source: x.other, Into: "links"}); err == nil {
		t.Errorf("%+v", done)
	}
}

// TestExportImport: what is exported can be imported, with its titles, tags and links.
func TestExportImport(t *testing.T) {
	for _, kind := range []string{"markdown", "okf", "basic-memory", "claude", "jsonl"} {
		t.Run(kind, func(t *testing.T) {
			x := newExchanging(t)
			x.write(filepath.Join(x.dir, "a/house.org"), ":PROPERTIES:\n:ID: house\n:END:\n#+title: House\n"+
				"#+filetags: :home:\n\nSee [[id:boat][the boat]].\n* TODO Roof\nIt /leaks/.\n")
			x.write(filepath.Join(x.dir, "boat.org"), ":PROPERTIES:\n:ID: boat\n:END:\n#+title: Boat\n")
			for range 2 { // the second replaces the first
				if _, err := ops.OpExport.Call(t.Context(), x.svc, ops.ExportRequest{Kind: kind, To: x.other}); err != nil {
					t.Fatal(err)
				}
			}
			y := newExchanging(t)
			done := y.bring(ops.ImportRequest{Kind: kind, Source: x.other, Into: "in"})
			if len(done.Kept)+len(done.Removed) > 0 || done.Added < 3 {
				t.Fatalf("%+v", done)
			}
			n, err := y.m.View().Resolve("House")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"home"}, n.Derived.Tags); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(n.Content, "the boat") {
				t.Errorf("the text is %q", n.Content)
			}
			if kind != "jsonl" && (len(n.Derived.Links) != 1 || !strings.HasPrefix(n.Derived.Links[0], "id:")) {
				t.Errorf("links %q", n.Derived.Links)
			}
		})
	}
}

// TestExportRefuses: what is there and is no export stays.
func TestExportRefuses(t *testing.T) {
	x := newExchanging(t)
	x.add("mine.txt", "precious")
	for kind, to := range map[string]string{"okf": x.other, "jsonl": filepath.Join(x.other, "mine.txt")} {
		if _, err := ops.OpExport.Call(t.Context(), x.svc, ops.ExportRequest{Kind: kind, To: to}); fovea.KindOf(err) != fovea.Conflict {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(x.other, "mine.txt")); string(text) != "precious" {
		t.Errorf("the file is %q", text)
	}
	list, err := json.Marshal([]string{"../mine.txt", "gone.md"})
	if err != nil {
		t.Fatal(err)
	}
	export := filepath.Join(x.other, "export")
	x.write(filepath.Join(export, ".fovea-export"), string(list))
	x.write(filepath.Join(x.other, "mine.txt"), "precious")
	if _, err := ops.OpExport.Call(t.Context(), x.svc, ops.ExportRequest{Kind: "okf", To: export}); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(filepath.Join(x.other, "mine.txt")); string(text) != "precious" {
		t.Errorf("a list that leads outside was followed: %q", text)
	}
}

// TestImportOddFiles: two files that lead to one path, names that Fovea does not read, and a label
// of several lines neither stop an import nor write what is no note, and come again unchanged.
func TestImportOddFiles(t *testing.T) {
	x := newExchanging(t)
	x.add("x.md", "one\n")
	x.add("B.md", "three\n")
	x.add("b.md", "four\n")
	x.add("#lock#/#auto#.md", "five\n")
	x.add("bell\x07.md", "six\n")
	x.add("own.md", "---\nimported_source: 1\nid: 2\nID: 3\ntags: [a, null]\n---\nseven\n")
	req := ops.ImportRequest{Kind: "markdown", Source: x.other, Label: "a\n:END:\n* b", Into: "in"}
	first := x.bring(req)
	x.add("x.markdown", "two\n") // after x.md was imported, and before it in the folder
	second := x.bring(req)
	for name, want := range map[string]string{"x.org": "one", "x.markdown.org": "two", "B.org": "three", "b.md.org": "four", "own.org": "seven"} {
		text := x.here("in/" + name)
		if !strings.Contains(text, "\n"+want+"\n") || strings.Contains(text, "\n* b") || strings.Contains(text, "null") {
			t.Errorf("%s is %q", name, text)
		}
	}
	if first.Added != 5 || second.Added != 1 || second.Unchanged != 5 || len(second.Kept) > 0 {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if odd := strings.Join(first.Problems, "\n"); !strings.Contains(odd, "bell") || !strings.Contains(odd, "SOURCE_ID is there twice") {
		t.Errorf("problems %q", odd)
	}
}

// TestExportKeeps: an export writes each file beside the others, and replaces nothing that it did
// not write itself.
func TestExportKeeps(t *testing.T) {
	x := newExchanging(t)
	x.write(filepath.Join(x.dir, "mine.org_archive"), "* Old\n")
	export := func(kind, to string) error {
		_, err := ops.OpExport.Call(t.Context(), x.svc, ops.ExportRequest{Kind: kind, To: to})
		return err
	}
	if err := export("markdown", x.other); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"mine.md": "Mine", "mine.org_archive.md": "Old"} {
		if text, _ := os.ReadFile(filepath.Join(x.other, name)); !strings.Contains(string(text), want) {
			t.Errorf("%s is %q", name, text)
		}
	}
	x.add("later.md", "precious")
	x.write(filepath.Join(x.dir, "later.org"), "* Later\n")
	const own = `{"id":"1","text":"precious"}`
	x.add("own.jsonl", own)
	for kind, to := range map[string]string{"markdown": x.other, "jsonl": filepath.Join(x.other, "own.jsonl")} {
		if err := export(kind, to); fovea.KindOf(err) != fovea.Conflict {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, name := range []string{"later.md", "own.jsonl"} {
		if text, _ := os.ReadFile(filepath.Join(x.other, name)); !strings.Contains(string(text), "precious") {
			t.Errorf("%s is %q", name, text)
		}
	}
}

// TestLinesAgain: JSON lines that an export wrote, imported twice, change nothing the second time.
func TestLinesAgain(t *testing.T) {
	x := newExchanging(t)
	x.add("a.md", "---\ntitle: A\n---\ntext\n")
	x.bring(ops.ImportRequest{})
	lines := filepath.Join(t.TempDir(), "all.jsonl")
	if _, err := ops.OpExport.Call(t.Context(), x.svc, ops.ExportRequest{Kind: "jsonl", To: lines}); err != nil {
		t.Fatal(err)
	}
	y := newExchanging(t)
	y.bring(ops.ImportRequest{Kind: "jsonl", Source: lines})
	if done := y.bring(ops.ImportRequest{Kind: "jsonl", Source: lines}); done.Unchanged != 3 || len(done.Kept)+done.Updated+done.Added > 0 {
		t.Errorf("%+v", done)
	}
}
