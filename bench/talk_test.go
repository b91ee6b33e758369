// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// talk is a generated conversation between a person and an assistant. The person's
// facts, likes, plans, corrections and instructions are short; the assistant's answers
// are long, are made of real prose, and repeat the words of what they answer. Questions
// use other words than the statements where people would.
type talk struct {
	sessions  []session
	questions []talkQuestion
}

type session struct {
	date     string // 2025-01-06
	messages []message
}

type message struct {
	id, role, text string
}

type talkQuestion struct {
	ability, text string
	evidence      []string // ids of messages
}

// paragraph is a paragraph of prose and the heading above it.
type paragraph struct{ heading, text string }

var (
	proseHeading = regexp.MustCompile(`^\*+ +(?:[A-Z]{4,} +)?(.*?)(?: +:[\pL\pN_:@]+:)?$`)
	proseMarkup  = regexp.MustCompile(`\[\[[^\]]*\]\[?|\]\]?|[=~*/]`)
	proseLink    = regexp.MustCompile(`\[\[(?:[^\]]*\]\[)?([^\]]*)\]\]`)
	proseOther   = regexp.MustCompile(`^(?:[#:|]|[-+] |\d+[.)])`)
)

// prose returns the paragraphs of plain text in the Org files of a folder, in the order
// of their paths.
func prose(folder string) ([]paragraph, error) {
	byDir := map[string][]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".org") {
			byDir[filepath.Dir(path)] = append(byDir[filepath.Dir(path)], path)
		}
		return err
	})
	var out []paragraph
	for _, dir := range sortedKeys(byDir) {
		for _, path := range byDir[dir] {
			text, readErr := os.ReadFile(path)
			if readErr != nil {
				return nil, readErr
			}
			out = append(out, paragraphs(strings.ToValidUTF8(string(text), ""))...)
		}
	}
	return out, err
}

// paragraphs returns the paragraphs of one text, of which it reads the first 400,000
// characters.
func paragraphs(text string) (out []paragraph) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if utf8.RuneCountInString(text) > 400_000 {
		text = string([]rune(text)[:400_000])
	}
	heading, inBlock := "", false
	var block []string
	for _, line := range append(strings.Split(text, "\n"), "") {
		trimmed := strings.TrimSpace(line)
		low := strings.ToLower(trimmed)
		if strings.HasPrefix(low, "#+begin") {
			inBlock = true
		}
		if strings.HasPrefix(low, "#+end") {
			inBlock, block = false, nil
			continue
		}
		if m := proseHeading.FindStringSubmatch(line); m != nil {
			heading, block = strings.TrimSpace(proseMarkup.ReplaceAllString(m[1], "")), nil
		} else if inBlock || proseOther.MatchString(low) {
			block = nil
		} else if low != "" {
			block = append(block, proseLink.ReplaceAllString(trimmed, "$1"))
		} else {
			p := strings.Join(block, " ")
			size := utf8.RuneCountInString(heading)
			if len(p) > 200 && len(p) < 1200 && size > 8 && size < 60 && isASCII(p) {
				out = append(out, paragraph{heading, p})
			}
			block = nil
		}
	}
	return out
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// generateTalk makes a talk of about a number of tokens, at four bytes each, in other words if there are any.
func generateTalk(seed uint32, tokens int, paras []paragraph, words map[string][]string) talk {
	rng := newMersenne(seed)
	exchanges := max(60, tokens*4/1560) // an exchange has about 1,560 bytes
	facts := generateFacts(rng, min(220, exchanges/3), words)
	type place struct{ fact, statement int }
	slots := make([][]place, exchanges)
	all := make([]int, exchanges)
	for i := range all {
		all[i] = i
	}
	for f, fact := range facts {
		at := draw(rng, all, len(fact.statements))
		slices.Sort(at)
		for i, slot := range at {
			slots[slot] = append(slots[slot], place{f, i})
		}
	}
	g := talkWriter{rng: rng, paras: paras, date: time.Date(2025, 1, 6, 0, 0, 0, 0, time.UTC)}
	said := map[place]string{}
	for _, slot := range slots {
		g.maybeEndSession()
		var statements, keys []string
		asked := g.ask()
		for _, p := range slot {
			statements = append(statements, g.open(facts[p.fact].statements[p.statement]))
			keys = append(keys, facts[p.fact].key)
		}
		id := g.exchange(asked, statements, keys)
		for _, p := range slot {
			said[p] = id
		}
	}
	g.endSession()
	out := talk{sessions: g.sessions}
	for f, fact := range facts {
		q := talkQuestion{ability: fact.ability, text: fact.question}
		for _, i := range fact.evidence {
			q.evidence = append(q.evidence, said[place{f, i}])
		}
		out.questions = append(out.questions, q)
	}
	return out
}

// talkWriter writes the messages of a talk.
type talkWriter struct {
	rng      *mersenne
	paras    []paragraph
	about    paragraph // of the exchange
	date     time.Time
	count    int
	messages []message
	sessions []session
}

var (
	talkOpenings = []string{"By the way, {s}", "Before I forget: {s}", "{S}", "{S}", "Small update: {s}", "Just so you know, {s}", "Oh, and {s}"}
	talkAsks     = []string{
		"Can you tell me more about {t}?", "How does {t} work?", "I keep reading about {t}. What should I know?",
		"Could you explain {t} to a beginner?", "What is the point of {t}?", "Give me an overview of {t}.",
	}
	talkEchoes = []string{
		"Thanks for telling me about {k}. ", "Good to know about {k}! ", "I will keep {k} in mind. ", "That is useful context regarding {k}. ",
	}
	talkEnds = []string{"", "", " Would you like more detail on any of this?", " What would help you most next?"}
)

func (g *talkWriter) maybeEndSession() {
	if len(g.messages) > 0 && g.rng.float() < 1.0/14 {
		g.endSession()
		g.date = g.date.AddDate(0, 0, 1+g.rng.below(8))
	}
}

func (g *talkWriter) endSession() {
	g.sessions = append(g.sessions, session{g.date.Format(time.DateOnly), g.messages})
	g.messages = nil
}

// ask chooses what the exchange is about and returns the person's question.
func (g *talkWriter) ask() string {
	g.about = choose(g.rng, g.paras)
	return strings.ReplaceAll(choose(g.rng, talkAsks), "{t}", g.about.heading)
}

func (g *talkWriter) open(statement string) string {
	capital := strings.ToUpper(statement[:1]) + statement[1:]
	return strings.NewReplacer("{s}", statement, "{S}", capital).Replace(choose(g.rng, talkOpenings))
}

// exchange writes a message of the person and its answer, and returns the id of the
// first.
func (g *talkWriter) exchange(asked string, statements, keys []string) string {
	order := append([]string{asked}, statements...)
	if g.rng.float() < .6 {
		order = append(slices.Clone(statements), asked)
	}
	id := g.say("user", strings.Join(order, " "))
	body := []string{g.about.text}
	for _, p := range draw(g.rng, g.paras, 1+g.rng.below(4)) {
		body = append(body, p.text)
	}
	var answer strings.Builder
	for _, k := range keys {
		answer.WriteString(strings.ReplaceAll(choose(g.rng, talkEchoes), "{k}", k))
	}
	answer.WriteString(strings.Join(body, "\n\n"))
	answer.WriteString(choose(g.rng, talkEnds))
	g.say("assistant", answer.String())
	return id
}

func (g *talkWriter) say(role, text string) string {
	g.count++
	id := fmt.Sprintf("m%d", g.count)
	g.messages = append(g.messages, message{id, role, text})
	return id
}
