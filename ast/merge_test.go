// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ast_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
)

func TestMergeTrees(t *testing.T) {
	tests := []struct {
		name, base, won, lost, want string
		conflicts                   []string
	}{
		{
			"attributes apart", `{"type":"headline","properties":{"A":1,"B":[1,2]}}`, `{"type":"headline","properties":{"A":2,"B":[1,2],"C":null}}`,
			`{"type":"headline","properties":{"A":1}}`, `{"type":"headline","properties":{"A":2,"C":null}}`, nil,
		},
		{
			"one attribute", `{"type":"headline","properties":{"A":1,"TAGS":":x:"}}`, `{"type":"headline","properties":{"A":2,"TAGS":":x:"}}`,
			`{"type":"headline","properties":{"A":"3","TAGS":":x:"}}`,
			`{"type":"headline","properties":{"A":2,"CONFLICT":["- a :: by lost\n: -2\n: +3\n"],"TAGS":["x","conflict"]}}`, []string{"a"},
		},
		{
			"done beats open", `{"type":"headline","properties":{"TODO":"TODO"}}`, `{"type":"headline","properties":{"TODO":"NEXT"}}`,
			`{"type":"headline","properties":{"TODO":"CANCELLED"}}`,
			`{"type":"headline","properties":{"CONFLICT":["- todo :: by won\n: -CANCELLED\n: +NEXT\n"],"TAGS":["conflict"],` +
				`"TODO":"CANCELLED"}}`, []string{"todo"},
		},
		{
			"content by lines", `{"type":"paragraph","raw-content":"1\n2\n"}`, `{"type":"paragraph","raw-content":"x\n2\n"}`,
			`{"type":"paragraph","raw-content":"1\ny\n"}`,
			`{"type":"paragraph","raw-content":"x\ny\n"}`, nil,
		},
		{
			"children by id", `{"type":"headline","contents":[{"type":"headline","properties":{"ID":"a"}},{"type":"headline","properties":{"ID":"b"}}]}`,
			`{"type":"headline","contents":[{"type":"headline","properties":{"ID":"b"}},{"type":"headline","properties":{"ID":"a","X":1}}]}`,
			`{"type":"headline","contents":[{"type":"headline","properties":{"ID":"a","Y":1}},{"type":"headline","properties":{"ID":"b"}},"new"]}`,
			`{"type":"headline","contents":[{"type":"headline","properties":{"ID":"b"}},{"type":"headline","properties":{"ID":"a","X":1,"Y":1}},"new"]}`, nil,
		},
		{
			"children without ids", `{"type":"paragraph","contents":["one","two","three"]}`, `{"type":"paragraph","contents":["zero","one","two","three"]}`,
			`{"type":"paragraph","contents":["one","three"]}`,
			`{"type":"paragraph","contents":["zero","one","three"]}`, nil,
		},
		{
			"a text that both changed", `{"type":"paragraph","contents":["one"]}`, `{"type":"paragraph","contents":["two"]}`,
			`{"type":"paragraph","contents":["three"]}`,
			`{"type":"paragraph","contents":[{"type":"plain-text","properties":{"CONFLICT":["- body :: by lost\n: -two\n: +three\n"],"TAGS":["conflict"]},` +
				`"raw-content":"two"}]}`, []string{"body"},
		},
		{
			"a child that went and was changed", `{"type":"headline","contents":[{"type":"headline","properties":{"ID":"a"}}]}`, `{"type":"headline"}`,
			`{"type":"headline","contents":[{"type":"headline","properties":{"ID":"a","X":1}}]}`,
			`{"type":"headline","contents":[{"type":"headline","properties":{"CONFLICT":["- deleted :: by won\n"],"ID":"a","TAGS":["conflict"],"X":1}}]}`,
			[]string{"deleted"},
		},
		{"a child that went", `{"type":"headline","contents":["a","b"]}`, `{"type":"headline","contents":["b"]}`,
			`{"type":"headline","contents":["a","b","c"]}`,
			`{"type":"headline","contents":["b","c"]}`, nil},
	}
	tree := func(text string) *ast.Tree {
		x, err := ast.DecodeTree([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := document.Merging{Won: "won", Lost: "lost"}
			got, conflicts := ast.Merge(&m, tree(tt.base), tree(tt.won), tree(tt.lost))
			if diff := cmp.Diff(tt.want, string(got.JSON())); diff != "" {
				t.Error(diff)
			}
			var fields []string
			for _, c := range conflicts {
				fields = append(fields, c.Field)
			}
			if diff := cmp.Diff(tt.conflicts, fields); diff != "" {
				t.Error(diff)
			}
			for _, same := range [][3]string{{tt.base, tt.won, tt.base}, {tt.base, tt.base, tt.won}, {tt.base, tt.won, tt.won}} {
				got, conflicts := ast.Merge(&m, tree(same[0]), tree(same[1]), tree(same[2]))
				if string(got.JSON()) != string(tree(tt.won).JSON()) || len(conflicts) > 0 {
					t.Errorf("%q gave %s", same, got.JSON())
				}
			}
		})
	}
}
