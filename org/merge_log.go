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
	pieces     []logPiece // the pieces of text
	words      string     // the keys of pieces that are not entries
}

// logPiece is a log line with its note, a clock, or another line of a log.
type logPiece struct {
	text   string    // whole lines
	key    string    // the words of text; "" for a blank line, and the first and last line of a drawer
	drawer string    // the drawer around it, "" for none; also for the line that opens the drawer
	entry  bool      // a log line or a clock
	time   time.Time // the time of an entry
}

// cutLog splits a body after its log. A text that is more than a body has no log.
func cutLog(body string) bodyLog {
	const head = "* \n"
	doc := Parse(head+body, nil)
	if h := &doc.Headlines[0]; h.metadataEnd() > len(head) || h.SectionEnd < len(doc.Source) {
		return bodyLog{rest: body}
	}
	src, at, end := doc.Source, len(head), doc.logEnd(0, len(head))
	log := bodyLog{text: src[at:end], rest: src[end:]}
	log.pieces, _ = logPieces(src, span{at, end}, doc.logSpans(0, at, true))
	var words []string
	for _, p := range log.pieces {
		if !p.entry && p.key != "" {
			words = append(words, p.key)
		}
	}
	log.words = strings.Join(words, "\n")
	return log
}

// logPieces returns the pieces of a part of a log, and the entries after that part.
func logPieces(src string, part span, entries []span) (pieces []logPiece, behind []span) {
	drawer := ""
	for at := part.start; at < part.end; {
		s := span{part.end, part.end}
		if len(entries) > 0 && entries[0].start < part.end {
			s, entries = span{entries[0].start, min(entries[0].end, part.end)}, entries[1:]
		}
		for l := range linesOf(src, at, s.start) {
			key := strings.Join(strings.Fields(l.text(src)), " ")
			if strings.EqualFold(key, drawerClose) {
				key, drawer = "", ""
			} else if drawer == "" {
				key, drawer = "", drawerName(key)
			}
			pieces = append(pieces, logPiece{text: src[l.start:l.next], key: key, drawer: drawer})
		}
		if at = s.end; s.start < s.end {
			text := src[s.start:s.end]
			stamp, _ := ParseTimestamp(lastStamp(lineAt(text, 0, len(text)).text(text)))
			pieces = append(pieces, logPiece{text, strings.Join(strings.Fields(text), " "), drawer, true, stamp.Start})
		}
	}
	return pieces, entries
}

// mergeLogs merges two versions of a log as sets of entries, with the removals and additions
// of both sides. Other lines are those of the side that changed them. The merge is symmetric.
func mergeLogs(base, won, lost bodyLog) string {
	return document.Pick(base.text, won.text, lost.text, func() string {
		a, b := won, lost
		if cmp.Or(cmp.Compare(len(a.text), len(b.text)), cmp.Compare(a.text, b.text)) < 0 {
			a, b = b, a
		}
		if b.words != base.words {
			a, b = b, a
		}
		had, inA, inB := base.entries(), a.entries(), b.entries()
		newestFirst := a.descents()+b.descents() >= 0
		out := slices.DeleteFunc(slices.Clone(a.pieces), func(p logPiece) bool {
			return p.entry && had[p.key] && !inB[p.key]
		})
		added := slices.Clone(b.pieces)
		slices.SortFunc(added, func(p, q logPiece) int { return cmp.Or(p.time.Compare(q.time), cmp.Compare(p.text, q.text)) })
		for _, p := range added {
			if p.entry && !had[p.key] && !inA[p.key] {
				inA[p.key] = true
				p.text = withLineEnds(wholeLines(p.text), lineEnd(a.text))
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

// entries returns the words of all entries.
func (log bodyLog) entries() map[string]bool {
	texts := map[string]bool{}
	for _, p := range log.pieces {
		texts[p.key] = p.entry
	}
	return texts
}

// descents returns the number of entries that are earlier than the previous entry of their
// drawer, minus the number of entries that are later.
func (log bodyLog) descents() (n int) {
	for i, p := range log.pieces[min(1, len(log.pieces)):] {
		if above := log.pieces[i]; p.entry && above.entry && p.drawer == above.drawer {
			n += above.time.Compare(p.time)
		}
	}
	return n
}

// insertEntry inserts an entry in its drawer, by time. A missing drawer is added at the end.
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
