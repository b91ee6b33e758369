// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "strings"

// drawerOpen is the line that opens a property drawer, in any case.
const drawerOpen = ":PROPERTIES:"

// eachProse calls f for the pieces of a node's body that are indexed: all of it
// but property drawers, and of these the values. A drawer starts with a line
// :PROPERTIES:, goes on with lines ":KEY: value", and ends with :END: or before
// the first line of another form. Its frame, its keys and the line of the key ID
// are no words of the person who wrote the note. O(len(body)).
func eachProse(body string, f func(piece string)) {
	for {
		start, rest := findDrawer(body)
		f(body[:start])
		if start == len(body) {
			return
		}
		body = rest
		for body != "" {
			line, after, _ := strings.Cut(body, "\n")
			key, value, ok := property(line)
			if !ok {
				break
			}
			body = after
			if strings.EqualFold(key, "END") && value == "" {
				break
			}
			if !strings.EqualFold(key, "ID") {
				f(value)
			}
		}
	}
}

// findDrawer returns where the line of the first property drawer starts and the
// text after that line; the length of body and nothing where there is none.
func findDrawer(body string) (start int, rest string) {
	for at := 0; ; at++ {
		colon := strings.IndexByte(body[at:], ':')
		if colon < 0 {
			return len(body), ""
		}
		at += colon
		if len(body)-at < len(drawerOpen) || !strings.EqualFold(body[at:at+len(drawerOpen)], drawerOpen) {
			continue
		}
		start = strings.LastIndexByte(body[:at], '\n') + 1
		line, rest, _ := strings.Cut(body[at:], "\n")
		if isBlank(body[start:at]) && isBlank(line[len(drawerOpen):]) {
			return start, rest
		}
	}
}

// property splits a line ":KEY: value" of a drawer.
func property(line string) (key, value string, ok bool) {
	line = strings.TrimSpace(line)
	field, value := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		field, value = line[:i], line[i+1:]
	}
	if len(field) < 3 || field[0] != ':' || field[len(field)-1] != ':' {
		return "", "", false
	}
	return field[1 : len(field)-1], value, true
}

func isBlank(s string) bool { return strings.Trim(s, " \t\r") == "" }
