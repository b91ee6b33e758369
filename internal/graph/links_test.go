// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBrokenLinks(t *testing.T) {
	s := fresh(folder{
		"sub/a.org": "[[id:doc]] [[id:gone]]\n[[id:away]] id:lost\n* TODO Here [1/2]\n:PROPERTIES:\n:CUSTOM_ID: c\n:END:\ntext\n[[#c]] [[#d]]\n" +
			"[[*Here]] [[here]] [[*Nowhere]]\n[[the  spot]] [[Table]] [[radio]] [[none such]]\n<<The spot>> <<<radio>>>\n#+name: table\n| x |\n",
		"b.org": ":PROPERTIES:\n:ID: doc\n:END:\n* One\n[[file:sub/a.org]] [[file:sub/a.org::*Here]] [[file:sub/a.org::#c]] [[file:sub/a.org::12]]\n" +
			"[[file:sub/a.org::*No]]\n[[file:none.org]] [[./picture.png]] [[file:gone.png]]\n" +
			"[[file:../outside.org]] [[/etc/none]] [[~/none]] [[https://example.org]] [[mailto:x]]\n" +
			"[[file:skills/x::nothing]] [[(ref)]] [[doi:10/x]] [[id:doc::*One]]\n",
		"c.org":    "* Diary :crypt:\n[[id:gone]]\n",
		"skills/x": "[[id:gone]]",
	}, []string{"b.org", "c.org", "skills/x", "sub/a.org"})
	around := LinkTargets{
		Exists: func(p string) bool { return p == "picture.png" },
		Known:  func(id string) bool { return id == "away" },
	}
	var got []string
	for p := range s.BrokenLinks(t.Context(), around) {
		got = append(got, fmt.Sprintf("%s:%d: %s: %s", p.Path, p.Line, p.Kind, p.Message))
	}
	want := []string{
		`b.org:6: link: sub/a.org has no headline "No"`,
		`b.org:7: link: no file "none.org"`,
		`b.org:7: link: no file "gone.png"`,
		`sub/a.org:1: link: no node has the id "gone"`,
		`sub/a.org:2: link: no node has the id "lost"`,
		`sub/a.org:8: link: sub/a.org has no headline with the CUSTOM_ID "d"`,
		`sub/a.org:9: link: sub/a.org has no headline "Nowhere"`,
		`sub/a.org:10: link: sub/a.org has no headline, target or name "none such"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for range s.BrokenLinks(t.Context(), LinkTargets{}) {
		break // ends at once
	}
}
