// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import "github.com/fovea-memory/fovea/internal/excerpt"

// Costs of a snippet in quarters of a token, unless it is given more.
const (
	maxSnippet = 480 // for a question: about 120 tokens
	maxOpening = 240 // without one: about 60 tokens
)

// maxScanned is the number of bytes at the beginning of a body that a snippet is taken
// from.
const maxScanned = 1 << 20

// excerptOf returns the excerpt of an item's body for the question. Nothing is chosen yet.
func (p *plan) excerptOf(item *Item) *excerpt.Excerpt { return excerpt.New(scanned(item), p.question) }

// scanned returns the part of an item's body that a snippet is taken from.
func scanned(item *Item) string { return bodyOf(item.Body[:min(len(item.Body), maxScanned)]) }

// snippetLimit returns the maximum cost of a snippet in quarters of a token.
func (p *plan) snippetLimit() int {
	if p.question.Len() == 0 {
		return maxOpening
	}
	return maxSnippet
}
