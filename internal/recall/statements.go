// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Arms of Statements.
const (
	ArmLikes = "likes" // the question asks for a choice, and the node says what somebody likes
	ArmRules = "rules" // the node is a standing instruction
)

// Weights of what somebody said.
const (
	weightLikes       = 1
	weightRules       = 1  // the question asks for work
	weightRulesChoice = .6 // it asks for a choice, where likes count more
)

const (
	markLikes = "states:likes"
	markRules = "states:rules"
)

// Limits of the texts in which statements are looked for.
const (
	maxStatementText = 16 << 10 // bytes of a node
	maxBrief         = 400      // bytes of a node in which a sentence that begins with always or never is an instruction
)

// Statements ranks by what a person said of likes, and by standing instructions.
type Statements struct{}

// Rank implements Ranker.
func (Statements) Rank(req *Request, b *Board) {
	if req.Text == "" {
		return
	}
	choice := asksForChoice(req.Text)
	if choice {
		arm := b.Arm(ArmLikes)
		for pos := range b.Order.Marked(markLikes) {
			arm.Add(pos, weightLikes*b.Order.Brevity(pos))
		}
	}
	weight := 0.0
	switch {
	case choice:
		weight = weightRulesChoice
	case asksForWork(req.Text):
		weight = weightRules
	}
	if weight *= clamp(2 * (1 - b.bestSimilarity())); weight == 0 {
		return // the notes answer it themselves
	}
	arm := b.Arm(ArmRules)
	for pos := range b.Order.Marked(markRules) {
		arm.Add(pos, weight*b.Order.Brevity(pos))
	}
}

// bestSimilarity is how much of the question the words of the best node cover.
func (b *Board) bestSimilarity() (best float64) {
	for _, pos := range b.touched {
		best = max(best, b.similarity(pos))
	}
	return best
}

// asksForChoice reports whether a question asks for a proposal: suggest a book, can you
// recommend one, any ideas, what should I wear. What somebody suggested is another
// question.
func asksForChoice(text string) bool {
	t := tokensOf(text[:min(len(text), maxQuestion)])
	for i := range t {
		switch t[i].word {
		case "suggest", "recommend", "propose", "advise", "pick", "choose", "empfiehl", "empfehle":
			if t[i].first || t.is(i-1, "please", "you", "and") && t.is(i-2, "can", "could", "would", "will") || t.is(i-1, "please") {
				return true
			}
		case "suggestions", "recommendations", "ideas", "tips", "vorschläge", "ideen":
			if t.is(i-1, "any", "some", "irgendwelche") {
				return true
			}
		case "should", "could":
			if t.is(i+1, "i", "we") && (t.is(0, "what", "which", "where", "who", "how")) {
				return true
			}
		}
	}
	return false
}

// asksForWork reports whether a text asks for something new, and not for what somebody
// did or is: explain tides, how do I list files, is coffee bad for sleep. How new things
// are done is what standing instructions say.
func asksForWork(text string) bool {
	t := tokensOf(text[:min(len(text), maxQuestion)])
	if len(t) == 0 || t.mentionsPast() {
		return false
	}
	how := t.is(0, "how", "wie") && t.is(1, "do", "can", "could", "would", "should") && t.is(2, "i", "we", "you", "one")
	if how || requests[t[0].word] || asksForChoice(text) {
		return true
	}
	if !questions[t[0].word] {
		return false // words to look for
	}
	for i, w := range t {
		if firstPerson[w.word] || i > 0 && w.name {
			return false
		}
	}
	return true
}

var (
	requests = set("explain draft write compare show give make create translate summarize summarise describe plan design build fix implement add " +
		"refactor convert " +
		"calculate compute generate help tell outline rewrite review check sketch prepare suggest recommend erkläre schreibe vergleiche zeige übersetze")
	questions   = set("what which how why is are does do can could would should was welche welcher wie warum ist sind kann")
	firstPerson = set("i me my mine we us our ours ich mir mich mein meine meinen wir uns unser unsere")
	past        = set("did was were had happened been went said told got bought paid ever already yesterday ago last so-far hat hatte war waren wurde gestern")
)

// mentionsPast reports whether a text speaks of what was.
func (t tokens) mentionsPast() bool {
	return slices.ContainsFunc(t, func(w token) bool { return past[w.word] })
}

// statementMarks adds the marks of statements in a text.
func statementMarks(marks []string, text string) []string {
	text = text[:min(len(text), maxStatementText)]
	likes := containsAny(text, "I ", "I'", "I’", " me", "my ", "My ", "othing beats", "ch ", "lieb")
	rules := containsAny(text, "now on", "lways", "ever", "lease", "ure ", "emember to", "orward", " future", "ant you",
		"b jetzt", "b sofort", "on nun", "itte ")
	if !likes && !rules {
		return marks
	}
	t := tokensOf(text)
	if likes && slices.ContainsFunc(t.numbers(), t.statesLike) {
		marks = append(marks, markLikes)
	}
	brief := len(text) <= maxBrief
	if rules && slices.ContainsFunc(t.numbers(), func(i int) bool { return t.statesRule(i, brief) }) {
		marks = append(marks, markRules)
	}
	return marks
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// token is a word in lower case, without what follows an apostrophe.
type token struct {
	word  string
	first bool // of a sentence
	name  bool // has a capital letter, and is not the first of a sentence
}

type tokens []token

func tokensOf(text string) tokens {
	var out tokens
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
		case strings.ContainsRune(".!?:;\n", r):
			first = true
			i += size
		default:
			i += size
		}
	}
	return out
}

func (t tokens) numbers() []int {
	out := make([]int, len(t))
	for i := range out {
		out[i] = i
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
	betweenIAndVerb = set("have ve always really just still usually generally much do don t not can cannot would d " +
		"never am m absolutely truly quite rather also only tend to")
	likeVerbs  = set("prefer preferred like liked love loved enjoy enjoyed hate hated dislike avoid adore detest mag liebe hasse bevorzuge")
	dietVerbs  = set("eat drink wear use")
	dietStates = set("allergic vegetarian vegan intolerant")
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// statesLike reports whether a statement about somebody's own likes begins at token i.
func (t tokens) statesLike(i int) bool {
	switch t[i].word {
	case "i", "ich":
		negated := false
		for i++; i < len(t) && betweenIAndVerb[t[i].word]; i++ {
			negated = negated || t.is(i, "not", "cannot", "never", "t")
		}
		return i < len(t) && (likeVerbs[t[i].word] || dietStates[t[i].word] || negated && (dietVerbs[t[i].word] || t.is(i, "stand", "bear", "tolerate")))
	case "my", "mein", "meine":
		return i+1 < len(t) && (t.is(i+1, "favourite", "favorite") || t.is(i+2, "favourite", "favorite") || strings.HasPrefix(t[i+1].word, "lieblings"))
	case "nothing":
		return t.is(i+1, "beats")
	case "makes":
		return t.is(i+1, "me") && t.is(i+2, "ill", "sick", "happy", "unhappy", "nervous")
	case "am":
		return t.is(i+1, "liebsten")
	}
	return false
}

// statesRule reports whether a standing instruction begins at token i; brief is whether the
// text is a short one.
func (t tokens) statesRule(i int, brief bool) bool {
	switch t[i].word {
	case "from":
		return t.are(i, "from", "now", "on") || t.are(i, "from", "here", "on")
	case "going":
		return t.are(i, "going", "forward")
	case "in":
		return t.are(i, "in", "future") && t[i].first
	case "please":
		return t.is(i+1, "always", "never", "remember") || t.are(i+1, "do", "not") || t.are(i+1, "don", "t") || t.are(i+1, "make", "sure")
	case "always", "never", "don", "remember", "make":
		if !brief || !t[i].first {
			return false
		}
		return t.is(i, "always", "never") || t.are(i, "don", "t", "ever") || t.are(i, "remember", "to") || t.are(i, "make", "sure")
	case "you":
		return t.is(i+1, "should", "must") && t.is(i+2, "always", "never")
	case "want":
		return t.are(i, "want", "you", "to") && t.is(i-1, "i")
	case "ab":
		return t.is(i+1, "jetzt", "sofort")
	case "von":
		return t.are(i, "von", "nun", "an")
	case "bitte":
		return t.is(i+1, "immer", "nie", "niemals")
	}
	return false
}
