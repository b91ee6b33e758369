// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
)

// TestToolsAreInTheTable: the tools and their actions that are listed are those that the
// table of operations names.
func TestToolsAreInTheTable(t *testing.T) {
	svc, _ := memory(t)
	tools, err := connect(t, svc, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var listed, named []string
	for _, tool := range tools.Tools {
		text, err := json.Marshal(tool.InputSchema)
		var schema struct {
			Properties struct{ Action struct{ Enum []string } }
		}
		if err == nil {
			err = json.Unmarshal(text, &schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		actions := schema.Properties.Action.Enum
		if len(actions) == 0 {
			actions = []string{""}
		}
		for _, action := range actions {
			listed = append(listed, strings.TrimSpace(tool.Name+" "+action))
		}
	}
	for _, op := range api.Operations {
		if op.Tool != "" && !slices.Contains(named, op.Tool) {
			named = append(named, op.Tool)
		}
	}
	slices.Sort(listed)
	slices.Sort(named)
	if diff := cmp.Diff(listed, named); diff != "" {
		t.Errorf("tools (-listed +table):\n%s", diff)
	}
}
