// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import "testing"

// TestMarkedFile: a byte order mark, with which some programs begin a file, costs no line.
func TestMarkedFile(t *testing.T) {
	g, bad := ReadLines([]byte("\ufeff" + `{"type":"entity","name":"A","entityType":"t","observations":["x"]}` + "\r\n"))
	if len(bad) > 0 || len(g.Entities) != 1 {
		t.Error(g, bad)
	}
}
