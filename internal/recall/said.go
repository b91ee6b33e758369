// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/text"
)

// Bytes of a statement that are read: where adverbs may stand between I and the verb, and
// elsewhere.
const (
	maxStatementOfI = 96
	maxStatement    = 32
)

// statementMarks adds the marks of statements in a text. Since every text of a folder
// passes through here, words are parsed only from those on that could begin a statement.
// O(len(text)).
func statementMarks(marks []string, text string) []string {
	text = text[:min(len(text), maxStatementText)]
	brief := len(text) <= maxBrief
	likes, rules := false, false
	var t tokens
	for i, first := 0, true; i < len(text); {
		switch class := classes[text[i]]; {
		case class == classOther:
			i++
		case class == classEnd:
			first = true
			i++
		case class == classWide:
			r, size := utf8.DecodeRuneInString(text[i:])
			first = first && !unicode.IsLetter(r)
			i += size
		default:
			start := i
			for i < len(text) && classes[text[i]] >= classLetter {
				i++
			}
			if class == classStarter && i-start <= maxStarter && startsStatement(text[start:i]) && !followsLetter(text, start) {
				limit := maxStatement
				if word := text[start:i]; len(word) == 1 || strings.EqualFold(word, "ich") {
					limit = maxStatementOfI
				}
				t = appendTokens(t[:0], upTo(text[start:], limit))
				t[0].first = first
				likes = likes || t.statesLike()
				rules = rules || t.statesRule(brief)
			}
			first = false
		}
	}
	if likes {
		marks = append(marks, markLikes)
	}
	if rules {
		marks = append(marks, markRules)
	}
	return marks
}

// Classes of bytes.
const (
	classOther   = iota
	classEnd     // of a sentence
	classWide    // part of a letter or sign beyond ASCII
	classLetter  // of ASCII
	classStarter // a letter with which a starter begins
)

const sentenceEnds = ".!?:;\n"

var classes = func() (of [256]uint8) {
	for c := range of {
		switch {
		case c >= utf8.RuneSelf:
			of[c] = classWide
		case strings.IndexByte(sentenceEnds, byte(c)) >= 0:
			of[c] = classEnd
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			of[c] = classLetter
		}
	}
	for word := range starters {
		of[word[0]], of[word[0]&^0x20] = classStarter, classStarter
	}
	return of
}()

// starters are the words that statements begin with.
var starters = text.WordSet("i ich my mein meine nothing makes am from going in please always never don remember make you ab von bitte")

// maxStarter is the length of the longest of them.
const maxStarter = len("remember")

// startsStatement reports whether a word of ASCII letters is one of the starters.
func startsStatement(word string) bool {
	var buf [maxStarter]byte
	for i := range len(word) {
		buf[i] = word[i] | 0x20
	}
	return starters[string(buf[:len(word)])]
}

// followsLetter reports whether a letter stands right before a position.
func followsLetter(text string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return unicode.IsLetter(r)
}

// upTo returns the beginning of a text up to the end of the word at a limit.
func upTo(text string, limit int) string {
	for i := min(limit, len(text)); i < len(text); i++ {
		if class := classes[text[i]]; class == classOther || class == classEnd {
			return text[:i]
		}
	}
	return text
}

// token is a word in lower case, without what follows an apostrophe.
type token struct {
	word  string
	first bool // of a sentence
	name  bool // has a capital letter, and is not the first of a sentence
}

// isFirstPerson reports whether the word is I, my, we or the like. US is a country.
func (t token) isFirstPerson() bool { return firstPerson[t.word] && !(t.name && t.word == "us") }

type tokens []token

func tokensOf(text string) tokens { return appendTokens(nil, text) }

func appendTokens(out tokens, text string) tokens {
	first := true
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsLetter(r):
			start := i
			for i < len(text) && unicode.IsLetter(r) {
				i += size
				r, size = utf8.DecodeRuneInString(text[i:])
			}
			capital, _ := utf8.DecodeRuneInString(text[start:i])
			out = append(out, token{strings.ToLower(text[start:i]), first, !first && unicode.IsUpper(capital)})
			first = false
		case size == 1 && classes[text[i]] == classEnd:
			first = true
			i++
		default:
			i += size
		}
	}
	return out
}

// is reports whether token i is one of some words.
func (t tokens) is(i int, words ...string) bool {
	return i >= 0 && i < len(t) && slices.Contains(words, t[i].word)
}

// are reports whether words follow one another from token i on.
func (t tokens) are(i int, words ...string) bool {
	for k, w := range words {
		if !t.is(i+k, w) {
			return false
		}
	}
	return true
}

// Words of statements about likes.
var (
	betweenIAndVerb = text.WordSet("have ve always really just still usually generally much do don t not can cannot would d " +
		"never am m absolutely truly quite rather also only tend to")
	likeVerbs  = text.WordSet("prefer preferred like liked love loved enjoy enjoyed hate hated dislike avoid adore detest mag liebe hasse bevorzuge")
	dietVerbs  = text.WordSet("eat drink wear use")
	dietStates = text.WordSet("allergic vegetarian vegan intolerant")
)

// statesLike reports whether a statement about somebody's own likes begins with the first
// token.
func (t tokens) statesLike() bool {
	switch t[0].word {
	case "i", "ich":
		i, negated := 1, false
		for ; i < len(t) && betweenIAndVerb[t[i].word]; i++ {
			negated = negated || t.is(i, "not", "cannot", "never", "t")
		}
		return i < len(t) && (likeVerbs[t[i].word] || dietStates[t[i].word] || negated && (dietVerbs[t[i].word] || t.is(i, "stand", "bear", "tolerate")))
	case "my", "mein", "meine":
		return len(t) > 1 && (t.is(1, "favourite", "favorite") || t.is(2, "favourite", "favorite") || strings.HasPrefix(t[1].word, "lieblings"))
	case "nothing":
		return t.is(1, "beats")
	case "makes":
		return t.is(1, "me") && t.is(2, "ill", "sick", "happy", "unhappy", "nervous")
	case "am":
		return t.is(1, "liebsten")
	}
	return false
}

// statesRule reports whether a standing instruction begins with the first token; brief is
// whether the text is a short one.
func (t tokens) statesRule(brief bool) bool {
	switch t[0].word {
	case "from":
		return t.are(1, "now", "on") || t.are(1, "here", "on")
	case "going":
		return t.is(1, "forward")
	case "in":
		return t.is(1, "future") && t[0].first
	case "please":
		return t.is(1, "always", "never") || t.are(1, "remember", "to") || t.are(1, "do", "not") || t.are(1, "don", "t") || t.are(1, "make", "sure")
	case "always", "never":
		return brief && t[0].first
	case "don", "remember", "make":
		return brief && t[0].first && (t.are(0, "don", "t", "ever") || t.are(0, "remember", "to") || t.are(0, "make", "sure"))
	case "you":
		return t.is(1, "should", "must") && t.is(2, "always", "never")
	case "i":
		return t.are(1, "want", "you", "to")
	case "ab":
		return t.is(1, "jetzt", "sofort")
	case "von":
		return t.are(1, "nun", "an")
	case "bitte":
		return t.is(1, "immer", "nie", "niemals")
	}
	return false
}
