// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package travel

import (
	"context"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// MaxUnseen is the maximum number of bytes of unseen text that an answer or an error shows.
const MaxUnseen = 64 << 10

// maxSeen is the maximum number of nodes that are recorded as seen by a session.
const maxSeen = 4096

// Reader is the session of an agent. The session may replace text that it has seen or written, but no text of others
// that it has not been shown. A dropped record counts as never seen, so losing records can refuse a change but loses
// no text. It is safe for concurrent use.
type Reader struct {
	History *History // of the scope of the notes
	// Shown calls a function with the record of what the session was shown, and stores the returned one.
	Shown   func(func(*window.Shown) *window.Shown)
	By      author.Author // the agent
	Session string        // as in the commits of the session
}

// known calls a function with the recorded nodes of the session, with room for more nodes. If the
// record is full, it is emptied first: dropped nodes count as never seen.
func (r *Reader) known(more int, use func(nodes map[string]window.ShownNode)) {
	r.Shown(func(known *window.Shown) *window.Shown {
		if len(known.Nodes)+more > maxSeen || known.Nodes == nil {
			known = &window.Shown{Nodes: map[string]window.ShownNode{}}
		}
		use(known.Nodes)
		return known
	})
}

// Saw records that the session was shown the whole text of nodes, or wrote it.
func (r *Reader) Saw(nodes ...*node.Node) {
	nodes = nodes[:min(len(nodes), maxSeen)]
	r.known(len(nodes), func(known map[string]window.ShownNode) {
		for _, n := range nodes {
			known[n.ID] = window.ShownNode{Digest: n.Own}
		}
	})
}

// SawPage records that the session was shown the [text.Page] of a node's text at an offset, or all of the text if
// size is 0. The last of consecutive pages marks the whole text as seen.
func (r *Reader) SawPage(n *node.Node, offset, size int) {
	shown := strings.TrimSuffix(strings.ToValidUTF8(n.Content, "\uFFFD"), "\n") + "\n" // as in pages
	if size == 0 {
		offset, size = 0, len(shown)
	}
	r.known(2, func(known map[string]window.ShownNode) {
		row := n.ID + "\n" // cannot be an id; its Heading is the offset of the next page
		if before := known[row]; offset != 0 && (before.Digest != n.Own || before.Heading != uint64(offset)) {
			return
		}
		end := offset + len(text.Page(shown[offset:], max(size, 0)))
		if known[row] = (window.ShownNode{Digest: n.Own, Heading: uint64(end)}); end == len(shown) {
			known[n.ID] = window.ShownNode{Digest: n.Own}
		}
	})
}

// Seen returns the own digest of the last text of a node that the session saw as a whole, zero for none.
func (r *Reader) Seen(id string) (digest merkle.Digest) {
	r.known(0, func(known map[string]window.ShownNode) { digest = known[id].Digest })
	return digest
}

// wrote reports whether the session made a commit.
func (r *Reader) wrote(c *chain.Commit) bool { return c.Author == r.By && c.Session == r.Session }

// Unseen returns the lines of a node that others wrote and the session has not seen, each with the
// prefix "+", and lines that it saw but that are gone, with "-". saw reports whether it has seen any
// version. It costs nothing for the text that the session saw last, else a read for each version.
// For encrypted text it returns only the number of lines.
func (r *Reader) Unseen(ctx context.Context, n *node.Node) (lines []string, saw bool, err error) {
	digest := r.Seen(n.ID)
	if digest == n.Own {
		return nil, true, nil
	}
	var before []string
	if old, err := r.History.Version(ctx, n.ID, digest); err == nil && !digest.IsZero() {
		before, saw = text.SplitLines(old.Content), true
	}
	now, by, _, err := r.History.Blame(ctx, nil, n.ID)
	for _, h := range text.Diff(before, now) {
		for _, line := range before[h.Start:h.End] {
			lines = appendLine(lines, "-", line)
		}
		for i := h.NewStart; i < h.NewEnd; i++ {
			if !r.wrote(&by[i]) {
				lines = appendLine(lines, "+", now[i])
			}
		}
	}
	if len(lines) > 0 && recall.Readable(n) != n.Content {
		lines = []string{fmt.Sprintf("%d lines that are encrypted; read %s by its id to see them", len(lines), n.ID)}
	}
	return lines, saw, err
}

// appendLine appends a line, unless it is blank.
func appendLine(lines []string, mark, line string) []string {
	if line = strings.TrimSpace(strings.ToValidUTF8(line, "\uFFFD")); line != "" && line != ":PROPERTIES:" && line != ":END:" {
		lines = append(lines, mark+line)
	}
	return lines
}

// RequireSeen returns an error for replacing or removing the text of a node, with all below it if op includes
// that, if others wrote parts of it that the session has not seen. The error shows the text, which then counts
// as seen, unless it is encrypted. v is what the agent may read. Text that only moves need not have been seen.
func (r *Reader) RequireSeen(ctx context.Context, v *view.View, op string, top *node.Node) error {
	var lines []string
	var theirs strings.Builder
	var whole []*node.Node
	for rest := []*node.Node{top}; len(rest) > 0 && theirs.Len() <= MaxUnseen; rest = rest[1:] {
		n := rest[0]
		for _, id := range n.Kids {
			if kid, ok := v.Get(id); ok && op != "edit" && op != "resolve" {
				rest = append(rest, kid)
			}
		}
		unseen, saw, err := r.Unseen(ctx, n)
		if err != nil {
			return err
		}
		if len(unseen) == 0 || !saw && n != top && op != "forget" {
			continue
		}
		lines = append(lines, unseen...)
		if recall.Readable(n) != n.Content {
			continue
		}
		theirs.WriteString(strings.TrimRight(strings.ToValidUTF8(n.Content, "\uFFFD"), "\n") + "\n")
		if theirs.Len() <= MaxUnseen {
			whole = append(whole, n)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	r.Saw(whole...)
	const named, clipped = 8, 200
	for i, line := range lines[:min(named, len(lines))] {
		lines[i] = text.Page(line, clipped)
	}
	return &fault.Error{Op: op, What: top.ID, Kind: fault.Conflict, Theirs: theirs.String(), Err: fmt.Errorf(
		"nothing was changed, because others changed %d lines of it that this session has not seen: %q; take them into account and change it again",
		len(lines), lines[:min(named, len(lines))])}
}
