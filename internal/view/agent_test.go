// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"testing"
)

// Only agents/NAME/ROM* is the owner's; a folder of such a name is not, or an
// agent could make itself trusted by making one.
func TestAgent(t *testing.T) {
	for path, want := range map[string]string{
		"notes.org": "", "agents/x.org": "", "agents/scout/notes.org": "scout", "agents/scout/ROM.org": "",
		"agents/scout/ROM-2.md": "", "agents/scout/ROM/notes.org": "scout", "agents/scout/ROMs/a/b.org": "scout",
		"deeper/agents/scout/notes.org": "",
	} {
		if got := agentOf(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
