// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"github.com/fovea-memory/fovea/internal/text"
)

// Costs of a snippet in quarters of a token, unless it is given more.
const (
	maxSnippet = 480 // for a question: about 120 tokens
	maxOpening = 240 // without one: about 60 tokens
)

// Bounds of the text that snippets are taken from, in bytes at the beginning of a body.
const (
	maxScanned    = 1 << 20        // of one body
	maxScannedAll = 4 * maxScanned // of one window; bodies that come later have minScanned
	minScanned    = 4 << 10
)

// excerptOf returns the excerpt of an item's body for the question. Nothing is chosen yet.
func (p *plan) excerptOf(item *Item) *text.Excerpt {
	return text.NewExcerpt(scanned(item, p.scanLimit(item)), p.question)
}

// scanLimit returns how many bytes of an item's body are read.
func (p *plan) scanLimit(item *Item) int {
	limit := min(len(item.Body), max(minScanned, min(maxScanned, maxScannedAll-p.scanned)))
	p.scanned += limit
	return limit
}

// scanned returns the beginning of an item's body, at most limit bytes.
func scanned(item *Item, limit int) string {
	return text.Body(item.Body[:min(len(item.Body), limit)])
}
