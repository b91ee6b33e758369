// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// TestDefaultsCheck has one setting each that Org would misread.
func TestDefaultsCheck(t *testing.T) {
	good := org.Defaults{
		Todo: []string{"TODO(t) NEXT WAIT(w@/!) | DONE(d!) KILL(@)", "OPEN | SHUT"}, Tags: []string{"{ a b }"}, Startup: []string{"logdone"},
		LogDrawer: "LOG-2_é", Archive: "%s_old::", Links: map[string]string{"bug": "https://example.org/%s"},
	}
	if err := good.Check(); err != nil {
		t.Errorf("%+v: %v", good, err)
	}
	for want, d := range map[string]org.Defaults{
		"is not a keyword":            {Todo: []string{"(t) | DONE"}},
		"\"A(b)c\" is not a keyword":  {Todo: []string{"A(b)c"}},
		"\"A|B\" is not a keyword":    {Todo: []string{"A|B"}},
		"\"A\\x01\" is not a keyword": {Todo: []string{"A\x01"}},
		"\"COMMENT\" has another":     {Todo: []string{"COMMENT"}},
		"\"[#A]\" has another":        {Todo: []string{"[#A]"}},
		"\":A:\" has another":         {Todo: []string{":A:"}},
		"the brackets hold one key":   {Todo: []string{"WAIT(wx)"}},
		"\"A(b(c)\": the brackets":    {Todo: []string{"A(b(c)"}},
		"TODO is listed twice":        {Todo: []string{"TODO | DONE", "A TODO"}},
		"has no keyword":              {Todo: []string{"|"}},
		"more than one |":             {Todo: []string{"A | B | C"}},
		"\"\" is not a word":          {Startup: []string{""}},
		"\"a b\" is not a word":       {Startup: []string{"a b"}},
		"\"a b\" is not a drawer":     {LogDrawer: "a b"},
		"\"end\" is not a drawer":     {LogDrawer: "end"},
		"\"Properties\" is not a":     {LogDrawer: "Properties"},
		"\" \" has no tags":           {Tags: []string{" "}},
		"\"a\\nb\" has no tags":       {Tags: []string{"a\nb"}},
		"archive to \"x::y\"":         {Archive: "x::y"},
		"archive to \"::\"":           {Archive: "::"},
		"archive to \"a\\x00::\"":     {Archive: "a\x00::"},
		"link \"\" to \"x\"":          {Links: map[string]string{"": "x"}},
		"link \"a b\" to \"x\"":       {Links: map[string]string{"a b": "x"}},
		"link \"a:\" to \"x\"":        {Links: map[string]string{"a:": "x"}},
		"link \"a\\\"\" to \"x\"":     {Links: map[string]string{`a"`: "x"}},
		"link \"a\" to \" \"":         {Links: map[string]string{"a": " "}},
		"link \"a\" to \"x\\n\"":      {Links: map[string]string{"a": "x\n"}},
	} {
		if err := d.Check(); !errors.Is(err, org.ErrDefaults) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", d, err, want)
		}
	}
}

// TestFingerprint: equal settings have equal fingerprints, and each setting counts.
func TestFingerprint(t *testing.T) {
	if got := (org.Format{Defaults: &org.Defaults{}}).Fingerprint(); got != 0 {
		t.Errorf("no settings: %d", got)
	}
	seen := map[uint64]string{}
	for name, d := range map[string]*org.Defaults{
		"todo": {Todo: []string{"A"}}, "tags": {Tags: []string{"A"}}, "startup": {Startup: []string{"A"}},
		"drawer": {LogDrawer: "A"}, "archive": {Archive: "A"}, "links": {Links: map[string]string{"A": ""}},
	} {
		got := org.Format{Defaults: d}.Fingerprint()
		if other, known := seen[got]; known || got == 0 || got >= 1<<48 {
			t.Errorf("%s: %d, as %q", name, got, other)
		}
		seen[got] = name
	}
}

// TestFormatText reads a document through the interface of its format.
func TestFormatText(t *testing.T) {
	const text = "intro\n* A\nx\n** B\n* C\n"
	var format document.Editor = org.Format{}
	doc := format.Parse("a.org", text, nil)
	var own []string
	for i := -1; i < doc.Headlines(); i++ {
		start, end := doc.Own(i)
		own = append(own, doc.Source()[start:end])
	}
	if diff := cmp.Diff([]string{"intro\n", "* A\nx\n", "** B\n", "* C\n"}, own); diff != "" {
		t.Errorf("own texts (-want +got)\n%s", diff)
	}
	if format := (org.Format{}); !format.Owns("a/B.ORG") || !format.Owns("a.org_archive") || format.Owns("a.md") {
		t.Error("a path has the wrong owner")
	}
	if got := (org.Format{}).LinkTitle("A [1/2] [[id:x][b  c]] [50%]"); got != "A [[id:x][b c]]" {
		t.Errorf("a title for links: %q", got)
	}
}

// TestOptionsFiles: a document is read with its setup files, of which a missing one, one
// outside the memex and one that is kept whole say nothing, and its own name adds nothing.
func TestOptionsFiles(t *testing.T) {
	files := func(p string) (string, bool) {
		switch p {
		case "sub/set.org":
			return "#+TODO: OPEN | SHUT\n", true
		case "sub/large.org":
			return "#+TODO: HUGE\n" + strings.Repeat("* \n", org.MaxHeadlines+1), true
		}
		return "", false
	}
	const text = "#+SETUPFILE: a.org\n#+SETUPFILE: none.org\n#+SETUPFILE: ../../x.org\n#+SETUPFILE: large.org\n#+SETUPFILE: \"set.org\"\n* SHUT A\n"
	o := org.Format{}.Outline("sub/a.org", []document.Part{{Content: text}}, files)
	if h := o.Parts[1].Derived; h.Todo != "SHUT" || !h.Done || h.Title != "A" {
		t.Errorf("read %+v", h)
	}
	if diff := cmp.Diff([]string{"sub/large.org", "sub/none.org", "sub/set.org"}, o.Parts[0].Derived.Setup); diff != "" {
		t.Errorf("setup files (-want +got)\n%s", diff)
	}
	if got := o.Label(0, "ID"); got != "ID " {
		t.Errorf("label %q", got)
	}
	var lines []int
	for _, p := range o.Problems {
		lines = append(lines, p.Line)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, lines); diff != "" {
		t.Errorf("problems %+v (-want +got)\n%s", o.Problems, diff)
	}
}

// TestKeptWhole: a text over the limits is one opaque part with a problem, unless it was
// stored in parts.
func TestKeptWhole(t *testing.T) {
	many := strings.Repeat("* \n", org.MaxHeadlines)
	format := org.Format{}
	if why := format.KeptWhole(many); why != "" || format.Document("a.org", many, nil) == nil {
		t.Errorf("at the limit: %s", why)
	}
	many += "* \n"
	if format.KeptWhole(many) == "" || format.Document("a.org", many, nil) != nil {
		t.Error("over the limit of headlines")
	}
	if why := format.KeptWhole(strings.Repeat(" ", org.MaxParsed+1)); !strings.Contains(why, "bytes") {
		t.Errorf("over the limit of bytes: %q", why)
	}
	whole := format.Outline("a.org", []document.Part{{Content: many}}, nil)
	if len(whole.Parts) != 1 || !whole.Parts[0].Derived.Opaque || len(whole.Problems) != 1 || whole.Problems[0].Line != 1 {
		t.Errorf("%d parts, problems %+v", len(whole.Parts), whole.Problems)
	}
	stored := format.Outline("a.org", []document.Part{{Content: "* A\n"}, {Content: many}}, nil)
	if len(stored.Parts) != org.MaxHeadlines+3 {
		t.Errorf("%d parts of stored ones", len(stored.Parts))
	}
}

// TestExtend reads the end of a file together with its beginning, or says that it cannot.
func TestExtend(t *testing.T) {
	const top = "#+TODO: OPEN | SHUT\n"
	var format org.Format
	o := format.Extend("a.org", top, "* SHUT A\n** B\n", 100, 3, nil)
	if o == nil || len(o.Parts) != 3 || !o.Parts[1].Derived.Done || o.Parts[2].Parent != 1 || o.Parts[2].Line != 3 {
		t.Fatalf("%+v", o)
	}
	for name, got := range map[string]*document.Outline{
		"no headline":        format.Extend("a.org", top, "text\n", 0, 0, nil),
		"a radio target":     format.Extend("a.org", "<<<x>>>\n", "* A\n", 0, 0, nil),
		"a large file":       format.Extend("a.org", top, "* A\n", org.MaxParsed, 0, nil),
		"many headlines":     format.Extend("a.org", top, "* A\n* B\n", 0, org.MaxHeadlines-1, nil),
		"many in the text":   format.Extend("a.org", top, strings.Repeat("* \n", org.MaxHeadlines+1), 0, 0, nil),
		"top without an end": format.Extend("a.org", "text", "* A\n", 0, 0, nil),
	} {
		if got != nil {
			t.Errorf("%s: %d parts", name, len(got.Parts))
		}
	}
}

// TestDerived reads the fields of a document and of a headline in it.
func TestDerived(t *testing.T) {
	const text = ":PROPERTIES:\n:ID: doc\n:k: 1\n:n: nil\n:END:\n#+PROPERTY: K 2\n#+PROPERTY: n 3\n#+PROPERTY: m 4\n#+CATEGORY: c\n\n" +
		"[[id:a]] [[id:a]] [[id:b]]\n" +
		"* TODO [#B] COMMENT T [[*x]] :ARCHIVE:\nSCHEDULED: <2026-01-01>\n:PROPERTIES:\n:ID: a.org\n:CUSTOM_ID: c1\n:END:\n" +
		"id:zz [[#cid]] [[(line)]] [[file:x::y]]\n" +
		"* Key :crypt:\n[[id:q]]\n** Sub [[id:r]]\n[[id:s]]\n"
	o := org.Format{}.Outline("a.org", []document.Part{{Content: text}}, nil)
	var got []document.Derived
	for _, p := range o.Parts {
		got = append(got, *p.Derived)
	}
	property := func(kv ...string) (out []document.Property) {
		for i := 0; i < len(kv); i += 2 {
			out = append(out, document.Property{Key: kv[i], Value: kv[i+1]})
		}
		return out
	}
	want := []document.Derived{
		{Properties: property("ID", "doc", "k", "1", "n", "nil", "n", "3", "m", "4"), Links: []string{"id:a", "id:b"}, Category: "c", DeclaredID: "doc",
			BodyStart: strings.Index(text, "\n[[id:a]]")},
		{Title: "T [[*x]]", Todo: "TODO", Priority: "B", Level: 1, Tags: []string{"ARCHIVE"}, Properties: property("ID", "a.org", "CUSTOM_ID", "c1"),
			Links: []string{"*x", "id:zz", "#cid", "(line)", "file:x::y"}, Scheduled: "<2026-01-01>",
			BodyStart: strings.Index(text, "id:zz") - strings.Index(text, "* TODO"), Commented: true, Archived: true},
		{Title: "Key", Level: 1, Tags: []string{"crypt"}, BodyStart: len("* Key :crypt:\n"), Encrypted: true},
		{Title: "Sub [[id:r]]", Level: 2, Links: []string{"id:r"}, BodyStart: len("** Sub [[id:r]]\n"), Encrypted: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if p := o.Parts[1]; p.Custom != "c1" || p.Refused == "" || p.Line != 12 || o.Parts[0].Refused != "" {
		t.Errorf("custom %q, refused %q, line %d", p.Custom, p.Refused, p.Line)
	}
	if diff := cmp.Diff([]string{"id:a", "id:b", "*x", "id:zz", "#cid", "(line)", "file:x::y", "id:q", "id:r", "id:s"}, org.LinkTargets(text)); diff != "" {
		t.Errorf("targets (-want +got)\n%s", diff)
	}
}

func TestSetupPath(t *testing.T) {
	for _, tc := range []struct{ document, name, want string }{
		{"a.org", "theme.setup", "theme.setup"},
		{"sub/a.org", "theme.setup", "sub/theme.setup"},
		{"sub/a.org", "../theme.setup", "theme.setup"},
		{"sub/a.org", "./x/../theme.setup", "sub/theme.setup"},
		{"sub/a.org", "../../theme.setup", ""},
		{"a.org", "../theme.setup", ""},
		{"a.org", "..", ""},
		{"a.org", ".", ""},
		{"a.org", "", ""},
		{"a.org", "/etc/passwd", ""},
		{"a.org", "~/theme.setup", ""},
		{"a.org", "https://example.org/theme.setup", ""},
		{"a.org", "a\x00b", ""},
	} {
		got, ok := org.SetupPath(tc.document, tc.name)
		if ok != (tc.want != "") || ok && got != tc.want {
			t.Errorf("%s names %q: got %q, %v, want %q", tc.document, tc.name, got, ok, tc.want)
		}
	}
}

// TestLinkLines: the line of a link is that of its first occurrence as a link, however
// the address is written.
func TestLinkLines(t *testing.T) {
	text := strings.Join([]string{"* [[*title]]", "id:x10 [[id:x10]]", "# [[id:x1]]", `[[id:x1]] [[*a\]b]]`, "[[*title]]", "<id:x2>"}, "\n")
	want := map[string]int{"*title": 0, "id:x10": 1, "id:x1": 3, "*a]b": 3, "id:x2": 5}
	if diff := cmp.Diff(want, org.Format{}.LinkLines(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
