// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"strings"
	"testing"
)

// TestMarkedFile: a byte order mark, with which some programs begin a file, costs no line.
func TestMarkedFile(t *testing.T) {
	g, bad, err := ReadLines(strings.NewReader("\ufeff" + `{"type":"entity","name":"A","entityType":"t","observations":["x"]}` + "\r\n"))
	if err != nil || len(bad) > 0 || len(g.Entities) != 1 {
		t.Error(g, bad, err)
	}
}
