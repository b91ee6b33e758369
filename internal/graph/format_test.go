// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// TestFormatPages holds the constants of the format pages against the code.
func TestFormatPages(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(\\w+)` \\|")
	for page, want := range map[string]map[string]string{
		"commit.md": {"Format": fmt.Sprint(Format)},
		"nodes.md":  {"ImageFormat": fmt.Sprint(ImageFormat), "ParserVersion": fmt.Sprint(document.ParserVersion)},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "doc", "format", page))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, m := range row.FindAllStringSubmatch(string(text), -1) {
			got[m[1]] = m[2]
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: constants (-page +code):\n%s", page, diff)
		}
	}
}

// TestGoldenFormat0 pins the bytes of a state and of the sections of its image, which
// are of format 0, of its root, and of its commit. A difference here is a
// change of format, which needs a decision record and a new number.
func TestGoldenFormat0(t *testing.T) {
	s := fresh(folder{
		"a.org":    ":PROPERTIES:\n:ID: doc\n:END:\n#+title: A\n* TODO One :x:\n** Two\ntext\n* One\n",
		"b.org":    "* One\n:PROPERTIES:\n:CUSTOM_ID: c\n:END:\n",
		"skills/x": "\x00\xff",
	}, []string{"a.org", "b.org", "skills/x"})
	delta := Diff(Empty(orgFiles), s)
	c := &Commit{Seq: 1, State: s.Root(), Delta: delta.Records(), Kind: KindIngest, Author: author.Author{Kind: author.File}, Op: "op", Time: 1, Message: "m"}
	block, err := c.Encode(func(merkle.Digest, []byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	parts := s.Encode(1<<20, 64)
	got := map[string]string{
		"root": s.Root().String(), "commit": merkle.Sum(block).String(),
		"nodes": merkle.Sum(parts[0].Nodes).String(), "derived": merkle.Sum(parts[0].Derived).String(),
	}
	for n := range s.All() {
		got[n.Path+" "+n.Title()+fmt.Sprint(len(n.Kids))] = n.ID
	}
	want := goldenFormat0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("format 0 drifted (-golden +code):\n%s", diff)
	}
}
