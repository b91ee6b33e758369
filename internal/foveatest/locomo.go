// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

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
)

// Conversation is a conversation of LoCoMo: sessions of turns, and questions about them.
type Conversation struct {
	Sessions  []Session
	Questions []Question
}

// Session is a part of a conversation, at one time.
type Session struct {
	Number int
	Time   time.Time
	Turns  []Turn
}

// Turn is the text of a speaker, with the caption of its image.
type Turn struct{ ID, Speaker, Text string }

// Question is a question of the categories 1 to 4, and the ids of the turns that answer it.
type Question struct {
	Text     string
	Category int
	Evidence []string
}

// Locomo reads the development half of LoCoMo with the corrections of its audit. It fails the test
// unless 760 questions have evidence.
func Locomo(tb testing.TB) []Conversation {
	tb.Helper()
	dir := filepath.Join(Testdata(tb), "data", "locomo")
	var samples []struct {
		Conversation map[string]json.RawMessage
		QA           []struct {
			Question string
			Category int
			Evidence []string
		}
	}
	DecodeJSON(tb, filepath.Join(dir, "locomo_dev5.json"), &samples)
	var audit []struct {
		QuestionID string   `json:"question_id"`
		ErrorType  string   `json:"error_type"`
		Correct    []string `json:"correct_evidence"`
	}
	DecodeJSON(tb, filepath.Join(dir, "audit_errors_dev5.json"), &audit)
	corrected := map[string][]string{}
	for _, a := range audit {
		if a.ErrorType == "WRONG_CITATION" && len(a.Correct) > 0 {
			corrected[a.QuestionID] = a.Correct
		}
	}
	var out []Conversation
	count := 0
	for i, s := range samples {
		c := Conversation{Sessions: locomoSessions(tb, s.Conversation)}
		for j, qa := range s.QA {
			evidence, ok := corrected[fmt.Sprintf("locomo_%d_qa%d", i, j)]
			if !ok {
				evidence = qa.Evidence
			}
			if gold := c.turnsNamed(evidence); len(gold) > 0 && qa.Category != 5 {
				c.Questions = append(c.Questions, Question{qa.Question, qa.Category, gold})
			}
		}
		count += len(c.Questions)
		out = append(out, c)
	}
	if count != 760 {
		tb.Fatalf("%d questions with evidence, want 760: the data has changed", count)
	}
	return out
}

// DecodeJSON reads a JSON file.
func DecodeJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

func locomoSessions(tb testing.TB, raw map[string]json.RawMessage) (out []Session) {
	tb.Helper()
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
		err := json.Unmarshal(raw[name], &turns)
		if err == nil {
			err = json.Unmarshal(raw[name+"_date_time"], &when)
		}
		s := Session{Number: number}
		if err == nil {
			s.Time, err = time.Parse("3:04 pm on 2 January, 2006", when)
		}
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		for _, u := range turns {
			if u.Caption != "" {
				u.Text += " [image: " + u.Caption + "]"
			}
			s.Turns = append(s.Turns, Turn{u.ID, u.Speaker, u.Text})
		}
		if len(s.Turns) > 0 {
			out = append(out, s)
		}
	}
	return out
}

var turnName = regexp.MustCompile(`D:?(\d+):(\d+)`)

// turnsNamed returns the ids of the turns that some evidence names.
func (c *Conversation) turnsNamed(evidence []string) (ids []string) {
	for _, m := range turnName.FindAllStringSubmatch(strings.Join(evidence, " "), -1) {
		id := "D" + strings.TrimLeft(m[1], "0") + ":" + strings.TrimLeft(m[2], "0")
		there := slices.ContainsFunc(c.Sessions, func(s Session) bool {
			return slices.ContainsFunc(s.Turns, func(u Turn) bool { return u.ID == id })
		})
		if there && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
