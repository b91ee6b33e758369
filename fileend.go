// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"strings"
	"time"

	"github.com/fovea-memory/fovea/org"
)

// fileEnd is an Org file that headlines are added to at its end. An edit reads its
// document several times over, so it gets only what it looks at: the text before the
// first headline and the last two headlines of the top level with all below them.
type fileEnd struct {
	first   string // the text before the first headline
	middle  string // what is left out
	doc     *org.Document
	reading *org.Options
	whole   bool // nothing is left out
	appends bool // the last headline went behind everything else
}

func endOf(doc *org.Document, reading *org.Options) *fileEnd {
	e := &fileEnd{doc: doc, reading: reading}
	for _, k := range doc.Keywords {
		if k.Start >= doc.SectionEnd {
			e.whole = true // a setting in the midst of the file may be about its end
		}
	}
	e.leaveOut()
	return e
}

// leaveOut moves all but the last two headlines of the top level into the middle.
func (e *fileEnd) leaveOut() {
	if e.whole {
		return
	}
	if e.middle == "" {
		e.first = e.doc.Source[:e.doc.SectionEnd]
	}
	tops, start := 0, 0
	for i := len(e.doc.Headlines) - 1; i >= 0 && tops < 2; i-- {
		if h := &e.doc.Headlines[i]; h.Parent < 0 {
			tops, start = tops+1, h.Start
		}
	}
	if tops < 2 || start <= len(e.first) {
		return
	}
	src := e.doc.Source
	e.middle += src[len(e.first):start]
	e.doc = org.Parse(e.first+src[start:], e.reading)
}

// insert adds a headline. After an error nothing has changed.
func (e *fileEnd) insert(now time.Time, h org.InsertHeadline) error {
	splices, err := e.doc.Edit(-1, now, h)
	if err != nil {
		return err
	}
	text, err := org.ApplySplices(e.doc.Source, splices)
	if err != nil {
		return err
	}
	e.appends = strings.HasPrefix(text, e.doc.Source)
	e.doc = org.Parse(text, e.reading)
	e.leaveOut()
	return nil
}

// text returns what the file is to hold.
func (e *fileEnd) text() string {
	if e.middle == "" {
		return e.doc.Source
	}
	return e.first + e.middle + e.doc.Source[len(e.first):]
}
