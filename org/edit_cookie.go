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
	if text := withCounts(line, done, all); text != "" && text != line {
		e.replace(p.title, p.titleEnd, text)
		e.alignTags(i)
	}
}

// withCounts returns text with the counts in its cookies, or "" if it has none.
func withCounts(text string, done, all int) string {
	var b strings.Builder
	at := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '[' {
			continue
		}
		n := cookieLength(text[i:])
		if n == 0 {
			continue
		}
		b.WriteString(text[at:i])
		if text[i+n-2] == '%' {
			fmt.Fprintf(&b, "[%d%%]", 100*done/max(all, 1))
		} else {
			fmt.Fprintf(&b, "[%d/%d]", done, all)
		}
		at = i + n
		i = at - 1
	}
	if at == 0 {
		return ""
	}
	b.WriteString(text[at:])
	return b.String()
}

// WithoutCookies returns a title without its statistics cookies, such as [1/2] and
// [50%]. If the title has a bracket, runs of blanks become one blank.
func WithoutCookies(title string) string {
	if strings.IndexByte(title, '[') < 0 {
		return title
	}
	var b strings.Builder
	for i := 0; i < len(title); {
		if title[i] == '[' {
			if n := cookieLength(title[i:]); n > 0 {
				i += n
				continue
			}
		}
		b.WriteByte(title[i])
		i++
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
