// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// TestGoldenTrees holds the digests and ids of trees to testdata/trees.txt: a line
// of JSON, then a line for each node with id, own digest and version. They change
// only with Format.
func TestGoldenTrees(t *testing.T) {
	f, err := os.Open("testdata/trees.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var nodes []*Node
	trees := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line[0] == '{':
			if len(nodes) > 0 {
				t.Errorf("%d nodes more than the file has before %s", len(nodes), line)
			}
			nodes = splitTree(t, "memex", line)
			trees++
		case len(nodes) == 0:
			t.Errorf("a node more than the tree has: %s", line)
		default:
			n := nodes[0]
			if got := n.ID + " " + n.Own.String() + " " + n.Version.String(); got != line {
				t.Errorf("got  %s\nwant %s", got, line)
			}
			nodes = nodes[1:]
		}
	}
	if len(nodes) > 0 || lines.Err() != nil || trees < 4 {
		t.Errorf("%d nodes left, %d trees, %v", len(nodes), trees, lines.Err())
	}
}
