// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMoreHeadlines holds the count against the parser on texts of the lines that make,
// hide and resemble headlines.
func TestMoreHeadlines(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"* \n", "* a\n", "** b\r\n", "*\n", "*x\n", "*\tx\n", " * c\n", "\n", "text\n", "#+begin_src\n", "#+end_src\n", "\\begin{a}\n", "\\end{a}\n",
		":PROPERTIES:\n", ":END:\n", "\r", "* no end", "***", bom, "\x00*", "***************** deep\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SampledFrom([]string{"", bom}).Draw(t, "mark") + strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "lines"), "")
		have := len(Parse(src, nil).Headlines)
		for most := range have + 3 {
			if got := HasMoreHeadlines(src, most); got != (have > most) {
				t.Fatalf("%q: more than %d headlines: %v, and the parser finds %d", src, most, got, have)
			}
		}
	})
}

// TestMoreHeadlinesNeedsNoMemory: counting the headlines of a text costs no memory.
func TestMoreHeadlinesNeedsNoMemory(t *testing.T) {
	src := strings.Repeat("* \n", 10_000)
	if n := testing.AllocsPerRun(5, func() { HasMoreHeadlines(src, 9_999) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
