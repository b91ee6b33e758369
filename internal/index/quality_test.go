// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestRanksConversations measures Search on the development half of LoCoMo. Each turn
// of a conversation is a document, each question of categories 1 to 4 a query, and the
// annotated evidence is what must be found. The floors are two points below the results
// at the time they were set (0.639 and 0.508); lowering them needs a reason.
func TestRanksConversations(t *testing.T) {
	const floorRecall, floorGain = 0.62, 0.49
	recall, gain, questions := 0.0, 0.0, 0
	for i, talk := range readTalks(t) {
		x := Build(talk.turns)
		for j, qa := range talk.questions {
			gold := talk.gold(i, j, qa)
			if qa.Category == 5 || len(gold) == 0 {
				continue
			}
			questions++
			found, sum, ideal := 0, 0.0, 0.0
			for rank, hit := range x.Search(Query{Text: qa.Question, Limit: 10}) {
				if slices.Contains(gold, hit.ID) {
					found++
					sum += 1 / math.Log2(float64(rank+2))
				}
			}
			for rank := range min(10, len(gold)) {
				ideal += 1 / math.Log2(float64(rank+2))
			}
			recall += float64(found) / float64(len(gold))
			gain += sum / ideal
		}
	}
	if questions != 760 {
		t.Fatalf("%d questions with evidence, want 760: the data is another", questions)
	}
	recall /= float64(questions)
	gain /= float64(questions)
	t.Logf("recall@10 %.3f, nDCG@10 %.3f over %d questions", recall, gain, questions)
	if recall < floorRecall || gain < floorGain {
		t.Errorf("recall@10 %.3f, nDCG@10 %.3f; want at least %.2f and %.2f", recall, gain, floorRecall, floorGain)
	}
}

// talk is one conversation and its questions.
type talk struct {
	turns     []Doc
	questions []question
	corrected map[string][]string // by question name: evidence corrected by an audit
}

type question struct {
	Question string
	Category int
	Evidence []string
}

func readTalks(t *testing.T) []talk {
	dir := filepath.Join(foveatest.Testdata(t), "data", "locomo")
	var samples []struct {
		Conversation map[string]json.RawMessage
		QA           []question
	}
	readJSON(t, filepath.Join(dir, "locomo_dev5.json"), &samples)
	var audit []struct {
		QuestionID string   `json:"question_id"`
		ErrorType  string   `json:"error_type"`
		Correct    []string `json:"correct_evidence"`
	}
	readJSON(t, filepath.Join(dir, "audit_errors_dev5.json"), &audit)
	corrected := map[string][]string{}
	for _, a := range audit {
		if a.ErrorType == "WRONG_CITATION" && len(a.Correct) > 0 {
			corrected[a.QuestionID] = a.Correct
		}
	}
	var talks []talk
	for _, s := range samples {
		k := talk{questions: s.QA, corrected: corrected}
		for _, name := range slices.Sorted(maps.Keys(s.Conversation)) {
			var turns []struct {
				Speaker, Text string
				ID            string `json:"dia_id"`
				Caption       string `json:"blip_caption"`
			}
			if !strings.HasPrefix(name, "session_") || strings.HasSuffix(name, "_date_time") {
				continue
			}
			if err := json.Unmarshal(s.Conversation[name], &turns); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, turn := range turns {
				body := turn.Speaker + ": " + turn.Text
				if turn.Caption != "" {
					body += " [image: " + turn.Caption + "]"
				}
				k.turns = append(k.turns, Doc{ID: turn.ID, Body: body})
			}
		}
		talks = append(talks, k)
	}
	return talks
}

// gold returns the turns that answer question j of conversation i.
func (k talk) gold(i, j int, qa question) []string {
	evidence, ok := k.corrected[fmt.Sprintf("locomo_%d_qa%d", i, j)]
	if !ok {
		evidence = qa.Evidence
	}
	var gold []string
	for _, m := range regexp.MustCompile(`D:?(\d+):(\d+)`).FindAllStringSubmatch(strings.Join(evidence, " "), -1) {
		id := "D" + strings.TrimLeft(m[1], "0") + ":" + strings.TrimLeft(m[2], "0")
		known := slices.ContainsFunc(k.turns, func(d Doc) bool { return d.ID == id })
		if known && !slices.Contains(gold, id) {
			gold = append(gold, id)
		}
	}
	return gold
}

func readJSON(t *testing.T, path string, v any) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
