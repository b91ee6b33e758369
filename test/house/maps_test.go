// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const architectureFile = "ARCHITECTURE.md"

// The page is read in ten minutes: more belongs in the doc.go of a package.
const (
	maxPageBytes = 10_000
	maxTaskWords = 20 // of a row of the table of floors
	minWalkNames = 5  // functions that a walk names
)

var (
	quoted   = regexp.MustCompile("`([^`]+)`")
	headName = regexp.MustCompile("\\*\\*`([^`]+)`\\*\\*")
	walkName = regexp.MustCompile("`([a-z]+)((?:\\.[A-Za-z]\\w*)+)`")
)

// section returns the text below a heading of a page, up to the next one.
func section(page, heading string) string {
	_, text, _ := strings.Cut(page, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// folderNamed is the folder of a package as pages call it.
func folderNamed(name string) string {
	if name == path.Base(modulePath) {
		return "."
	}
	return name
}

// headsOf returns the head packages of the floors, from the ground up.
func headsOf(page string) (heads []string) {
	for _, m := range headName.FindAllStringSubmatch(section(page, "Floors"), -1) {
		heads = append(heads, folderNamed(m[1]))
	}
	return heads
}

// mappedRow is one row of the table of floors.
type mappedRow struct {
	floor, task string
	packages    []string
}

// floorRows reads the table of floors; a row without a floor is of that above it.
func floorRows(page string) (rows []mappedRow) {
	floor := ""
	for line := range strings.Lines(section(page, "Floors")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.Contains(cells[2], "`") {
			continue
		}
		if name := strings.TrimSpace(cells[1]); name != "" {
			floor = name
		}
		row := mappedRow{floor: floor, task: strings.TrimSpace(cells[3])}
		for _, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			row.packages = append(row.packages, folderNamed(m[1]))
		}
		rows = append(rows, row)
	}
	return rows
}

// floorsAreMapped makes the rule that the table of floors has each package once, on its floor,
// above all packages that import it, that each floor has one head, and that a task is short.
func floorsAreMapped(page string, rows []layer) rule {
	return func(sources []*source) []string {
		var complaints []string
		at := map[string]int{}
		heads := map[string]int{}
		for _, row := range floorRows(page) {
			if n := len(strings.Fields(row.task)); n == 0 || n > maxTaskWords || !strings.HasSuffix(row.task, ".") {
				complaints = append(complaints, fmt.Sprintf("%s: the task of %s has %d words; write a sentence of at most %d", architectureFile,
					row.packages, n, maxTaskWords))
			}
			for _, folder := range row.packages {
				i := slices.IndexFunc(rows, func(l layer) bool { return l.folder == folder })
				if i < 0 {
					complaints = append(complaints, fmt.Sprintf("%s names %s, which has no row in layers", architectureFile, folder))
					continue
				}
				want := "beside"
				if l := rows[i]; l.reach != tests {
					want = fmt.Sprint(l.floor(), " ", floors[l.floor()])
				}
				if row.floor != want {
					complaints = append(complaints, fmt.Sprintf("%s has %s on floor %q, want %q", architectureFile, folder, row.floor, want))
				}
				if at[folder] > 0 {
					complaints = append(complaints, fmt.Sprintf("%s names %s twice", architectureFile, folder))
				}
				at[folder] = len(at) + 1
				if slices.Contains(headsOf(page), folder) {
					heads[row.floor]++
				}
			}
		}
		for _, l := range rows {
			exists := slices.ContainsFunc(sources, func(s *source) bool { return s.dir() == l.folder && !s.isTest() })
			if exists != (at[l.folder] > 0) {
				complaints = append(complaints, fmt.Sprintf("%s: give %s a place in the table of floors if it exists, and none otherwise", architectureFile, l.folder))
			}
		}
		for i, name := range floors {
			if n := heads[fmt.Sprint(i, " ", name)]; n != 1 {
				complaints = append(complaints, fmt.Sprintf("%s: floor %d has %d head packages in bold, want one", architectureFile, i, n))
			}
		}
		return append(complaints, mappedUpwards(sources, at)...)
	}
}

// mappedUpwards complains about packages that the table names before one that they import.
func mappedUpwards(sources []*source, at map[string]int) (complaints []string) {
	for _, s := range shipped(sources) {
		for _, name := range slices.Sorted(maps.Keys(s.imports())) {
			if folder, ours := folderOf(name); ours && at[s.dir()] > 0 && at[folder] > at[s.dir()] {
				complaints = append(complaints, s.at(s.imports()[name].Pos(), "%s names %s after %s, which imports it", architectureFile, folder, s.dir()))
			}
		}
	}
	return complaints
}

// declaredNames returns the functions, methods and types that a source declares, methods with
// their type, those of interfaces too.
func declaredNames(s *source) (names []string) {
	for _, decl := range s.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
				continue
			}
			for _, t := range typeNames(s, d.Recv.List[0].Type) {
				names = append(names, t[strings.LastIndex(t, ".")+1:]+"."+d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				spec, isType := spec.(*ast.TypeSpec)
				if !isType {
					continue
				}
				if face, isFace := spec.Type.(*ast.InterfaceType); isFace {
					for _, m := range face.Methods.List {
						for _, id := range m.Names {
							names = append(names, spec.Name.Name+"."+id.Name)
						}
					}
				}
			}
		}
	}
	return names
}

// walksAreReal makes the rule that the page has five walks, and that each function that they
// name, as package.Function or package.Type.Method, is declared.
func walksAreReal(page string) rule {
	return func(sources []*source) []string {
		var complaints []string
		declared := map[string]bool{}
		for _, s := range shipped(sources) {
			for _, name := range declaredNames(s) {
				declared[s.syntax.Name.Name+"."+name] = true
			}
		}
		walks := regexp.MustCompile(`(?m)^\d\. `).Split(section(page, "Five walks"), -1)[1:]
		if len(walks) != 5 {
			complaints = append(complaints, fmt.Sprintf("%s has %d walks, want five", architectureFile, len(walks)))
		}
		for i, walk := range walks {
			names := walkName.FindAllStringSubmatch(walk, -1)
			if len(names) < minWalkNames {
				complaints = append(complaints, fmt.Sprintf("%s: walk %d names %d functions, want at least %d", architectureFile, i+1, len(names), minWalkNames))
			}
			for _, m := range names {
				if !declared[m[1]+m[2]] {
					complaints = append(complaints, fmt.Sprintf("%s: walk %d names %s, which is not declared", architectureFile, i+1, m[1]+m[2]))
				}
			}
		}
		return complaints
	}
}

// publicNeedsAReason makes the rule that the page says why each package of the root folder is
// public.
func publicNeedsAReason(page string) rule {
	return func(sources []*source) []string {
		var reasons []string
		for paragraph := range strings.SplitSeq(section(page, "Floors"), "\n\n") {
			if strings.HasPrefix(strings.TrimSpace(paragraph), "Public") {
				for _, m := range quoted.FindAllStringSubmatch(paragraph, -1) {
					reasons = append(reasons, m[1])
				}
			}
		}
		var complaints []string
		for _, s := range shipped(sources) {
			name, _, nested := strings.Cut(s.dir(), "/")
			if nested || name == "." || s.syntax.Name.Name == "main" || slices.Contains(reasons, name) {
				continue
			}
			reasons = append(reasons, name)
			complaints = append(complaints, fmt.Sprintf("%s does not say why %s is public; make it internal, or give the reason", architectureFile, name))
		}
		return complaints
	}
}

func readArchitecture(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(architectureFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestArchitectureMapsPackages(t *testing.T) {
	hold(t, floorsAreMapped(readArchitecture(t), layers))
}
func TestWalksAreReal(t *testing.T)       { hold(t, walksAreReal(readArchitecture(t))) }
func TestPublicNeedsAReason(t *testing.T) { hold(t, publicNeedsAReason(readArchitecture(t))) }
func TestArchitectureIsShort(t *testing.T) {
	if n := len(readArchitecture(t)); n > maxPageBytes {
		t.Errorf("%s has %d bytes, at most %d are read in ten minutes; move something to a doc.go", architectureFile, n, maxPageBytes)
	}
}

func TestMapRulesCatch(t *testing.T) {
	defer func(saved []string) { floors = saved }(floors)
	floors = []string{"bricks", "formats"}
	rows := []layer{{0, "a", pure}, {1, "b", pure}, {10, "c", pure}, {0, "d", tests}}
	const head = "\n## Floors\n\n| floor | packages | task |\n| --- | --- | --- |\n"
	const good = head + "| 0 bricks | **`a`**, `b` | Bricks. |\n| 1 formats | **`c`** | Formats. |\n| beside | `d` | Tests. |\n"
	files := map[string]string{"a/a.go": "package a", "b/b.go": "package b", "c/c.go": "package c", "d/d.go": "package d"}
	change := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, tc := range []struct{ name, page, want string }{
		{"good", good, ""},
		{"missing", change(", `b`", ""), "give b a place"},
		{"twice", change("`c`**", "`c`**, `c`"), "names c twice"},
		{"unknown", change("`d`", "`d`, `e`"), "names e, which has no row"},
		{"wrong floor", change("1 formats", "0 bricks"), `has c on floor "0 bricks"`},
		{"no head", change("**`c`**", "`c`"), "floor 1 has 0 head"},
		{"two heads", change("`b`", "**`b`**"), "floor 0 has 2 head"},
		{"long task", change("Tests.", strings.Repeat("word ", maxTaskWords+1)+"."), "words"},
		{"no task", change("Tests.", " "), "0 words"},
	} {
		t.Run(tc.name, func(t *testing.T) { catches(t, floorsAreMapped(tc.page, rows), files, tc.want) })
	}
	upwards := maps.Clone(files)
	upwards["a/a.go"] = "package a\nimport _ " + strconv.Quote(modulePath+"/b")
	catches(t, floorsAreMapped(good, rows), upwards, "names b after a")
}

func TestWalkRulesCatch(t *testing.T) {
	const walk = "`node.Read` `node.Outline.Nodes` `node.Place.Put` `node.read` `node.Read`"
	files := map[string]string{"node/a.go": "package node\ntype Outline struct{}\ntype Place interface{ Put() }\n" +
		"func Read() {}\nfunc read() {}\nfunc (o *Outline) Nodes() {}\n"}
	page := func(last string) string {
		var text strings.Builder
		text.WriteString("\n## Five walks\n\n")
		for i := range 4 {
			text.WriteString(fmt.Sprint(i+1, ". ", walk, "\n"))
		}
		return text.String() + last
	}
	for _, tc := range []struct{ name, page, want string }{
		{"good", page("5. " + walk), ""},
		{"four", page(""), "has 4 walks"},
		{"few names", page("5. `node.Read`"), "names 1 functions"},
		{"gone", page("5. " + walk + " `node.Gone`"), "names node.Gone"},
		{"gone method", page("5. " + walk + " `node.Outline.Gone`"), "names node.Outline.Gone"},
	} {
		t.Run(tc.name, func(t *testing.T) { catches(t, walksAreReal(tc.page), files, tc.want) })
	}
	const public = "\n## Floors\n\nPublic for a reason: `node`.\n\nOther: `org`.\n"
	catches(t, publicNeedsAReason(public), files, "")
	catches(t, publicNeedsAReason(public), map[string]string{"org/a.go": "package org"}, "why org is public")
}

var (
	pageLink = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
	pageEnd  = regexp.MustCompile(`\A(?:Previous: \[[^\]]+\]\(([^)]+)\))?(?: · )?(?:Next: \[[^\]]+\]\(([^)]+)\))?\n\z`)
)

// readingOrder returns the pages of a folder that its README lists, in their order.
func readingOrder(readme string) (pages []string) {
	for line := range strings.Lines(readme) {
		if m := pageLink.FindStringSubmatch(line); m != nil && strings.HasPrefix(line, "| [") && !strings.HasPrefix(m[1], "../") {
			pages = append(pages, m[1])
		}
	}
	return pages
}

// brokenChain says where pages do not end with links to the page before and the page after. read
// returns the text of a page.
func brokenChain(pages []string, read func(page string) string) (complaints []string) {
	at := func(i int) string {
		if i < 0 || i >= len(pages) {
			return ""
		}
		return pages[i]
	}
	for i, page := range pages {
		lines := strings.SplitAfter(read(page), "\n")
		m := pageEnd.FindStringSubmatch(lines[max(len(lines)-2, 0)])
		if m == nil {
			m = make([]string, 3)
		}
		for k, want := range []string{at(i - 1), at(i + 1)} {
			got := m[k+1]
			if got != "" {
				got = path.Join(path.Dir(page), got)
			}
			if got != want {
				complaints = append(complaints, fmt.Sprintf("doc/%s ends with a link %s to %q, want %q", page, []string{"back", "on"}[k], got, want))
			}
		}
	}
	return complaints
}

func TestPagesAreAChain(t *testing.T) {
	read := func(page string) string {
		text, err := os.ReadFile(path.Join("doc", page))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	pages := append([]string{"README.md"}, readingOrder(read("README.md"))...)
	if len(pages) < 20 {
		t.Fatalf("doc/README.md lists %d pages", len(pages))
	}
	for _, c := range brokenChain(pages, read) {
		t.Error(c)
	}
	texts := map[string]string{
		"README.md": "a\n\nNext: [b](b.md)\n", "b.md": "Previous: [a](README.md) · Next: [c](c/README.md)\n", "c/README.md": "Previous: [b](../b.md)\n",
	}
	three := []string{"README.md", "b.md", "c/README.md"}
	if got := brokenChain(three, func(page string) string { return texts[page] }); len(got) > 0 {
		t.Errorf("complains without cause: %q", got)
	}
	for page, text := range map[string]string{"README.md": "Next: [c](c/README.md)\n", "b.md": "b\n", "c/README.md": "Previous: [b](b.md)\n"} {
		broken := maps.Clone(texts)
		broken[page] = text
		if got := brokenChain(three, func(page string) string { return broken[page] }); len(got) == 0 {
			t.Errorf("no complaint about %s with %q", page, text)
		}
	}
}

// TestLinksLead: each link of a page to a file of the repository leads to one.
func TestLinksLead(t *testing.T) {
	for _, name := range trackedFiles(t) {
		text, err := os.ReadFile(name)
		if err != nil || !strings.HasSuffix(name, ".md") || strings.Contains(name, "testdata/") {
			continue
		}
		for _, m := range pageLink.FindAllStringSubmatch(string(text), -1) {
			file, _, _ := strings.Cut(m[1], "#")
			if file == "" || strings.Contains(file, ":") {
				continue
			}
			if _, err := os.Stat(path.Join(path.Dir(name), file)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}
