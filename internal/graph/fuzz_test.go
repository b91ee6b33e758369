// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import "testing"

// FuzzDecode gives Decode any sections: an error, or a state that its own
// sections give again.
func FuzzDecode(f *testing.F) {
	s := fresh(folder{
		"a.org": ":PROPERTIES:\n:ID: doc\n:END:\n#+title: A\n* TODO One :x:\nSCHEDULED: <2026-01-02 Fri>\n** Two\ntext\n* One\n",
		"b.org": "* One\n:PROPERTIES:\n:CUSTOM_ID: c\n:END:\n", "skills/x": "\x00\xff",
		"/one": `{"type":"a","properties":{"ID":"one","LIST":[1,null,"x"]},"contents":["text",{"type":"b"}]}`,
	}, []string{"a.org", "b.org", "skills/x", "/one"})
	for _, p := range append(s.Encode(1<<20, 64), s.Encode(1, 64)...) {
		f.Add(p.Nodes, p.Derived)
		f.Add(p.Nodes, []byte(nil))
		f.Add(p.Nodes[:len(p.Nodes)-1], p.Derived)
	}
	f.Fuzz(func(t *testing.T, nodes, derived []byte) {
		s, _, err := Decode([]Part{{Nodes: nodes, Derived: derived}}, orgFiles)
		if err != nil {
			return
		}
		count := 0
		for range s.All() {
			count++
		}
		if count != s.Len() {
			return // an id twice: the root that an image names tells
		}
		again, _, err := Decode(s.Encode(1<<20, 64), orgFiles)
		if err != nil || again.Root() != s.Root() || again.Len() != s.Len() {
			t.Errorf("%d nodes with root %s, again %v: %v", s.Len(), s.Root(), again, err)
		}
	})
}
