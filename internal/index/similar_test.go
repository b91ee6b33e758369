// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMatcher(t *testing.T) {
	m := NewMatcher("The rivets of the gauges, Ströme 記憶")
	for text, want := range map[string][2]int{
		"nothing here":             {0, 0},
		"a rivet":                  {1, 2},
		"Gauging the rivets":       {2, 0},
		"rivet rivet riveting":     {1, 0},
		"die Ströme am gauge":      {2, 4},
		"x 記憶の木":                   {1, 2},
		"of the":                   {0, 0},
		"\xffrivet":                {1, 1},
		"x: ströme, gauge; rivets": {3, 3},
	} {
		if got := [2]int{m.Count(text), m.First(text)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for length, want := range map[int]string{4: "meet", 7: "MEETING", 20: "Meetings"} {
		if got := Spelling("We met; three Meetings, a MEETING; meet.", Terms("meeting")[0], length); got != want {
			t.Errorf("spelled %q, want %q", got, want)
		}
	}
	if got := Spelling("nothing", "meet", 4); got != "" {
		t.Errorf("spelled %q", got)
	}
}

func TestUnknown(t *testing.T) {
	x := Build([]Doc{
		{ID: "a", Title: "Python sessions", Body: "python in a session; a sessions list"},
		{ID: "b", Body: "session kalibrierung of the barometer, referred"},
		{ID: "c", Title: "measure", Body: "measured sesame"},
	})
	x = x.Update([]string{"c"}, []Doc{{ID: "d", Body: "pythons treasure"}})
	for question, want := range map[string]string{
		"org-babel pyhton sesion":                "pyhton: python/a sesion: session/a",
		"sesion sesion sesions":                  "sesion: session/a",
		"python session":                         "",
		"Refrence":                               "Refrence: refer/b",
		"maesure":                                "", // only a removed document has it
		"tresure":                                "tresure: treasur/d",
		"Barometerkalibrierung":                  "Barometerkalibrierung: kalibrierung/b",
		"zzzzzzzz":                               "",
		"pyt 123456 x9y9 記憶 the with":            "",
		strings.Repeat("q", 5000) + " barometre": "barometre: baromet/b",
		strings.Repeat("qwrtzu ", 2000) + " sesion": "", // too far into the question
	} {
		var got []string
		for _, u := range x.Unknown(question) {
			got = append(got, u.Word+":")
			for _, k := range u.Similar {
				got = append(got, k.Term+"/"+k.ID)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%.40q: got %q, want %q", question, got, want)
		}
	}
	if got := new(Lexical).Unknown("anything"); got != nil {
		t.Errorf("an empty index knows %v", got)
	}
}

// TestUnknownIsBounded compares a few words only, however many a question has.
func TestUnknownIsBounded(t *testing.T) {
	x := Build([]Doc{{ID: "a", Body: "alphabet barometer calendar"}})
	var question strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&question, "alphabe%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26)
	}
	if got := x.Unknown(question.String()); len(got) > maxUnknown {
		t.Errorf("%d words are offered", len(got))
	}
}

// TestEdits compares the bounded distance with the textbook recursion.
func TestEdits(t *testing.T) {
	word := rapid.StringOfN(rapid.SampledFrom([]rune("abcé")), 1, 9, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		m := newMisspelling(a, a)
		want := editDistance([]rune(a), []rune(b))
		got, ok := m.edits(b)
		if ok != (want <= m.maxEdits) || ok && got != want {
			t.Fatalf("%q and %q: %d %v, want %d", a, b, got, ok, want)
		}
	})
}

// editDistance is the optimal string alignment distance.
func editDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	la, lb := len(a)-1, len(b)-1
	replaced := editDistance(a[:la], b[:lb])
	if a[la] != b[lb] {
		replaced++
	}
	d := min(replaced, editDistance(a[:la], b)+1, editDistance(a, b[:lb])+1)
	if la > 0 && lb > 0 && a[la] == b[lb-1] && a[la-1] == b[lb] {
		d = min(d, editDistance(a[:la-1], b[:lb-1])+1)
	}
	return d
}

func TestGramDistance(t *testing.T) {
	m := newMisspelling("kalibrierungen", "kalibrierungen")
	for term, want := range map[string]string{"kalibrierungen": "0 true", "kalibrierung": "17 true", "kaliber": "69 false", "": "100 false"} {
		d, ok := m.gramDistance(term)
		if got := fmt.Sprint(d, ok); got != want {
			t.Errorf("%q: %s, want %s", term, got, want)
		}
	}
	if diff := cmp.Diff(map[string]bool{"^abc": true, "abc$": true}, newMisspelling("abc", "abc").grams); diff != "" {
		t.Error(diff)
	}
}
