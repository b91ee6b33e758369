// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
	"github.com/fovea-memory/fovea/query"
)

// corpus reads the Org files of the external test data and of the example.
func corpus(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".org") {
			return err
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator)))] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestElementsMatchDocument checks that parsing a node's own text alone finds the same
// elements as parsing its document.
func TestElementsMatchDocument(t *testing.T) {
	for _, name := range []string{"example", "corpus"} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join("..", "..", "examples", "memex")
			if name == "corpus" {
				root = filepath.Join(foveatest.Testdata(t), "corpus")
			}
			v := view(corpus(t, root))
			wanted := map[org.Type]bool{}
			for _, kind := range elementNames {
				wanted[kind] = true
			}
			count := 0
			for d := range v.State.Documents() {
				text, _ := v.State.Text(d.Path)
				nodes := v.State.Nodes(d.Path)
				doc := org.Parse(text, nil)
				if len(doc.Headlines)+1 != len(nodes) {
					continue // exceeds the maximum number of children
				}
				offset := 0
				for i, n := range nodes {
					var want, got []string
					for _, e := range doc.Elements(i - 1).Elements {
						if wanted[e.Type] && !n.Derived.Encrypted {
							want = append(want, fmt.Sprint(e.Type, " ", e.Start, "-", e.End))
						}
					}
					for s := range spans(n, wanted) {
						at := offset + s.offset
						got = append(got, fmt.Sprint(s.node.Type, " ", at, "-", at+len(s.node.Content)))
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s, %s (-document +node)\n%s", d.Path, n.ID, diff)
					}
					offset, count = offset+len(n.Content), count+len(got)
				}
			}
			t.Logf("%d elements", count)
			if count < 500 {
				t.Errorf("only %d elements", count)
			}
		})
	}
}

// TestIndexOnCorpus checks on real files that an index changes no answer.
func TestIndexOnCorpus(t *testing.T) {
	v := view(corpus(t, filepath.Join(foveatest.Testdata(t), "corpus")))
	walk := v
	walk.Attributes = nil
	some := append([]string{"type:src-block todo:", "property:CUSTOM_ID", "tags-local:noexport", "priority:A", "scheduled:",
		"deadline:to=2020-01-01", "link:github", "src:lang=python"}, queries...)
	found := 0
	for _, q := range some {
		e, err := query.Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Query(e, 0, now)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := walk.Query(e, 0, now)
		if diff := cmp.Diff(ids(want), ids(got)); diff != "" {
			t.Errorf("%s (-walk +indexed)\n%s", q, diff)
		}
		found += len(got)
	}
	t.Logf("%d answers from %d nodes", found, v.State.Len())
}
