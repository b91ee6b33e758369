// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// scoreExample is a page with an example: files in blocks that begin with a line
// "# NAME", and the answer to its question.
const scoreExample = "../../doc/score.md"

// TestScoreExample keeps the table of the page that explains the score true.
func TestScoreExample(t *testing.T) {
	page, err := os.ReadFile(scoreExample)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, block := range strings.Split(string(page), "```org\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		name, rest, _ := strings.Cut(text, "\n")
		files[strings.TrimPrefix(name, "# ")] = rest
	}
	const question = "What did Ann say in May about the boiler, and when does the plumber come?"
	v := view(files)
	var b strings.Builder
	b.WriteString("| score | node | arms |\n| ---: | --- | --- |\n")
	for _, h := range v.Rank(Request{Text: question}) {
		n, _ := v.State.Get(h.ID)
		var arms []string
		for _, a := range h.Arms {
			arms = append(arms, fmt.Sprintf("%s %.2f", a.Arm, a.Score))
		}
		line, _, _ := strings.Cut(strings.TrimSpace(n.Body()), "\n")
		if line == "" {
			line = n.Title()
		}
		fmt.Fprintf(&b, "| %.2f | %s | %s |\n", h.Score, line, strings.Join(arms, ", "))
	}
	if !strings.Contains(string(page), b.String()) || !strings.Contains(string(page), question) || len(files) == 0 {
		t.Errorf("%s does not show the answer to %q:\n%s", scoreExample, question, b.String())
	}
}
