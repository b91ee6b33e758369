// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/internal/index"
)

// day is a date; a part that is not known is 0.
type day struct{ year, month, day int }

// months are the names of months, in English and German.
var months = numbered(englishMonths, "januar februar märz april mai juni juli august september oktober november dezember")

// shortMonths count as months only next to a number.
var shortMonths = numbered("jan feb mar apr may jun jul aug sep oct nov dec", "jan feb mär apr mai jun jul aug sept okt nov dez")

const englishMonths = "january february march april may june july august september october november december"

// numbered returns the place of each word in its list, from 1.
func numbered(lists ...string) map[string]int {
	numbers := map[string]int{}
	for _, list := range lists {
		for i, word := range strings.Fields(list) {
			numbers[word] = i + 1
		}
	}
	return numbers
}

// daysIn returns the dates in a text: 2026-11-23, 23 November 2026, November 23, 2026,
// November 2026, 23 November, November. The word may without a day or year counts if it
// is capitalized or follows a word like in.
func daysIn(text string) []day {
	text = text[:min(len(text), maxQuestion)]
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var out []day
	for i := 0; i < len(words); i++ {
		switch {
		case isYear(word1(words, i)) && number(word1(words, i+1), 12) > 0 && number(word1(words, i+2), 31) > 0 && len(words[i+1]) == 2:
			out = append(out, day{number(words[i], 9999), number(words[i+1], 12), number(words[i+2], 31)})
			i += 2
		case isMonth(words, i) > 0:
			d := day{month: isMonth(words, i)}
			before := i - 1
			if strings.EqualFold(word1(words, before), "of") {
				before--
			}
			if d.day = ordinal(word1(words, before)); d.day == 0 {
				if d.day = ordinal(word1(words, i+1)); d.day > 0 {
					i++
				}
			}
			if isYear(word1(words, i+1)) {
				i++
				d.year = number(words[i], 9999)
			}
			out = append(out, d)
		}
	}
	return out
}

func word1(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}

func number(s string, limit int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > limit {
		return 0
	}
	return n
}

// ordinal reads the day of a month: 8, 08, 8th, 8.
func ordinal(s string) int {
	return number(strings.TrimRight(strings.ToLower(s), "sthndr"), 31)
}

func isYear(s string) bool {
	n := number(s, 2999)
	return len(s) == 4 && n >= 1000
}

// isMonth returns the month that a word names, 0 for none.
func isMonth(words []string, i int) int {
	word := strings.ToLower(words[i])
	m, short := months[word], shortMonths[word]
	if m == 0 && short == 0 {
		return 0
	}
	beside := ordinal(word1(words, i-1)) > 0 || ordinal(word1(words, i+1)) > 0
	if short > 0 && beside {
		return short
	}
	if word == "may" && words[i] == "may" && !beside && !isYear(word1(words, i+1)) {
		switch strings.ToLower(word1(words, i-1)) {
		case "in", "of", "since", "until", "by", "last", "next", "during":
		default:
			return 0
		}
	}
	return m
}

// marks returns the marks under which a node with this date is indexed, the most exact
// one first.
func (d day) marks() []string {
	var out []string
	add := func(format string, parts ...any) {
		for _, p := range parts {
			if p == 0 {
				return
			}
		}
		out = append(out, "on:"+fmt.Sprintf(format, parts...))
	}
	add("%04d-%02d-%02d", d.year, d.month, d.day)
	add("%02d-%02d", d.month, d.day)
	add("%04d-%02d", d.year, d.month)
	add("%02d", d.month)
	add("%04d", d.year)
	return out
}

// terms returns the terms by which a question may name the date.
func (d day) terms() []string {
	var out []string
	for _, names := range []map[string]int{months, shortMonths} {
		for name, month := range names {
			if month == d.month {
				out = append(out, index.Terms(name)...)
			}
		}
	}
	for _, n := range []int{d.year, d.month, d.day} {
		if n > 0 {
			out = append(out, strconv.Itoa(n), fmt.Sprintf("%02d", n))
		}
	}
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		out = append(out, strconv.Itoa(d.day)+suffix)
	}
	return out
}

// Arms of Dates.
const (
	ArmDate = "date" // a date of the question is the node's
	ArmTime = "time" // the question asks when, and the node mentions a time
)

// Weights of the dates. Measured on LoCoMo with .7 and .4, R@10 and nDCG@10: .778 and .620
// without, .788 and .630 with dates, .793 and .638 with time words too; 1 and .6 gain .004.
const (
	weightDate = 1 / weightAll
	weightTime = .6 / weightAll
)

// timeWords are words that mention a time.
const timeWords = "yesterday today tomorrow tonight last next ago week month year weekend recently soon since " +
	"monday tuesday wednesday thursday friday saturday sunday gestern heute morgen woche monat jahr " + englishMonths

// Dates ranks by dates.
type Dates struct{}

// Rank implements Ranker.
func (Dates) Rank(req *Request, b *Board) {
	if days := daysIn(req.Text); len(days) > 0 {
		arm := b.Arm(ArmDate)
		for _, d := range days {
			for pos := range b.Order.Marked(d.marks()[0]) {
				for p := pos; p <= b.Order.Branch(pos); p++ {
					arm.addOnce(p, weightDate)
				}
			}
		}
	}
	if asksWhen(req.Text) {
		arm := b.Arm(ArmTime)
		for _, term := range b.Words.QuestionTerms(timeWords, 0) {
			for pos := range b.Order.With(term.Text) {
				arm.addOnce(pos, weightTime)
			}
		}
	}
}

// asksWhen reports whether a question asks for a time.
func asksWhen(text string) bool {
	t, asked := tokensOf(text[:min(len(text), maxQuestion)]), false // asked: what or which comes before
	for i := range t {
		asked = asked || t.is(i, "what", "which")
		if t.is(i, "when", "wann") || asked && t.is(i, "date", "day", "month", "year") || t.are(i, "how", "long") {
			return true
		}
	}
	return false
}
