// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"slices"

	"github.com/fovea-memory/fovea/internal/text"
)

// Arms of Statements.
const (
	ArmLikes = "likes" // the question asks for a choice, and the node has what somebody likes
	ArmRules = "rules" // the node is a standing instruction
)

// Weights of statements.
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

// Statements ranks by stated likes, and by standing instructions.
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
			arm.Add(pos, weightLikes*b.brevity(pos))
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
		arm.Add(pos, weight*b.brevity(pos))
	}
}

// brevity is 1 for a node of up to maxBrief bytes, and less for a longer one: in a long
// text such a statement is seldom what somebody asks of others.
func (b *Board) brevity(pos uint32) float64 {
	n, ok := b.State.Get(b.Order.ID(pos))
	if !ok {
		return 0
	}
	return min(1, maxBrief/float64(max(1, len(n.Body()))))
}

// bestSimilarity is how much of the question the words of the best node cover.
func (b *Board) bestSimilarity() (best float64) {
	for _, pos := range b.touched {
		best = max(best, b.coverage(pos))
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
	past        = text.WordSet("did was were had happened been went said told got bought paid ever already yesterday ago " +
		"last so-far hat hatte war waren wurde gestern")
)
