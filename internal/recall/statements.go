// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
)

// Arms of Statements.
const (
	ArmLikes = "likes" // the question asks for a choice, and the node states a like
	ArmRules = "rules" // the node is a standing instruction
)

// Weights of statements. With advice and more words, talks in other words gain .008 to .024 of R@10, LoCoMo and the other
// talks of 150,000 tokens lose nothing, and two of 1,500,000 lose .009 and .005.
const (
	weightLikes       = 1
	weightLikesAdvice = .5 // it asks for advice
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
	maxBrief         = 400      // bytes of a node in which a sentence that starts with always or never is an instruction
)

// Statements ranks by stated likes, and by standing instructions.
type Statements struct{}

// Rank implements Ranker.
func (Statements) Rank(req *Request, b *Board) {
	if req.Text == "" {
		return
	}
	likes, rules := 0.0, 0.0
	switch {
	case asksForChoice(req.Text):
		likes, rules = weightLikes, weightRulesChoice
	case asksForAdvice(req.Text) && len(b.named(req.Text)) == 0:
		likes, rules = weightLikesAdvice, weightRules
	case asksForWork(req.Text):
		rules = weightRules
	default:
		return
	}
	open := clamp(2 * (1 - b.bestSimilarity())) // 0 where the notes answer it themselves
	if rules *= open; likes < weightLikes {
		likes *= open
	}
	b.addBrief(ArmLikes, markLikes, likes)
	b.addBrief(ArmRules, markRules, rules)
}

// addBrief adds an arm with a weight to the nodes that have a mark.
func (b *Board) addBrief(name, mark string, weight float64) {
	if weight == 0 {
		return
	}
	arm := b.Arm(name)
	for pos := range b.Order.Marked(mark) {
		arm.Add(pos, weight*b.brevity(pos))
	}
}

// brevity is 1 for a node of up to maxBrief bytes, and less for a longer one: in a long
// text such a statement is rarely an instruction.
func (b *Board) brevity(pos uint32) float64 {
	n, ok := b.State.Get(b.Order.ID(pos))
	if !ok {
		return 0
	}
	return min(1, maxBrief/float64(max(1, len(n.Body()))))
}

// bestSimilarity is the largest share of the question that the words of a node cover.
func (b *Board) bestSimilarity() (best float64) {
	for _, pos := range b.touched {
		best = max(best, b.coverage(pos))
	}
	return best
}

// asksForChoice reports whether a question asks for a proposal: suggest a book, can you
// recommend one, any ideas, what should I wear. A question about an earlier suggestion
// does not.
func asksForChoice(text string) bool {
	t := tokensOf(text[:min(len(text), maxQuestion)])
	for i := range t {
		switch t[i].word {
		case "suggest", "recommend", "propose", "advise", "pick", "choose", "empfiehl", "empfehle":
			if t[i].first || t.is(i-1, "please", "you", "and") && t.is(i-2, "can", "could", "would", "will", "do") || t.is(i-1, "please") {
				return true
			}
		case "suggestion", "suggestions", "recommendation", "recommendations", "ideas", "tips", "advice", "options", "vorschläge", "ideen":
			if t.is(i-1, "any", "some", "a", "few", "good", "your", "me", "need", "irgendwelche") {
				return true
			}
		case "should", "could":
			if t.is(i+1, "i", "we") && slices.ContainsFunc(t[:i], func(w token) bool { return wh[w.word] }) {
				return true
			}
		}
	}
	return false
}

// asksForAdvice reports whether a question asks for a choice without words like suggest: what are good hotels there,
// help me plan a trip, where can I eat, I need a gift. A question about what a person did or has does not.
func asksForAdvice(text string) bool {
	t := tokensOf(text[:min(len(text), maxQuestion)])
	advice, asked := false, false
	for i := range t {
		switch w := t[i].word; {
		case past[w], t.is(i-1, "i", "we") && (strings.HasSuffix(w, "ed") && w != "need" || t.is(i, "have", "ve")), t.is(i, "have") && t.is(i+1, "i", "we"):
			return false
		case wh[w]:
			asked = true
			advice = advice || t.is(i+1, "would") && suiting[t.at(i+2)] || t.is(i+1, "is", "are", "s") &&
				(t.is(i+2, "some", "good") || t.is(i+2, "the", "a") && t.is(i+3, "best", "good", "great", "nice"))
		case t.is(i, "can", "could", "will", "would") && t.is(i+1, "i", "we", "you"):
			advice = advice || asked || choosing[t.at(i+2)]
		case t.is(i, "help"):
			advice = advice || t.is(i+1, "me", "us") && (choosing[t.at(i+2)] || t.is(i+2, "with", "out"))
		case t.is(i, "looking", "searching", "hunting", "shopping", "stuck", "mood"):
			advice = advice || t.is(i+1, "for")
		case t.is(i, "need", "want", "use", "after", "like", "love", "fancy"):
			advice = advice || t.is(i-1, "i", "we", "could", "would", "d", "am", "m") && (t.is(i+1, "a", "an", "some", "something", "new", "help") ||
				t.is(i+1, "to") && choosing[t.at(i+2)])
		case t.is(i, "think", "come"):
			advice = advice || t.is(i-1, "you") && t.is(i+1, "of", "up")
		case t[i].first:
			advice = advice || choosing[w] || t.is(i, "any", "ideas", "something", "need") || t.is(i, "got") && t.is(i+1, "any", "an")
		}
	}
	return advice
}

// asksForWork reports whether a text asks for something new, not about what a person did or
// is: explain tides, how do I list files, is coffee bad for sleep. Standing instructions
// apply to such requests.
func asksForWork(text string) bool {
	t := tokensOf(text[:min(len(text), maxQuestion)])
	if len(t) == 0 || slices.ContainsFunc(t, func(w token) bool { return past[w.word] }) {
		return false
	}
	how := t.is(0, "how", "wie") && t.is(1, "do", "can", "could", "would", "should") && t.is(2, "i", "we", "you", "one")
	if how || requests[t[0].word] || asksForChoice(text) {
		return true
	}
	if !questions[t[0].word] {
		return false // words to look for
	}
	return !slices.ContainsFunc(t, func(w token) bool { return w.name || w.isFirstPerson() })
}

var (
	requests = text.WordSet("explain draft write compare show give make create translate summarize summarise describe plan design build fix implement add " +
		"refactor convert " +
		"calculate compute generate help tell outline rewrite review check sketch prepare suggest recommend erkläre schreibe vergleiche zeige übersetze")
	questions   = text.WordSet("what which how why is are does do can could would should was welche welcher wie warum ist sind kann")
	firstPerson = text.WordSet("i me my mine we us our ours ich mir mich mein meine meinen wir uns unser unsere")
	wh          = text.WordSet("what which where who how")
	suiting     = text.WordSet("suit fit work be go make")
	choosing    = text.WordSet("plan find choose pick select decide organize organise arrange design create prepare give name")
	past        = text.WordSet("did was were had happened been went said told got bought paid ever already yesterday ago " +
		"last so-far hat hatte war waren wurde gestern")
)
