// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ast

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/document"
)

// TestFormatPage holds the limits that the page on trees gives against the code.
func TestFormatPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "doc", "format", "ast.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]int{"MaxTreeNodes": MaxTreeNodes, "MaxTreeDepth": MaxTreeDepth, "MaxAttr": document.MaxAttr, "maxType": maxType} {
		if row := fmt.Sprintf("| `%s` | `%d` |", name, value); !strings.Contains(string(text), row) {
			t.Errorf("the page does not have %s", row)
		}
	}
}
