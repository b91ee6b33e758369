// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"slices"
	"strings"
)

// talkFact is something that a person says in a talk, in one statement or several in
// order, and a question whose answer it is.
type talkFact struct {
	ability    string // fact, update, multi, preference, instruction, contradiction or order
	statements []string
	key        string // by which an answer mentions it
	question   string
	evidence   []int // indexes of statements
}

// talkWords are the lists that facts are made of.
var (
	talkNames = strings.Fields("Anna Boris Clara David Elena Felix Greta Henry Ivana Jonas Karla Lukas Maria Nikola Olga Pavel Rosa Simon Tereza " +
		"Viktor Wanda Yusuf Zofia Amir Birgit Chen Dora Emil Farah Goran Hana Igor Jana Kofi Lena Milan Nadia Omar Petra Rafael")
	talkTowns = strings.Fields("Oslo Porto Ljubljana Gdansk Tartu Ghent Turin Malaga " +
		"Uppsala Cork Graz Brno Varna Bergen Utrecht Lyon Seville Aarhus Krakow Split")
	talkKin  = []string{"sister", "brother", "cousin", "aunt", "uncle", "neighbour", "flatmate", "landlady", "manager", "tutor"}
	talkPets = [][2]string{
		{"dog", "beagle"}, {"dog", "whippet"}, {"cat", "tabby"}, {"cat", "siamese"}, {"parrot", "cockatiel"}, {"tortoise", "tortoise"}, {"rabbit", "lop"},
	}
	talkItems = []string{
		"bread oven", "rowing machine", "loom", "telescope", "accordion", "kayak", "sewing machine", "3D printer", "espresso grinder", "bookbinding press",
		"pottery wheel", "soldering station",
	}
	talkDishes = [][2]string{
		{"coriander", "a soup for guests"}, {"mushrooms", "a pasta for tonight"}, {"olives", "something to put on a pizza"}, {"raisins",
			"a cake for the office"},
		{"anchovies", "a quick salad dressing"}, {"goat cheese", "a starter"}, {"liquorice", "sweets to bring along"}, {"peanuts", "a snack for the hike"},
	}
	talkLikes = [][2]string{
		{"quiet places", "a restaurant for Friday"}, {"trains", "a way to get to the conference"}, {"paper books", "a present for myself"},
		{"mornings", "a time for our weekly call"}, {"dark screens", "a theme for the new editor"}, {"walking", "how to spend a free afternoon"},
		{"cold weather", "where to go in February"}, {"old films", "something to watch"},
	}
	talkRules = [][2]string{
		{"always give amounts in euros", "What would a month in a shared office cost?"}, {"keep answers under five sentences", "Explain how tides work."},
		{"never suggest anything with gluten", "Which breakfast could I prepare ahead?"}, {"show commands for fish, not bash",
			"How do I list the ten largest files?"},
		{"use metric units only", "How far is a marathon?"}, {"address me formally", "Draft a greeting for my next mail."},
		{"name a source for every claim", "Is coffee bad for sleep?"}, {"put the conclusion first", "Compare two ways to store photos."},
	}
	talkSkills = []string{
		"Rust", "welding", "Portuguese", "chess tournaments", "beekeeping", "Kubernetes", "figure drawing", "sailing", "screen printing", "the cello", "Lisp",
		"rock climbing",
	}
	talkSteps = []struct {
		topic string
		steps []string
	}{
		{"the allotment", []string{"dug the first bed", "built the compost heap", "planted the currants", "put up the fence", "had the first harvest"}},
		{"the thesis", []string{
			"agreed on a topic", "collected the interviews", "threw away the second chapter", "found a second reader", "handed in the draft",
		}},
		{"the shop", []string{"rented the room", "painted the sign", "hired a helper", "changed the opening hours", "paid back the loan"}},
		{"the app", []string{"sketched the screens", "wrote the importer", "moved it to another database", "invited the testers",
			"published the first version"}},
		{"the boat", []string{"found the hull", "replaced the planks", "varnished the mast", "sewed the sail", "launched it"}},
		{"the choir", []string{"asked around for voices", "booked the hall", "lost our conductor", "learned the Purcell", "sang in public"}},
	}
	talkDates = [][2]string{
		{"the dentist", "my teeth get looked at"}, {"the driving test", "I get behind the wheel with the examiner"}, {"the move", "I change flats"},
		{"the concert", "I hear them play live"}, {"the tax interview", "I see the people from the revenue"}, {"the vaccination", "I get my shot"},
	}
	talkJobs = []string{
		"runs a bakery", "restores organs", "teaches physics", "drives a tram", "writes subtitles", "keeps the lock at the canal", "flies gliders",
		"translates contracts",
	}
	talkKinds = []string{"date", "date", "home", "pet", "buy", "dislike", "like", "rule", "skill", "steps", "work", "size"}
)

// talkDays returns the days that facts name.
func talkDays() (days []string) {
	for month := range strings.FieldsSeq("January February March April May June July August September October") {
		for _, day := range []int{2, 5, 9, 13, 17, 21, 26, 28} {
			days = append(days, fmt.Sprintf("%d %s", day, month))
		}
	}
	return days
}

// factWriter makes the facts of a talk. No fact is made twice.
type factWriter struct {
	rng    *mersenne
	people []string
	days   []string
	used   map[[3]string]bool
	words  map[string][]string // what is said in other words, by kind of statement; nil for the words of this file

	name, town, day, other, kin string // of the next fact
}

// generateFacts makes n facts, or fewer where there are no more.
func generateFacts(rng *mersenne, n int, words map[string][]string) (facts []talkFact) {
	w := &factWriter{rng: rng, people: draw(rng, talkNames, len(talkNames)), days: talkDays(), used: map[[3]string]bool{}, words: words}
	for i := 0; len(facts) < n && i < 50*len(talkNames); i++ {
		kind := choose(rng, talkKinds)
		w.name = w.people[i%len(w.people)]
		w.town, w.day, w.other = choose(rng, talkTowns), choose(rng, w.days), choose(rng, w.days)
		w.kin = choose(rng, talkKin)
		if f, ok := w.fact(kind); ok {
			facts = append(facts, f)
		}
	}
	return facts
}

func (w *factWriter) once(key ...string) bool {
	var k [3]string
	copy(k[:], key)
	seen := w.used[k]
	w.used[k] = true
	return !seen
}

// reword says the statements of a fact in other words, if there are any: each of a kind. parts are placeholders and their texts.
func (w *factWriter) reword(f *talkFact, kinds []string, parts ...string) {
	if w.words == nil {
		return
	}
	for i, kind := range kinds {
		f.statements[i] = strings.NewReplacer(parts...).Replace(choose(w.rng, w.words[kind]))
	}
	if slices.Contains(parts, "{a}") {
		f.question = strings.NewReplacer(parts...).Replace(choose(w.rng, w.words["choose"]))
	}
}

// either returns one of two texts.
func (w *factWriter) either(a, b string) string {
	if w.rng.float() < .5 {
		return a
	}
	return b
}

// fact makes a fact of a kind; ok is false for one that was made before.
func (w *factWriter) fact(kind string) (f talkFact, ok bool) {
	switch kind {
	case "date":
		return w.appointment()
	case "pet", "buy":
		return w.possession(kind)
	case "dislike", "like", "rule":
		return w.wish(kind)
	case "skill":
		skill := choose(w.rng, talkSkills)
		return talkFact{
			"contradiction", []string{
				fmt.Sprintf("I have never tried %s in my life.", skill), fmt.Sprintf("when I did %s with %s two years ago I was not bad at it.", skill, w.name),
			}, skill, fmt.Sprintf("Do I have any experience with %s?", skill), []int{0, 1},
		}, w.once(kind, skill)
	case "steps":
		return w.story()
	}
	return w.person(kind)
}

func (w *factWriter) appointment() (f talkFact, ok bool) {
	what := choose(w.rng, talkDates)
	if !w.once("date", what[0], w.day) {
		return f, false
	}
	key := what[0] + " with " + w.name
	f = talkFact{"fact", []string{fmt.Sprintf("%s is on %s.", key, w.day)}, key, fmt.Sprintf("When will it be that %s, together with %s?",
		what[1], w.name), []int{0}}
	if w.rng.float() < .5 && w.day != w.other {
		f.ability, f.evidence = "update", []int{1}
		f.statements = append(f.statements, fmt.Sprintf("%s was put off, it is on %s now.", key, w.other))
		f.question = fmt.Sprintf("What is the current day on which %s? %s comes along.", what[1], w.name)
	}
	w.reword(&f, []string{"date"}, "{w}", what[0], "{n}", w.name, "{d}", w.day)
	if f.ability == "update" && w.words != nil {
		f.statements[1] = strings.NewReplacer("{w}", what[0], "{n}", w.name, "{d}", w.other).Replace(choose(w.rng, w.words["moved"]))
	}
	return f, true
}

func (w *factWriter) possession(kind string) (f talkFact, ok bool) {
	f = talkFact{ability: "fact", evidence: []int{0}}
	if kind == "pet" {
		if !w.once("pet", w.name) {
			return f, false
		}
		pet := choose(w.rng, talkPets)
		f.statements, f.key = []string{fmt.Sprintf("we took in a %s last week and named it %s.", pet[1], w.name)}, "the "+pet[1]
		f.question = w.either(fmt.Sprintf("What is the name of my %s?", pet[0]), fmt.Sprintf("What kind of animal is %s?", w.name))
		w.reword(&f, []string{kind}, "{b}", pet[1], "{n}", w.name)
		return f, true
	}
	item, price := choose(w.rng, talkItems), 80+7*w.rng.below(118)
	if !w.once("buy", item) {
		return f, false
	}
	f.statements, f.key = []string{fmt.Sprintf("I got the %s second hand from %s for %d euros.", item, w.name, price)}, "the "+item
	f.question = w.either(fmt.Sprintf("How much did I pay for my %s, and who sold it?", item), fmt.Sprintf("What have I bought off %s?", w.name))
	w.reword(&f, []string{kind}, "{i}", item, "{n}", w.name, "{p}", fmt.Sprint(price))
	return f, true
}

// wish makes a dislike, a like or a standing instruction.
func (w *factWriter) wish(kind string) (f talkFact, ok bool) {
	list, ability, ask := talkDishes, "preference", "Suggest %s."
	said := []string{"I cannot stand %s.", "%s makes me ill, I leave it out of everything.", "please remember that I do not eat %s."}
	switch kind {
	case "like":
		list, ask = talkLikes, "Recommend %s."
		said = []string{"I have always preferred %s.", "my favourite thing is %s, you know me.", "nothing beats %s for me."}
	case "rule":
		list, ability, ask = talkRules, "instruction", "%s"
	}
	thing := choose(w.rng, list)
	if !w.once(kind, thing[0]) {
		return f, false
	}
	f = talkFact{ability, nil, thing[0], fmt.Sprintf(ask, thing[1]), []int{0}}
	if kind == "rule" {
		f.statements, f.key = []string{fmt.Sprintf("from now on %s, please.", thing[0])}, "your request"
		w.reword(&f, []string{kind}, "{r}", thing[0])
	} else {
		f.statements = []string{fmt.Sprintf(choose(w.rng, said), thing[0])}
		w.reword(&f, []string{kind}, "{t}", thing[0], "{a}", thing[1])
	}
	return f, true
}

func (w *factWriter) story() (f talkFact, ok bool) {
	story := choose(w.rng, talkSteps)
	if !w.once("steps", story.topic) {
		return f, false
	}
	f = talkFact{ability: "order", key: story.topic, question: fmt.Sprintf("List in order what happened with %s.", story.topic)}
	for i, step := range story.steps[:3+w.rng.below(len(story.steps)-2)] {
		s := fmt.Sprintf("today we %s for %s.", step, story.topic)
		if i == 0 {
			s = fmt.Sprintf("good news about %s: we %s.", story.topic, step)
		}
		f.statements, f.evidence = append(f.statements, s), append(f.evidence, i)
	}
	return f, true
}

// person makes a fact about somebody: home, work or size.
func (w *factWriter) person(kind string) (f talkFact, ok bool) {
	if kind == "home" {
		return talkFact{
			"multi", []string{fmt.Sprintf("my %s is called %s.", w.kin, w.name), fmt.Sprintf("my %s found a flat in %s and loves it there.", w.kin, w.town)},
			"your " + w.kin, fmt.Sprintf("In which city does %s live?", w.name), []int{0, 1},
		}, w.once("home", w.kin, w.name)
	}
	if !w.once(kind, w.name) {
		return f, false
	}
	if kind == "work" {
		job := choose(w.rng, talkJobs)
		f = talkFact{
			"fact", []string{fmt.Sprintf("%s %s these days, did I mention that?", w.name, job)},
			w.name, fmt.Sprintf("What does %s do for a living?", w.name), []int{0},
		}
		w.reword(&f, []string{kind}, "{n}", w.name, "{j}", job)
		return f, true
	}
	a, b := 36+w.rng.below(10), 36+w.rng.below(10)
	f = talkFact{
		"fact", []string{fmt.Sprintf("%s wears shoes in size %d.", w.name, a)}, w.name + "'s shoes", fmt.Sprintf("Which boots would fit %s?", w.name), []int{0},
	}
	if a != b && w.rng.float() < .5 {
		f.ability, f.evidence = "update", []int{1}
		f.statements = append(f.statements, fmt.Sprintf("I was wrong about %s's feet, it is %d.", w.name, b))
	}
	return f, true
}
