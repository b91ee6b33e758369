// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package render

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/window/choose"
)

// TestKeptTextsAreBounded: what documents keep stays below the limit, and goes with them.
func TestKeptTextsAreBounded(t *testing.T) {
	c := &Cache{limit: 10_000}
	style := Style{"o200k", New(Org)}
	documents := make([]Kept, 50)
	for i := range documents {
		texts := c.Texts(&documents[i], style, 4)
		for n := range int32(4) {
			texts.Keep(n, choose.Full, &Piece{Text: strings.Repeat("x", 300)})
			texts.KeepWords(n, "pump")
		}
		held := 0
		for k := range c.texts {
			held += k.texts.Load().bytes
		}
		if c.Bytes() > c.limit || held != c.Bytes() {
			t.Fatalf("%d bytes are counted, %d are kept, the limit is %d", c.Bytes(), held, c.limit)
		}
	}
	last := &documents[len(documents)-1]
	texts := c.Texts(last, style, 4)
	c.Drop(last)
	texts.Keep(0, choose.Full, &Piece{Text: "late"}) // by a window that began before
	if last.texts.Load() != nil || texts.Piece(0, choose.Full).Text == "late" {
		t.Error("a dropped document keeps a text")
	}
	for i := range documents {
		c.Drop(&documents[i])
	}
	if c.Bytes() != 0 {
		t.Errorf("%d bytes are left", c.Bytes())
	}
}
