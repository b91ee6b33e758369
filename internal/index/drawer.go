// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import "strings"

// drawerOpen is the first line of a property drawer, in any case.
const drawerOpen = ":PROPERTIES:"

// eachProse calls f for each piece of a node's body that is indexed: all text outside
// property drawers and the values inside them. A drawer starts with a line
// :PROPERTIES:, continues with lines ":KEY: value" and ends with :END: or before the
// first line of another form. Its frame, its keys and the line of the key ID are not
// the author's words and are left out. O(len(body)).
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

// findDrawer returns the offset of the line that starts the first property drawer and
// the text after that line, or len(body) and "" if there is none.
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

// property parses a line ":KEY: value" of a drawer.
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
