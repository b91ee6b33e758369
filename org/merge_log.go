// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
)

// bodyLog is the log at the beginning of a body, and the rest of the body.
type bodyLog struct {
	text, rest string
	pieces     []logPiece // of text
}

// logPiece is a log line with its note, a clock, or another line of a log.
type logPiece struct {
	text   string    // whole lines
	drawer string    // around it, "" for none; also of the line that opens the drawer
	entry  bool      // a log line or a clock
	frame  bool      // a blank line, or the first or last one of a drawer
	time   time.Time // of an entry
}

// cutLog splits a body after its log. A text that is not all body has no log.
func cutLog(body string) bodyLog {
	const head = "* \n"
	doc := Parse(head+body, nil)
	if h := &doc.Headlines[0]; h.metadataEnd() > len(head) || h.SectionEnd < len(doc.Source) {
		return bodyLog{rest: body}
	}
	src, at, end := doc.Source, len(head), doc.logEnd(0, len(head))
	pieces, _ := logPieces(src, span{at, end}, doc.logSpans(0, at, true))
	return bodyLog{src[at:end], src[end:], pieces}
}

// logPieces returns the pieces of a part of a log, and the entries behind it.
func logPieces(src string, part span, entries []span) (pieces []logPiece, behind []span) {
	drawer := ""
	for at := part.start; at < part.end; {
		s := span{part.end, part.end}
		if len(entries) > 0 && entries[0].start < part.end {
			s, entries = entries[0], entries[1:]
			s.end = min(s.end, part.end)
		}
		for l := range linesOf(src, at, s.start) {
			line := trimBlanks(l.text(src))
			ends := strings.EqualFold(line, drawerClose)
			frame := line == "" || drawer == "" || ends
			if ends {
				drawer = ""
			} else if drawer == "" {
				drawer = drawerName(line)
			}
			pieces = append(pieces, logPiece{text: src[l.start:l.next], drawer: drawer, frame: frame})
		}
		if at = s.end; s.start < s.end {
			stamp, _ := ParseTimestamp(lastStamp(lineAt(src, s.start, s.end).text(src)))
			pieces = append(pieces, logPiece{text: src[s.start:s.end], drawer: drawer, entry: true, time: stamp.Start})
		}
	}
	return pieces, entries
}

// mergeLogs merges two versions of a log as sets of entries: removals and additions of
// both sides count. The other lines are those of a side that has them, others. The result
// does not depend on which side is which.
func mergeLogs(base, won, lost bodyLog, others string) string {
	return document.Pick(base.text, won.text, lost.text, func() string {
		a, b := won, lost
		if cmp.Or(cmp.Compare(len(a.text), len(b.text)), cmp.Compare(a.text, b.text)) < 0 {
			a, b = b, a
		}
		if a.others() != others {
			a, b = b, a
		}
		had, inA, inB := base.entries(), a.entries(), b.entries()
		newestFirst := a.descents()+b.descents() >= 0
		out := slices.DeleteFunc(slices.Clone(a.pieces), func(p logPiece) bool {
			key := wholeLines(p.text)
			return p.entry && had[key] && !inB[key]
		})
		added := slices.Clone(b.pieces)
		slices.SortFunc(added, func(p, q logPiece) int { return cmp.Or(p.time.Compare(q.time), cmp.Compare(p.text, q.text)) })
		for _, p := range added {
			if key := wholeLines(p.text); p.entry && !had[key] && !inA[key] {
				inA[key] = true
				p.text = withLineEnds(key, lineEnd(a.text))
				out = insertEntry(out, p, newestFirst)
			}
		}
		var text strings.Builder
		for _, p := range out {
			text.WriteString(p.text)
			if !strings.HasSuffix(p.text, "\n") {
				text.WriteString("\n")
			}
		}
		return text.String()
	})
}

// entries returns the texts of all entries.
func (log bodyLog) entries() map[string]bool {
	texts := map[string]bool{}
	for _, p := range log.pieces {
		if p.entry {
			texts[wholeLines(p.text)] = true
		}
	}
	return texts
}

// key returns the words of a piece, by which it is known however it is indented.
func (p logPiece) key() string { return strings.Join(strings.Fields(p.text), " ") }

// others returns the lines that are neither entries nor about them, without their ends.
func (log bodyLog) others() string {
	var text strings.Builder
	for _, p := range log.pieces {
		if !p.entry && !p.frame {
			text.WriteString(p.key() + "\n")
		}
	}
	return text.String()
}

// descents returns how many entries are earlier than the one before them in their drawer,
// less those that are later.
func (log bodyLog) descents() (n int) {
	for i, p := range log.pieces[min(1, len(log.pieces)):] {
		if above := log.pieces[i]; p.entry && above.entry && p.drawer == above.drawer {
			n += above.time.Compare(p.time)
		}
	}
	return n
}

// insertEntry inserts an entry among those of its drawer by its time. A drawer that is
// missing comes last.
func insertEntry(pieces []logPiece, e logPiece, newestFirst bool) []logPiece {
	at, above := -1, -1
	for i, p := range pieces {
		switch order := p.time.Compare(e.time); {
		case !strings.EqualFold(p.drawer, e.drawer), e.drawer == "" && !p.entry:
		case at < 0 && p.entry && (newestFirst && order < 0 || !newestFirst && order > 0):
			at = i
		case p.entry || above < 0:
			above = i
		}
	}
	switch {
	case at >= 0:
		return slices.Insert(pieces, at, e)
	case above >= 0:
		return slices.Insert(pieces, above+1, e)
	case e.drawer == "":
		return append(pieces, e)
	}
	end := lineEnd(e.text)
	return append(pieces, logPiece{text: ":" + e.drawer + ":" + end, drawer: e.drawer}, e, logPiece{text: drawerClose + end})
}
