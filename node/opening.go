// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Opening returns the first line of the node's own text that is not stars, a drawer or a
// keyword, to identify a node without a title. It is "" if there is none, and for
// encrypted text. O(length of the skipped text).
func (n *Node) Opening() string {
	if n.Derived.Encrypted || document.IsEncrypted(n.Path) {
		return ""
	}
	_, text := n.Heading()
	inDrawer := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.EqualFold(line, ":end:"):
			inDrawer = false
		case inDrawer || strings.Trim(line, "*") == "" || strings.HasPrefix(line, "#+"):
		case len(line) > 2 && line[0] == ':' && line[len(line)-1] == ':' && !strings.Contains(line, " "):
			inDrawer = true
		default:
			return strings.ToValidUTF8(line, "\uFFFD")
		}
	}
	return ""
}
