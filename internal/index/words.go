// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"encoding/hex"
	"hash/fnv"
	"hash/maphash"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// maxWordBytes is the length of the longest word that becomes a term unchanged. Real
// words of any script are shorter; longer runs are encoded data, for which one term is
// enough.
const maxWordBytes = 64

// longPrefixBytes is the length of the prefix of a longer word in its term, before the
// hash.
const longPrefixBytes = 40

// class is the role of a rune in word segmentation.
type class uint8

const (
	separator class = iota // ends a word: blanks, punctuation
	letter                 // part of a word: letters, numbers
	combining              // continues a word but never starts one
	unspaced               // belongs to a script written without spaces between words
	symbol                 // is a word of its own
)

// asciiFolded maps ASCII letters and digits to lower case and every other byte to 0.
var asciiFolded = func() (t [256]byte) {
	for c := range utf8.RuneSelf {
		if r := rune(c); unicode.IsLetter(r) || unicode.IsDigit(r) {
			t[c] = byte(unicode.ToLower(r))
		}
	}
	return t
}()

// bigramScripts are split into pairs of runes because they do not mark word boundaries.
var bigramScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// classOf returns the class of a rune above ASCII. The first case is a fast path for
// most Chinese, Japanese and Korean text.
func classOf(r rune) class {
	const firstUnspaced, prolongedSound = 0x0E00, 0x30FC // the first Thai rune; a kana of script Common
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r == prolongedSound:
		return unspaced
	case r == utf8.RuneError:
		return separator
	case r >= firstUnspaced && unicode.In(r, bigramScripts...) && !unicode.IsPunct(r):
		return unspaced
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return letter
	case unicode.IsMark(r):
		return combining
	case unicode.Is(unicode.So, r) && (r < 0x2500 || r > 0x259F): // except box-drawing characters and block elements
		return symbol
	}
	return separator
}

// scanner splits a text into words in linear time, and allocates only for very long ones. A word is a
// run of letters, marks and numbers, with ASCII in lower case; a pair of runes of a
// script without spaces (or a lone one); or one symbol. Apostrophes, hyphens and
// underscores end a word.
type scanner struct {
	text  string
	pos   int
	inRun bool   // the rune at pos was the second of a pair
	word  []byte // last word found, a view of buf valid until the next call
	plain bool   // word has only ASCII letters
	buf   [maxWordBytes]byte
}

// reset starts over with text.
func (s *scanner) reset(text string) { s.text, s.pos, s.inRun = text, 0, false }

// next finds the next word and reports whether there is one.
func (s *scanner) next() bool {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		if c < utf8.RuneSelf {
			if asciiFolded[c] != 0 {
				s.scanRun()
				return true
			}
			s.pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[s.pos:])
		switch classOf(r) {
		case letter:
			s.scanRun()
			return true
		case unspaced:
			if s.scanPair(size) {
				return true
			}
		case symbol:
			s.setWord(s.text[s.pos : s.pos+size])
			s.pos += size
			return true
		default:
			s.pos += size
		}
	}
	return false
}

// setWord makes raw, which is short and not plain, the current word.
func (s *scanner) setWord(raw string) {
	s.word, s.plain = s.buf[:copy(s.buf[:], raw)], false
}

// scanRun reads the run of letters that starts at pos.
func (s *scanner) scanRun() {
	start, i, n := s.pos, s.pos, 0
	plain := true
	for i < len(s.text) {
		c := s.text[i]
		if f := asciiFolded[c]; f != 0 {
			if n < len(s.buf) {
				s.buf[n] = f
			}
			plain = plain && f >= 'a'
			n++
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if k := classOf(r); k != letter && k != combining {
			break
		}
		if n < len(s.buf) {
			copy(s.buf[n:], s.text[i:i+size])
		}
		plain = false
		n += size
		i += size
	}
	s.pos, s.plain = i, plain
	if n <= maxWordBytes {
		s.word = s.buf[:n]
		return
	}
	s.shorten(s.text[start:i])
}

// shorten makes the word of a run longer than maxWordBytes: its prefix, a tilde, which
// no other word contains, and the hash of the whole.
func (s *scanner) shorten(run string) {
	folded := []byte(run)
	for i, c := range folded {
		if f := asciiFolded[c]; f != 0 {
			folded[i] = f
		}
	}
	h := fnv.New64a() // the term must be the same in every process
	h.Write(folded)
	n := longPrefixBytes
	for !utf8.RuneStart(run[n]) {
		n--
	}
	s.word, s.plain = hex.AppendEncode(append(s.buf[:n], '~'), h.Sum(nil)), false
}

// scanPair reads a rune of an unspaced script, size bytes long, with the rune after it.
// It reports false if the rune ends a run that has already been read as pairs.
func (s *scanner) scanPair(size int) bool {
	end := s.pos + size
	r, following := utf8.DecodeRuneInString(s.text[end:])
	continues := r >= utf8.RuneSelf && classOf(r) == unspaced
	switch {
	case continues:
		s.setWord(s.text[s.pos : end+following])
	case !s.inRun:
		s.setWord(s.text[s.pos:end])
	}
	found := continues || !s.inRun
	s.pos, s.inRun = end, continues
	return found
}

// stemCache caches the stems of recent query words in less than 1 MB. Each word maps to
// one slot, which holds the last word stored there. It is safe for concurrent use.
type stemCache struct {
	seed  maphash.Seed
	slots [1 << 13]atomic.Pointer[stemEntry]
}

type stemEntry struct{ word, stem string }

var stems = stemCache{seed: maphash.MakeSeed()}

// stem returns the English stem of a lower-case word.
func (t *stemCache) stem(word []byte) string {
	slot := &t.slots[maphash.Bytes(t.seed, word)%uint64(len(t.slots))]
	if s := slot.Load(); s != nil && s.word == string(word) {
		return s.stem
	}
	s := &stemEntry{word: string(word)}
	s.stem = english.Stem(s.word, true)
	slot.Store(s)
	return s.stem
}
