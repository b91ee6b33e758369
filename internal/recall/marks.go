// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// dateKeys are the properties that date a node.
var dateKeys = map[string]bool{"DATE": true, "CREATED": true}

// marksOf returns the marks by which the rankers find a node. An encrypted entry has only
// those of its title.
func marksOf(n *node.Node) []string {
	d := n.Derived
	dated := []string{d.Title}
	var properties []document.Property
	if !d.Encrypted {
		properties = d.Properties
		dated = append(dated, d.Scheduled, d.Deadline, d.Closed)
	}
	for _, p := range properties {
		if dateKeys[strings.ToUpper(p.Key)] {
			dated = append(dated, p.Value)
		}
	}
	if n.Parent == "" {
		dated = append(dated, dateLine(n.Content[:min(max(0, d.BodyStart), len(n.Content))]))
	}
	marks := peopleMarks(nil, n, properties)
	for _, day := range daysIn(strings.Join(dated, "\n")) {
		for _, m := range day.marks() {
			if !slices.Contains(marks, m) {
				marks = append(marks, m)
			}
		}
	}
	if d.Encrypted || d.Opaque {
		return marks
	}
	return statementMarks(marks, n.Body())
}

// dateLine returns the value of the keyword date at the top of a document.
func dateLine(head string) string {
	for line := range strings.Lines(head) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.TrimSpace(key), "#+date") {
			return value
		}
	}
	return ""
}
