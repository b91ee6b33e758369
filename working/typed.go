// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import (
	"strconv"
	"strings"
)

// About returns the block with what it is about, as a person types it after the type: of a
// file, PATH, PATH:FIRST-LAST or PATH:FIRST- to the end; of ROM and knowledge, a path; of a task, its id and then
// words that describe it; of a status, its kind and a value; of history, an action and
// words on it; of a context, a summary. Words beyond that are ignored.
func (b Block) About(words ...string) Block {
	first, rest := "", ""
	if len(words) > 0 {
		first, rest = words[0], strings.Join(words[1:], " ")
	}
	switch b.Type {
	case File:
		b.Location, b.StartLine, b.EndLine = splitLines(first)
	case ROM, Knowledge:
		b.Location = first
	case Task:
		b.TaskID, b.Description = first, rest
	case Status:
		if b.StatusType = first; rest != "" {
			b.Value = rest
		}
	case History:
		b.ActionType, b.ActionDetail = first, rest
	case Context:
		b.Summary = strings.TrimSpace(first + " " + rest)
	}
	return b
}

// splitLines splits PATH:FIRST-LAST, PATH:FIRST- or PATH:LINE; any other name is a path. The last line
// of a range without an end is 0. A range that begins with line 0 stays one, which Complete refuses.
func splitLines(name string) (path string, first, last int) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return name, 0, 0
	}
	from, to, isRange := strings.Cut(name[i+1:], "-")
	if !isRange {
		to = from
	} else if to == "" {
		to = "0"
	}
	first, err := strconv.Atoi(from)
	last, lastErr := strconv.Atoi(to)
	if err != nil || lastErr != nil {
		return name, 0, 0
	}
	if first == 0 {
		last = max(last, 1)
	}
	return name[:i], first, last
}
