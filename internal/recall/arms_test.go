// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestDays reads dates in running text.
func TestDays(t *testing.T) {
	for text, want := range map[string][]day{
		"[2026-11-23 Mon 08:10]":           {{2026, 11, 23}},
		"on 2026-11-23, then 2027-01-02":   {{2026, 11, 23}, {2027, 1, 2}},
		"23 November 2026":                 {{2026, 11, 23}},
		"November 23, 2026":                {{2026, 11, 23}},
		"the 8th of May":                   {{0, 5, 8}},
		"What happened in May 2023?":       {{2023, 5, 0}},
		"what happened in may":             {{0, 5, 0}},
		"in December":                      {{0, 12, 0}},
		"am 3. März":                       {{0, 3, 3}},
		"5 Oct":                            {{0, 10, 5}},
		"24 Dez, 2 Okt; Sept 1, 9 Mär":     {{0, 12, 24}, {0, 10, 2}, {0, 9, 1}, {0, 3, 9}},
		"1 jan 2025, 31 Dec 2025":          {{2025, 1, 1}, {2025, 12, 31}},
		"you may go, sec, mar, a decision": nil,
		"2026-13-40 and 12-11":             nil,
		"version 2026.1":                   nil,
		"":                                 nil,
	} {
		if diff := gocmp.Diff(want, daysIn(text), gocmp.AllowUnexported(day{})); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

// TestAsksWhen recognizes questions for a time.
func TestAsksWhen(t *testing.T) {
	for text, want := range map[string]bool{
		"When does the plumber come?":                     true,
		"What is the current day on which I move?":        true,
		"At what date, and where?":                        true,
		"Wann kommt der Klempner?":                        true,
		"How long does it take?":                          true,
		"How do I plan a long day?":                       false,
		"The whenever what":                               false,
		"What did she do?":                                false,
		strings.Repeat("x ", maxQuestion) + "when is it?": false,
		"": false,
	} {
		if got := asksWhen(text); got != want {
			t.Errorf("%.60q: got %t, want %t", text, got, want)
		}
	}
}

// TestCapitalized takes words inside sentences that begin with a capital letter.
func TestCapitalized(t *testing.T) {
	for text, want := range map[string][]string{
		"Did Ana call? Yes. From Žiri, I think": {"ana", "žiri"},
		"ask Ann-Marie: Who":                    {"ann", "mari"},
		"A B":                                   nil,
		" \x80 \xff":                            nil,
		"":                                      nil,
	} {
		if got := slices.Sorted(maps.Keys(capitalized(text))); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestStatementsAnywhere compares statementMarks with a look at each word.
func TestStatementsAnywhere(t *testing.T) {
	words := strings.Fields("I i ich my My favourite lieblings nothing beats makes me sick am liebsten prefer don ' t stand not eat from From now on " +
		"going forward in In future please never always Always . \n ! “ ” ä üi remember to make sure you should want ab jetzt , x")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 14).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
		var want []string
		likes, rules := false, false
		for all := tokensOf(text); len(all) > 0; all = all[1:] {
			likes, rules = likes || all.statesLike(), rules || all.statesRule(true)
		}
		if likes {
			want = append(want, markLikes)
		}
		if rules {
			want = append(want, markRules)
		}
		if got := statementMarks(nil, text); !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	})
}

// TestSaid finds statements about likes, and standing instructions.
func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"I cannot stand coriander.":                            "likes",
		"By the way, I have always preferred trains. And you?": "likes",
		"My favourite colour is blue":                          "likes",
		"Nothing beats old films for me":                       "likes",
		"I don't eat peanuts.":                                 "likes",
		"Ich mag keine Oliven.":                                "likes",
		"From now on keep answers short, please.":              "rules",
		"Please remember that I do not eat peanuts.":           "likes",
		"Please remember to lock the door":                     "rules",
		"Always use tabs.":                                     "rules",
		"please never push to main":                            "rules",
		"Ab jetzt bitte auf Deutsch":                           "rules",
		"I love it. From now on, call me Al.":                  "likes rules",
		"Don't ever push to main":                              "rules",
		"Remember to water the plants.":                        "rules",
		"Make sure that it is locked":                          "rules",
		"You must never push to main":                          "rules",
		"Well, I want you to answer in German":                 "rules",
		"In future use tabs.":                                  "rules",
		"Going forward, no blanks":                             "rules",
		"Going home. They go forward":                          "",
		"Thanks. Always use tabs.":                             "rules",
		"They eat; never at noon":                              "rules",
		"They are always late":                                 "",
		"Von nun an bitte immer auf Deutsch":                   "rules",
		"Do you remember to water them? In the future":         "",
		"I eat at noon":                                        "",
		"I strongly dislike raisins":                           "likes",
		"I have grown quite fond of trains.":                   "likes",
		"I'm not a big fan of jazz":                            "likes",
		"I have a strong aversion to noise":                    "likes",
		"I'd rather walk":                                      "likes",
		"I only drink tea":                                     "likes",
		"I am a teacher. I have a dog. I rather think so":      "",
		"My all time favourite is tea":                         "likes",
		"Jazz is not my cup of tea":                            "likes",
		"My cup is empty. It gives me an idea":                 "",
		"Wool gives me a headache":                             "likes",
		"I'd really like you to use tabs":                      "rules",
		"I swear by tea":                                       "likes",
		"I cannot get enough of tea":                           "likes",
		"I could do without tea":                               "likes",
		"I stay away from tea":                                 "likes",
		"I have given up tea":                                  "likes",
		"Give me tea any day. Give it":                         "likes",
		"No tea for me":                                        "likes",
		"No tea. It is for me. Give me. Any day it bores them": "",
		"I'm all about tea":                                    "likes",
		"Noise bores me":                                       "likes",
		"Whenever you answer, be brief":                        "rules",
		"When I ask for prices, use euros. When I ask":         "rules",
		"Every time you write code, add a test":                "rules",
		"In all your answers use euros":                        "rules",
		"As of now: tabs":                                      "rules",
		"As a rule, use tabs":                                  "rules",
		"Use tabs until further notice":                        "rules",
		"For all future replies use tabs. Henceforth":          "rules",
		"Keep answers short":                                   "rules",
		"Keep going. Always here to help. Excited for the future! Use a spoon. Stop it": "",
		"Let's always use tabs":                            "rules",
		"Do not use tabs":                                  "rules",
		"Stop using tabs":                                  "rules",
		"Avoid long words":                                 "rules",
		"When you were young":                              "",
		"For now. Until tonight":                           "",
		"He always wins. It is never easy.":                "",
		"They liked the film":                              "",
		strings.Repeat("Prose. ", 70) + "Always use tabs.": "",
		"": "",
	} {
		var got []string
		for _, m := range statementMarks(nil, text) {
			got = append(got, strings.TrimPrefix(m, "states:"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.50q: %q, want %q", text, got, want)
		}
	}
}

// TestAsks tells requests for a choice and for work from questions about what was.
func TestAsks(t *testing.T) {
	for text, want := range map[string]string{
		"Suggest a soup for guests.":                "choice work",
		"Can you recommend a book?":                 "choice work",
		"Any ideas for Friday?":                     "choice advice work",
		"What should I wear?":                       "choice work",
		"Explain how tides work.":                   "work",
		"How do I list the ten largest files?":      "work",
		"Is coffee bad for sleep?":                  "work",
		"What would a month in an office cost?":     "work",
		"What did Anna suggest?":                    "",
		"Some tips, please":                         "choice work",
		"I need some tips":                          "choice advice work",
		"For Rome, what should I pack?":             "choice work",
		"What are some good hotels?":                "advice work",
		"What's the best way to Rome?":              "advice",
		"Where can we eat?":                         "advice",
		"Can you help me plan a trip?":              "advice",
		"I am looking for a gift":                   "advice",
		"Plan a trip":                               "advice work",
		"Any thoughts on a gift?":                   "advice",
		"What would suit my aunt?":                  "advice",
		"Can you think of a film?":                  "advice work",
		"What are some films I watched?":            "",
		"Where have I been, and what can I do?":     "",
		"In which city does Anna live?":             "",
		"What is the name of my dog?":               "",
		"List in order what happened with the shop": "",
		"": "",
	} {
		var got []string
		if asksForChoice(text) {
			got = append(got, "choice")
		}
		if asksForAdvice(text) {
			got = append(got, "advice")
		}
		if asksForWork(text) {
			got = append(got, "work")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// best returns the first lines of the bodies of the hits, and the arms of the first.
func best(t *testing.T, v View, text string) (bodies []string, arms string) {
	t.Helper()
	for i, h := range v.Rank(Request{Text: text}) {
		n, _ := v.State.Get(h.ID)
		line, _, _ := strings.Cut(strings.TrimSpace(n.Body()), "\n")
		if bodies = append(bodies, line); i == 0 {
			for _, c := range h.Arms {
				arms += c.Arm + " "
			}
		}
	}
	return bodies, strings.TrimSpace(arms)
}

// talk writes turns as headlines, each "Name: text", on a day.
func talk(date string, turns ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#+title: talk\n#+date: [%s]\n", date)
	for _, turn := range turns {
		name, text, _ := strings.Cut(turn, ": ")
		fmt.Fprintf(&b, "* %s\n:PROPERTIES:\n:SPEAKER: %s\n:END:\n%s\n", name, name, text)
	}
	return b.String()
}

// TestPeopleMarks: who wrote a note is a property of few words, or a title that is a name.
func TestPeopleMarks(t *testing.T) {
	for text, want := range map[string]string{
		"* a\n:PROPERTIES:\n:SPEAKER: Ann\n:END:\n":               "by:ann who",
		"* a\n:PROPERTIES:\n:from+: Ann-Lee de Vere\n:END:\n":     "by:ann-lee by:de by:vere who",
		"* a\n:PROPERTIES:\n:AUTHOR: Ann Lee, on Monday\n:END:\n": "",
		"* a\n:PROPERTIES:\n:BY:\n:SENDER: 2.\n:END:\n":           "by:2 who",
		"* a\n:PROPERTIES:\n:BY: ?\n:NAME: Ann\n:END:\n":          "",
		"* Ann Lee\n":         "as:ann as:lee",
		"* Ann likes\n":       "",
		"* Ann Lee Bob Cid\n": "",
		"* ?\n":               "",
		"Ann\n":               "",
	} {
		n := lastNode(text)
		if got := strings.Join(peopleMarks(nil, n, n.Derived.Properties), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPeople checks that who speaks counts, and is not looked for among the words.
func TestPeople(t *testing.T) {
	v := view(map[string]string{"a.org": talk("2026-05-02 Sat", "Ann: the garden is green", "Bob: the garden is grey", "Bob: Ann likes it", "Cid: no garden")})
	bodies, arms := best(t, v, "What did Bob say of the garden?")
	if bodies[0] != "the garden is grey" || arms != "lexical people" {
		t.Errorf("%q by %q", bodies, arms)
	}
	if bodies, _ = best(t, v, "What did Ann say of the garden?"); bodies[0] != "the garden is green" {
		t.Errorf("%q", bodies)
	}
	if slices.Contains(bodies, "Ann likes it") {
		t.Errorf("a name was looked for among the words: %q", bodies)
	}
	if bodies, _ = best(t, v, "Bob"); len(bodies) == 0 { // nothing but a name
		t.Error("a name alone finds nothing")
	}
}

// TestCaller: a question about I that names nobody prefers what the caller said.
func TestCaller(t *testing.T) {
	v := view(map[string]string{"a.org": talk("2026-05-02 Sat", "Me: the garden of roses is small", "Bob: the garden of roses is wide",
		"Mint: the garden of roses is wet", "Bob: Ann likes it")})
	for _, c := range []struct{ caller, question, want, arms string }{
		{"me", "How is my garden of roses?", "the garden of roses is small", "lexical caller"},
		{"mint", "How is my garden of roses?", "the garden of roses is wet", "lexical caller"},
		{"me", "How is my garden of roses, Bob?", "the garden of roses is wide", "lexical people"},
		{"me", "roses of the US", "the garden of roses is small", "lexical"},
		{"nobody", "How is my garden of roses?", "the garden of roses is small", "lexical"},
	} {
		v.Rankers = Rankers([]string{c.caller})
		if bodies, arms := best(t, v, c.question); bodies[0] != c.want || arms != c.arms {
			t.Errorf("%s, %s: %q by %q", c.caller, c.question, bodies[0], arms)
		}
	}
}

// TestDates checks that a date of the document counts for the notes below, and that a
// question for a time prefers answers that tell one.
func TestDates(t *testing.T) {
	v := view(map[string]string{
		"a.org": talk("2026-05-02 Sat", "Ann: we painted the fence"), "b.org": talk("2026-06-07 Sun", "Ann: we painted the fence again"),
		"c.org": talk("2025-06-07 Sat", "Ann: we painted the fence yesterday"),
	})
	for question, want := range map[string]string{
		"fence in May": "we painted the fence", "fence 7 June 2026": "we painted the fence again",
		"When was the fence painted?": "we painted the fence yesterday",
		"fence on 2025-06-07":         "we painted the fence yesterday",
	} {
		if bodies, arms := best(t, v, question); bodies[0] != want {
			t.Errorf("%s: %q by %q", question, bodies, arms)
		}
	}
	for _, text := range []string{"* a\nwine of room 13\n* b\nwine of room 12\n", "* a\nwine of room 12\n* b\nwine of room 13\n"} {
		v = view(map[string]string{"a.org": text}) // a day that no note has is words
		if bodies, arms := best(t, v, "wine of 12 August 2026"); bodies[0] != "wine of room 12" {
			t.Errorf("%q by %q", bodies, arms)
		}
	}
}

// TestRules checks that standing instructions and likes answer questions that share no
// word with them.
func TestRules(t *testing.T) {
	v := view(map[string]string{"a.org": talk("2026-05-02 Sat", "Me: from now on give prices in euros",
		"Me: I cannot stand coriander", "Me: the soup was cold", "Me: offices are cheap")})
	for question, want := range map[string]string{
		"What does a desk cost?": "from now on give prices in euros", "Suggest a soup": "I cannot stand coriander", "Was my soup cold?": "the soup was cold",
	} {
		if bodies, _ := best(t, v, question); bodies[0] != want {
			t.Errorf("%s: %q", question, bodies)
		}
	}
}

// coherent writes files whose neighbours share words, or share them with other files.
func coherent(shuffled bool) View {
	files := map[string]string{}
	for f := range 8 {
		var turns []string
		for i := range 24 {
			topic := f*24 + i/6
			if shuffled {
				topic = (i*7 + f*5) % 32
			}
			turns = append(turns, fmt.Sprintf("Me: topic%d matters as word%d and thing%d of item%d", topic, topic, i*31+f, i*17+f*3))
		}
		files[fmt.Sprintf("f%d.org", f)] = talk("2026-05-02 Sat", turns...)
	}
	return view(files)
}

// TestGate checks that the neighbours of a hit count where neighbours have to do with
// each other, and not where their order is arbitrary.
func TestGate(t *testing.T) {
	given := map[bool]float64{}
	for _, shuffled := range []bool{false, true} {
		for _, h := range coherent(shuffled).Rank(Request{Text: "thing31 item17"}) {
			for _, c := range h.Arms {
				if c.Arm == ArmNeighbours {
					given[shuffled] += c.Score
				}
			}
		}
	}
	if given[false] < 1 || given[true] > given[false]/5 {
		t.Errorf("neighbours give %v in order, %v shuffled", given[false], given[true])
	}
}

// TestSimilarity checks that similarity means the same in each question.
func TestSimilarity(t *testing.T) {
	v := view(map[string]string{"a.org": talk("2026-05-02 Sat", "Ann: the garden is green and wide", "Bob: nothing of the kind", "Cid: the house is old")})
	first := func(text string) float64 {
		hits := v.Rank(Request{Text: text})
		if len(hits) == 0 {
			return 0
		}
		return hits[0].Similarity
	}
	whole, half, noise := first("green garden"), first("green zeppelin umbrella"), first("zeppelin umbrella")
	if !(whole > half && half > noise && noise == 0 && whole <= 1) {
		t.Errorf("similarity %v, %v, %v", whole, half, noise)
	}
}

// TestBrevity: the longer the text around a statement, the less it counts.
func TestBrevity(t *testing.T) {
	v := view(map[string]string{"a.org": "* brief\nFrom now on use metric units, please.\n* twice as long\nFrom now on use metric units, please." +
		strings.Repeat(" Water is wet.", (2*maxBrief-37)/14) + "\n"})
	hits := v.Rank(Request{Text: "Explain tides"})
	if len(hits) != 2 || hits[0].Score < 1.9*hits[1].Score || hits[0].Score > 2.1*hits[1].Score {
		t.Errorf("%+v", hits)
	}
}
