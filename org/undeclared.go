// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea/internal/text"
)

// commonKeywords are upper-case words that are often TODO keywords and rarely start a
// title.
var commonKeywords = text.WordSet(`
	TODO NEXT NEXTACTION WAIT WAITING WAITINGFOR HOLD ONHOLD ON-HOLD ON_HOLD SOMEDAY MAYBE LATER
	STARTED STRT DOING ACTIVE ONGOING PENDING INPROGRESS IN-PROGRESS IN_PROGRESS BLOCKED STUCK DELEGATED DEFERRED
	POSTPONED SUSPENDED PAUSED REVIEW VERIFY FEEDBACK PROJ TOREAD TODAY APPT
` + commonDone)

// commonDone are the common keywords for finished work.
const commonDone = `
	DONE CLOSED FINISHED COMPLETED FIXED RESOLVED CANCELLED CANCELED CANX CNCL KILL ABORTED DROPPED ABANDONED REJECTED WONTFIX
`

// undeclaredKeyword returns the upper-case word at the start of headline i if it
// looks like an undeclared TODO keyword, else "". That is a common keyword, or any
// word if a priority follows, if the headline has a planning line, or if its log
// contains the word.
func (d *Document) undeclaredKeyword(i int) string {
	h := &d.Headlines[i]
	word := d.leadingCapitals(i)
	if word == "" {
		return ""
	}
	rest := trimBlanksLeft(h.Title[len(word):])
	if commonKeywords[word] || h.PlanningEnd > 0 || priorityCookie(rest) > 0 || strings.Contains(d.Source[h.TextEnd:h.SectionEnd], `- State "`+word+`"`) {
		return word
	}
	return ""
}

// leadingCapitals returns the first word of a headline without a keyword if more text
// follows and the word is upper case: at least three letters, possibly with digits, -
// or _ inside.
func (d *Document) leadingCapitals(i int) string {
	h := &d.Headlines[i]
	if h.Todo != "" || h.Commented {
		return ""
	}
	word, rest, _ := strings.Cut(h.Title, " ")
	if trimBlanks(rest) == "" {
		return ""
	}
	letters := 0
	for _, r := range word {
		switch {
		case unicode.IsUpper(r):
			letters++
		case letters == 0 || r != '-' && r != '_' && !unicode.IsDigit(r):
			return ""
		}
	}
	if last := rune(word[len(word)-1]); letters < 3 || last == '-' || last == '_' || unicode.IsDigit(last) {
		return ""
	}
	return word
}

// reportUndeclaredKeywords adds a diagnostic for each word that looks like an
// undeclared TODO keyword, at the first headline that starts with it. If a setup file
// is missing, which may declare the word, it adds none.
func (d *Document) reportUndeclaredKeywords() {
	if d.missingSetup {
		return
	}
	var words []string
	var first, times map[string]int
	for i := range d.Headlines {
		word := d.undeclaredKeyword(i)
		if word == "" {
			continue
		}
		if times == nil {
			first, times = map[string]int{}, map[string]int{}
		}
		if times[word]++; times[word] == 1 {
			words, first[word] = append(words, word), d.Headlines[i].Start
		}
	}
	for _, word := range words {
		more := ""
		if n := times[word] - 1; n > 0 {
			more = fmt.Sprintf(" here and in %d more", n)
		}
		d.addDiagnostic(first[word], "headline begins with "+word+more+", which is read as part of the title; if it is a TODO keyword, "+d.declarationHint(word))
	}
}

// declarationHint explains how to make a word a TODO keyword.
func (d *Document) declarationHint(word string) string {
	for _, k := range d.Settings {
		if isTodoKey(k.Key) && k.Start >= 0 {
			return "add it to the line #+" + k.Key + ": of the file"
		}
	}
	sequence := "TODO " + word + " | DONE"
	switch {
	case word == "TODO" || word == "DONE":
		sequence = "TODO | DONE"
	case text.WordSet(commonDone)[word]:
		sequence = "TODO | DONE " + word
	}
	return "declare it by a line #+TODO: " + sequence + " in the file, or by todo in [org] of the configuration"
}
