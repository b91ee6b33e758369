// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"testing"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

func TestOpening(t *testing.T) {
	tests := []struct {
		name, content, want string
		encrypted           bool
	}{
		{name: "a paragraph", content: "It rained.\nThen not.\n", want: "It rained."},
		{name: "behind a drawer", content: ":PROPERTIES:\n:ID: x\n:END:\n\n  Text\n", want: "Text"},
		{name: "behind keywords", content: "#+FILETAGS: :a:\n\nText", want: "Text"},
		{name: "a drawer without an end", content: ":NOTE:\nText\n"},
		{name: "nothing", content: ""},
		{name: "not UTF-8", content: "a\xffb\n", want: "a\uFFFDb"},
		{name: "encrypted", content: "-----BEGIN PGP MESSAGE-----\n", encrypted: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := &node.Node{Content: test.content, Derived: &document.Derived{Encrypted: test.encrypted}}
			if got := n.Opening(); got != test.want {
				t.Errorf("Opening() = %q, want %q", got, test.want)
			}
		})
	}
}
