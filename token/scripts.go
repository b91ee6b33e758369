// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package token

// scriptCosts is the cost of a character, in hundredths of a token, in the scripts that
// o200k covers well. Ranges extend to whole blocks of 128 code points. The numbers are
// upper quartiles over languages, measured on translated program messages and rounded
// up. Other characters cost the length of their UTF-8, which no count can exceed.
var scriptCosts = []struct {
	from, to rune
	cost     int
}{
	{0x0080, 0x00ff, 130}, // Latin with accents
	{0x0100, 0x017f, 150},
	{0x0380, 0x03ff, 60},  // Greek
	{0x0400, 0x04ff, 50},  // Cyrillic
	{0x0500, 0x05ff, 80},  // Armenian, Hebrew
	{0x0600, 0x06ff, 60},  // Arabic
	{0x0900, 0x097f, 105}, // Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Sinhala
	{0x0980, 0x09ff, 60},
	{0x0a00, 0x0a7f, 85},
	{0x0a80, 0x0aff, 65},
	{0x0b00, 0x0b7f, 125},
	{0x0b80, 0x0d7f, 65},
	{0x0d80, 0x0dff, 75},
	{0x0e00, 0x0e7f, 60},  // Thai
	{0x0e80, 0x0fff, 200}, // Lao, Tibetan
	{0x1000, 0x10ff, 65},  // Burmese, Georgian
	{0x1200, 0x137f, 220}, // Ethiopic
	{0x1780, 0x17ff, 70},  // Khmer
	{0x1e00, 0x1eff, 80},  // Vietnamese
	{0x2000, 0x207f, 130}, // punctuation
	{0x2080, 0x2bff, 200}, // symbols
	{0x2500, 0x257f, 130}, // box drawing
	{0x3000, 0x307f, 110}, // punctuation, kana
	{0x3080, 0x30ff, 85},
	{0x4e00, 0x9fff, 105}, // Han
	{0xac00, 0xd7ff, 85},  // Hangul
	{0xff00, 0xff7f, 130}, // full width
}

// Costs of characters outside the Basic Multilingual Plane, in units.
const (
	emojiCost         = 5 * unit / 2
	supplementaryCost = 4 * unit
)

// runCost is added once per run of non-ASCII characters.
const runCost = unit / 4

// blockCosts is scriptCosts in units, by block.
var blockCosts = func() (table [1 << 16 >> 7]int) {
	for block := range table {
		table[block] = 3 * unit
		if block < 0x800>>7 {
			table[block] = 2 * unit
		}
	}
	for _, s := range scriptCosts {
		for block := s.from >> 7; block <= s.to>>7; block++ {
			table[block] = (s.cost*unit + 99) / 100
		}
	}
	return table
}()

// readNonASCII reads non-ASCII characters. A run costs at least one token. An invalid
// byte costs as much as U+FFFD.
func (e *estimator) readNonASCII() {
	cost := runCost
	i := e.pos
	for i < len(e.text) && byteKinds[e.text[i]] == nonASCII {
		c, size := charCost(e.text[i:])
		cost += c
		i += size
	}
	e.lineCost += max(cost, unit)
	e.pos, e.prefix = i, 0
}

// charCost returns the cost and size of the character at the start of s. Invalid bytes
// may be costed as other characters, but never extend over ASCII.
func charCost(s string) (cost, size int) {
	complete := func(n int) bool {
		return len(s) >= n && byteKinds[s[1]] == nonASCII && byteKinds[s[n-2]] == nonASCII && byteKinds[s[n-1]] == nonASCII
	}
	switch c := s[0]; {
	case c >= 0xf0 && complete(4):
		if c == 0xf0 && s[1] == 0x9f {
			return emojiCost, 4
		}
		return supplementaryCost, 4
	case c >= 0xe0 && c < 0xf0 && complete(3):
		return blockCosts[int(c&0x0f)<<5|int(s[1]&0x3f)>>1], 3
	case c >= 0xc0 && c < 0xe0 && complete(2):
		return blockCosts[int(c&0x1f)>>1], 2
	}
	return 2 * unit, 1
}
