// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"fmt"
	"strings"
)

// updateTodoCookies updates the statistics cookies that count TODO keywords above
// headline i: those of its parent, and those of further ancestors for which the
// inherited property COOKIE_DATA is recursive. It skips headlines whose own
// COOKIE_DATA is checkbox: their cookies count checkboxes. If excluded is set, the
// subtree of headline i does not count.
func (e *editor) updateTodoCookies(i int, excluded bool) {
	without := -1
	if excluded {
		without = i
	}
	parent := int(e.doc.Headlines[i].Parent)
	for p := parent; p >= 0; p = int(e.doc.Headlines[p].Parent) {
		data, _ := e.doc.Property(p, "COOKIE_DATA", false)
		inherited, _ := e.doc.Property(p, "COOKIE_DATA", true)
		recursive := strings.Contains(inherited, "recursive")
		if p != parent && !recursive {
			return
		}
		if !strings.Contains(data, "checkbox") {
			done, all := e.doc.countDone(p, recursive, without)
			e.setCookies(p, done, all)
		}
	}
}

// countDone returns how many children of headline i have a done keyword, and how many
// have any keyword; with recursive set it counts all descendants. It leaves out the
// subtree of headline excluded; -1 for none.
func (d *Document) countDone(i int, recursive bool, excluded int) (done, all int) {
	for k := i + 1; k < len(d.Headlines) && d.Headlines[k].Start < d.Headlines[i].End; k++ {
		h := &d.Headlines[k]
		if h.Todo == "" || !recursive && int(h.Parent) != i {
			continue
		}
		if excluded >= 0 && h.Start >= d.Headlines[excluded].Start && h.Start < d.Headlines[excluded].End {
			continue
		}
		all++
		if h.Done {
			done++
		}
	}
	return done, all
}

// setCookies writes the counts into the cookies of headline i. If they are correct
// already, the line and its tags stay unchanged.
func (e *editor) setCookies(i, done, all int) {
	p := e.doc.parts(i)
	line := e.doc.Source[p.title:p.titleEnd]
	if text := withCounts(line, done, all); text != line {
		e.replaceInLine(i, p.title, p.titleEnd, text)
	}
}

// mapCookies replaces each statistics cookie in text, such as [1/2] and [50%].
func mapCookies(text string, change func(cookie string) string) string {
	var b strings.Builder
	at := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '[' {
			continue
		}
		if n := cookieLength(text[i:]); n > 0 {
			b.WriteString(text[at:i] + change(text[i:i+n]))
			at = i + n
			i = at - 1
		}
	}
	return b.String() + text[at:]
}

// withCounts returns text with the counts in its cookies.
func withCounts(text string, done, all int) string {
	return mapCookies(text, func(cookie string) string {
		if strings.HasSuffix(cookie, "%]") {
			return fmt.Sprintf("[%d%%]", 100*done/max(all, 1))
		}
		return fmt.Sprintf("[%d/%d]", done, all)
	})
}

// WithoutCookies returns a title without its statistics cookies. If the title has a
// bracket, runs of blanks become one blank.
func WithoutCookies(title string) string {
	if strings.IndexByte(title, '[') < 0 {
		return title
	}
	return strings.Join(strings.Fields(mapCookies(title, func(string) string { return "" })), " ")
}
