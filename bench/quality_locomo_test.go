// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// conversation is one of LoCoMo: sessions of turns, and questions.
type conversation struct {
	sessions  []locomoSession
	questions []question
}

type locomoSession struct {
	number int
	date   time.Time
	turns  []turn
}

type turn struct {
	key, speaker, text string
}

// readLocomo reads the development half of LoCoMo with the corrections of its audit:
// 760 questions whose evidence is known.
func readLocomo(t testing.TB) (out []conversation) {
	t.Helper()
	dir := filepath.Join(foveatest.Testdata(t), "data", "locomo")
	var samples []struct {
		Conversation map[string]json.RawMessage
		QA           []struct {
			Question string
			Category int
			Evidence []string
		}
	}
	decodeFile(t, filepath.Join(dir, "locomo_dev5.json"), &samples)
	var audit []struct {
		QuestionID string   `json:"question_id"`
		ErrorType  string   `json:"error_type"`
		Correct    []string `json:"correct_evidence"`
	}
	decodeFile(t, filepath.Join(dir, "audit_errors_dev5.json"), &audit)
	corrected := map[string][]string{}
	for _, a := range audit {
		if a.ErrorType == "WRONG_CITATION" && len(a.Correct) > 0 {
			corrected[a.QuestionID] = a.Correct
		}
	}
	kinds := map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
	for i, s := range samples {
		c := conversation{sessions: locomoSessions(t, s.Conversation)}
		for j, qa := range s.QA {
			evidence, ok := corrected[fmt.Sprintf("locomo_%d_qa%d", i, j)]
			if !ok {
				evidence = qa.Evidence
			}
			if gold := c.turnsNamed(evidence); len(gold) > 0 && kinds[qa.Category] != "" {
				c.questions = append(c.questions, question{qa.Question, kinds[qa.Category], gold})
			}
		}
		out = append(out, c)
	}
	return out
}

func decodeFile(t testing.TB, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func locomoSessions(t testing.TB, raw map[string]json.RawMessage) (out []locomoSession) {
	t.Helper()
	for number := 1; number <= len(raw); number++ {
		name := fmt.Sprintf("session_%d", number)
		if raw[name] == nil {
			continue
		}
		var turns []struct {
			Speaker, Text string
			ID            string `json:"dia_id"`
			Caption       string `json:"blip_caption"`
		}
		var when string
		if err := json.Unmarshal(raw[name], &turns); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw[name+"_date_time"], &when); err != nil {
			t.Fatal(err)
		}
		date, err := time.Parse("3:04 pm on 2 January, 2006", when)
		if err != nil {
			t.Fatal(err)
		}
		s := locomoSession{number: number, date: date}
		for _, u := range turns {
			text := u.Text
			if u.Caption != "" {
				text += " [image: " + u.Caption + "]"
			}
			s.turns = append(s.turns, turn{u.ID, u.Speaker, text})
		}
		if len(s.turns) > 0 {
			out = append(out, s)
		}
	}
	return out
}

var turnName = regexp.MustCompile(`D:?(\d+):(\d+)`)

// turnsNamed returns the ids of turns that some evidence names.
func (c *conversation) turnsNamed(evidence []string) (gold []string) {
	for _, m := range turnName.FindAllStringSubmatch(strings.Join(evidence, " "), -1) {
		key := "D" + strings.TrimLeft(m[1], "0") + ":" + strings.TrimLeft(m[2], "0")
		there := slices.ContainsFunc(c.sessions, func(s locomoSession) bool {
			return slices.ContainsFunc(s.turns, func(u turn) bool { return u.key == key })
		})
		if there && !slices.Contains(gold, key) {
			gold = append(gold, key)
		}
	}
	return gold
}

// orgBody returns a text as lines that are no headlines.
func orgBody(text string) string {
	text = strings.ReplaceAll(text, "\n*", "\n *")
	if strings.HasPrefix(text, "*") {
		text = " " + text
	}
	return strings.TrimRight(text, "\n") + "\n"
}

const orgTime = "[2006-01-02 Mon 15:04]"

// asTurns returns a conversation as a file for each session and a headline for each
// turn: the speaker is the title.
func (c *conversation) asTurns() library {
	l := library{questions: c.questions}
	for _, s := range c.sessions {
		d := file{path: fmt.Sprintf("session-%02d.org", s.number)}
		var b strings.Builder
		fmt.Fprintf(&b, "#+title: Session %d\n#+date: %s\n", s.number, s.date.Format(orgTime))
		for _, u := range s.turns {
			fmt.Fprintf(&b, "* %s\n:PROPERTIES:\n:SPEAKER: %s\n:DATE: %s\n:END:\n%s", u.speaker, u.speaker, s.date.Format(orgTime), orgBody(u.text))
			d.headlines = append(d.headlines, []passage{{u.key, u.text}})
		}
		d.text = b.String()
		l.documents = append(l.documents, d)
	}
	return l
}

// asNotes returns a conversation as the notes of one agent, in the form in which
// remember writes them.
func (c *conversation) asNotes() library {
	l := library{questions: c.questions, asker: "mint"}
	d := file{path: "agents/mint/notes.org"}
	var b strings.Builder
	count := 0
	for _, s := range c.sessions {
		for _, u := range s.turns {
			fmt.Fprintf(&b, "* %s\n:PROPERTIES:\n:ID:       %08x-7a3c-4d1e-9b5f-%012x\n:AUTHOR:   mint\n:CREATED:  %s\n:TRUST:    unreviewed\n:END:\n%s",
				u.speaker, 0x51a7c0de*uint32(count+1), 0x9e3779b97f4a*uint64(count+1)&(1<<48-1), s.date.Format(orgTime), orgBody(u.text))
			d.headlines = append(d.headlines, []passage{{u.key, u.text}})
			count++
		}
	}
	d.text = b.String()
	l.documents = append(l.documents, d)
	return l
}

// asSessions returns a conversation as one long note for each session, with an item for
// each turn.
func (c *conversation) asSessions() library {
	l := library{questions: c.questions}
	for _, s := range c.sessions {
		d := file{path: fmt.Sprintf("session-%02d.org", s.number), headlines: [][]passage{nil}}
		var b strings.Builder
		fmt.Fprintf(&b, "* Session %d, %s\n", s.number, s.date.Format("2 January 2006"))
		for _, u := range s.turns {
			item := u.speaker + ": " + strings.Join(strings.Fields(u.text), " ")
			fmt.Fprintf(&b, "- %s\n", item)
			d.headlines[0] = append(d.headlines[0], passage{u.key, item})
		}
		d.text = b.String()
		l.documents = append(l.documents, d)
	}
	return l
}
