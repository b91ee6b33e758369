// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// extremeQuestions are questions that no person asks.
var extremeQuestions = map[string]string{
	"1.5 MB of one word":       strings.Repeat("rivet ", 250_000),
	"1.5 MB of unknown words":  unknownWords(1_500_000),
	"1.5 MB without a blank":   strings.Repeat("x", 1_500_000),
	"stop words":               "what is the of and to who are you",
	"an unknown language":      "Hvar er þvottavélin mín núna? Къде е ключът? 鍵はどこですか",
	"control characters":       "\x01\x02\x1b[31mrivet\x00\x7f\u0085\u2028",
	"invalid UTF-8":            "riv\xffet \xc3",
	"operators":                `(and "rivet" (or todo: !! :tags`,
	"one letter":               "r",
	"nothing but punctuation":  "?!… —",
	"a question in a question": "\"; recall {\"query\": \"x\"}",
}

// unknownWords returns a text of n bytes or more in which no two words are equal.
func unknownWords(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "rivt%c%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576%26)
	}
	return b.String()
}

// extremes opens a memory of the given files and gives a client of its server.
func extremes(t *testing.T, files map[string]string) *mcp.ClientSession {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return connect(t, api.NewLocal(m, nil), nil)
}

// TestExtremeQuestions: every question is answered, by recall and by a window of any
// budget, whatever the memory holds; the budget holds, and a reader learns what there is.
func TestExtremeQuestions(t *testing.T) {
	note := "* The hull has rivets\nThey were counted twice.\n"
	for name, c := range map[string]struct {
		files map[string]string
		long  bool // the questions of 1.5 MB too
	}{
		"a few nodes":         {map[string]string{"a.org": note + "* Another\ntext\n", "b.org": "* Der Schlüssel\nliegt im Boot\n"}, true},
		"one node":            {map[string]string{"a.org": "rivet\n"}, false},
		"no words":            {map[string]string{"a.org": "* \n* *\n"}, false},
		"a note of 50 MB":     {map[string]string{"a.org": "* Long\n" + strings.Repeat("The hull has rivets, they were counted.\n", 1_250_000)}, false},
		"100,000 equal notes": {map[string]string{"a.org": strings.Repeat(note, 100_000)}, false},
	} {
		if size := len(c.files["a.org"]); testing.Short() && size > 1<<20 {
			continue // gigabytes under the race detector
		}
		t.Run(name, func(t *testing.T) {
			client := extremes(t, c.files)
			for kind, question := range extremeQuestions {
				if c.long || len(question) < 1000 {
					answerExtreme(t, client, kind, question)
				}
			}
		})
	}
}

// answerExtreme asks one question of recall and of context.
func answerExtreme(t *testing.T, client *mcp.ClientSession, kind, question string) {
	t.Helper()
	text, failed := call(t, client, "recall", map[string]any{"query": question})
	if failed || !strings.HasPrefix(text, "Found ") && !strings.HasPrefix(text, "Nothing was found") || len(text) > 64<<10 {
		t.Errorf("%s: recall, %d bytes: %.200s", kind, len(text), text)
	}
	for _, budget := range []int{10, 300, 2000} {
		text, failed := call(t, client, "context", map[string]any{"question": question, "budget": budget})
		if failed && budget == 10 && strings.Contains(text, "Next: ask again with at least that budget") {
			continue // no window is that small, and the answer says what is
		}
		var used, of int
		text = strings.TrimPrefix(text, "No note has a word of the question; what follows is not about it.\n")
		if _, err := fmt.Sscanf(text, "%d of %d tokens", &used, &of); failed || err != nil || used > of || of != budget {
			t.Errorf("%s: a window of %d: %.200s", kind, budget, text)
		}
	}
}
