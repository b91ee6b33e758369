// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/internal/text"
)

// Bytes of a statement that are read: one that begins with I, where adverbs may precede the
// verb, and any other.
const (
	maxStatementOfI = 96
	maxStatement    = 48
)

// statementMarks adds the marks of statements in a text. Since it reads every text of a
// folder, it parses words only from a possible start of a statement. O(len(text)).
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
	classStarter // the first letter of a starter
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
var starters = text.WordSet("i ich my mein meine nothing makes gives am from going in please always never don do remember make you ab von bitte " +
	"whenever when every each henceforth as for until keep stick avoid stop only use let give no " + ofMeVerbs)

// ofMeVerbs express likes when me follows: it bores me.
const ofMeVerbs = "drives puts turns cheers suits calms bores annoys scares"

// maxStarter is the length of the longest of them.
const maxStarter = len("henceforth")

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

// token is a word in lower case. An apostrophe ends a word.
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

// at returns the word of token i, "" beyond the end.
func (t tokens) at(i int) string {
	if i >= len(t) {
		return ""
	}
	return t[i].word
}

// have reports whether words follow one another in the first sentence.
func (t tokens) have(words ...string) bool {
	for i := range t {
		if i > 0 && t[i].first {
			break
		}
		if t.are(i, words...) {
			return true
		}
	}
	return false
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

// Words of statements about likes. Words in -ly may stand between I and the verb too.
var (
	betweenIAndVerb = text.WordSet("have ve had always just still do don t not can cannot could would d will ll never am m been quite rather also tend to " +
		"kind sort of more most so very too much often sometimes long since grown come")
	likeVerbs = text.WordSet("prefer preferred like liked love loved enjoy enjoyed hate hated dislike disliked avoid adore detest loathe despise abhor " +
		"dread favor favour fancy crave shun refuse relish savor savour cherish thrive delight gravitate mag liebe hasse bevorzuge")
	dietVerbs  = text.WordSet("eat drink wear use watch order fly")
	bearVerbs  = text.WordSet("stand bear tolerate stomach abide handle care")
	likeStates = text.WordSet("allergic vegetarian vegan intolerant fond keen averse afraid scared terrified passionate obsessed " +
		"partial crazy mad nuts happiest into drawn hooked addicted")
	likeNouns = text.WordSet("fan lover enthusiast person vegetarian vegan allergy intolerance aversion preference passion phobia weakness distaste " +
		"dislike fear hatred soft interest taste sucker thing")
	ofMe = text.WordSet(ofMeVerbs)
)

// statesLike reports whether a statement about the writer's likes begins with the first
// token.
func (t tokens) statesLike() bool {
	switch t[0].word {
	case "i", "ich":
		i, negated, chosen := 1, false, false
		for ; i < len(t) && (betweenIAndVerb[t[i].word] || strings.HasSuffix(t[i].word, "ly")); i++ {
			negated = negated || t.is(i, "not", "cannot", "never", "t")
			chosen = chosen || t.is(i, "rather", "only")
		}
		if i == len(t) {
			return false
		}
		if t.is(i, "a", "an", "no", "little") { // before a noun: a fan, no interest
			return slices.ContainsFunc(t[i+1:min(i+4, len(t))], func(w token) bool { return likeNouns[w.word] })
		}
		return likeVerbs[t[i].word] && !t.is(i+1, "you") || likeStates[t[i].word] || t.are(i, "all", "about") ||
			negated && (bearVerbs[t[i].word] || t.is(i, "resist") || t.is(i, "get") && t.is(i+1, "enough", "along", "on")) ||
			t.is(i, "swear", "go", "live", "lean", "opt", "fall") && t.is(i+1, "by", "for", "toward", "towards") || t.is(i, "without") || t.is(i+1, "without") ||
			t.is(i, "stay", "steer", "keep", "stayed", "kept") && t.is(i+1, "away", "clear", "off") ||
			t.is(i, "give", "gave", "given", "cut") && t.is(i+1, "up", "out") ||
			(negated || chosen) && dietVerbs[t[i].word] || t.is(i-1, "rather") && t.is(i-2, "would", "d")
	case "my", "mein", "meine":
		return len(t) > 1 && (t.is(1, "thing", "stomach", "skin") ||
			slices.ContainsFunc(t[1:min(4, len(t))], func(w token) bool { return strings.HasPrefix(w.word, "favo") }) ||
			t.is(1, "preferred", "preference", "taste") || t.are(1, "cup", "of", "tea") || strings.HasPrefix(t[1].word, "lieblings"))
	case "nothing":
		return t.is(1, "beats", "like", "better", "compares")
	case "give":
		return t.is(1, "me") && t.have("any", "day")
	case "no":
		return t.have("for", "me")
	case "makes", "gives":
		return t.is(1, "me") && (t.is(2, "ill", "sick", "happy", "unhappy", "nervous", "uneasy", "anxious", "hives", "headaches") || t.are(2, "a", "headache"))
	case "am":
		return t.is(1, "liebsten")
	}
	return ofMe[t[0].word] && t.is(1, "me")
}

var taskVerbs = text.WordSet("answer reply respond write explain give show suggest recommend describe summarize summarise list quote mention talk")

// statesRule reports whether a standing instruction begins with the first token. brief
// means that the text is short.
func (t tokens) statesRule(brief bool) bool {
	switch t[0].word {
	case "from":
		return t.are(1, "now", "on") || t.are(1, "here", "on")
	case "going":
		return t.is(1, "forward")
	case "in":
		return t.is(1, "future") && t[0].first || t.is(1, "all", "every") && t.is(2, "your", "answers", "answer", "replies", "reply")
	case "whenever", "when":
		return t[0].first && (t.is(1, "you") && taskVerbs[t.at(2)] || t.are(1, "i", "ask"))
	case "every", "each":
		return t.are(1, "time", "you")
	case "henceforth":
		return true
	case "as":
		return t.are(1, "of", "now") || t.are(1, "of", "today") || t.are(1, "a", "rule") && t[0].first
	case "for", "until":
		return t[0].first && (t.is(1, "all", "the", "any") && t.is(2, "future") || t.are(1, "future")) || t.are(1, "further", "notice")
	case "please":
		return t.is(1, "always", "never") || t.are(1, "remember", "to") || t.are(1, "do", "not") || t.are(1, "don", "t") || t.are(1, "make", "sure")
	case "always", "never", "avoid", "stick", "only":
		return brief && t[0].first && !strings.HasSuffix(t.at(1), "ing") && !t.is(1, "been", "glad", "good", "happy", "here", "nice", "up")
	case "don", "do", "remember", "make", "let", "stop":
		return brief && t[0].first && (t.are(0, "don", "t", "ever") || t.are(0, "do", "not") || t.are(0, "remember", "to") || t.are(0, "make", "sure") ||
			t.are(0, "let", "s", "always") || t.is(0, "stop") && strings.HasSuffix(t.at(1), "ing"))
	case "keep", "use":
		return brief && t[0].first && t.is(1, "answers", "replies", "responses", "your", "everything", "only")
	case "you":
		return t.is(1, "should", "must") && t.is(2, "always", "never")
	case "i":
		i := 1
		for t.is(i, "would", "d", "really") {
			i++
		}
		return t.is(i, "want", "need", "expect", "like", "prefer") && (t.are(i+1, "you", "to") || t.are(i+1, "that", "you"))
	case "ab":
		return t.is(1, "jetzt", "sofort")
	case "von":
		return t.are(1, "nun", "an")
	case "bitte":
		return t.is(1, "immer", "nie", "niemals")
	}
	return false
}
