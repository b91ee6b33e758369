// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/clients"
)

// TestInstructionsNameTools: the text for CLAUDE.md and AGENTS.md speaks of tools and actions
// that there are.
func TestInstructionsNameTools(t *testing.T) {
	svc, _ := memory(t)
	list, err := connect(t, svc, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, tool := range list.Tools {
		if strings.Contains(clients.Instructions, tool.Name) {
			named++
		}
	}
	if named < 7 || !strings.Contains(clients.Instructions, "history, action inbox") {
		t.Errorf("%d of %d tools are named", named, len(list.Tools))
	}
}
