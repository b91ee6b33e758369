// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/text"
)

// maxChildren is how many children are named; a document can have thousands.
const maxChildren = 50

// maxBacklinks is how many of the notes that link to one are named.
const maxBacklinks = 10

func readTool(ctx context.Context, svc api.Service, req api.ShowRequest, _ extra) (reply, error) {
	req.Page = maxText
	n, err := api.OpShow.Call(ctx, svc, req)
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	b.WriteString(n.Content)
	if !strings.HasSuffix(n.Content, "\n") {
		b.WriteByte('\n')
	}
	if err := writeChildren(ctx, svc, &b, n, req.At == ""); err != nil {
		return reply{}, err
	}
	writeNotes(&b, "Links to it", n.Backlinks[:min(maxBacklinks, len(n.Backlinks))], n.BacklinkCount)
	all := legible(b.String())
	if req.Offset < 0 || req.Offset > len(all) || req.Offset < len(all) && !utf8.RuneStart(all[req.Offset]) {
		return reply{}, misuse(fmt.Sprintf("offset must be a boundary between characters within the %d bytes", len(all)))
	}
	out, end := facts(n)+fenced(all[req.Offset:]), req.Offset+len(text.Page(all[req.Offset:], maxText))
	if end < len(all) {
		out += fmt.Sprintf("Read on with offset %d.\n", end)
	}
	return reply{text: out}, nil
}

// facts are the lines about a note that do not come out of its text. Names and
// paths may hold anything, so all are quoted where they could begin a line.
func facts(n *api.Shown) string {
	var b strings.Builder
	fmt.Fprintf(&b, "id: %q\nhandle: %q\ndigest: %s\nplace: %q line %d\n", n.ID, n.Handle, n.Digest, n.Path, n.Line)
	if n.Parent != "" {
		fmt.Fprintf(&b, "parent: %q\n", n.Parent)
	}
	if n.Doubled != "" {
		fmt.Fprintf(&b, "doubled: %q\n", n.Doubled)
	}
	if tags, ok := n.Attributes["ALLTAGS"]; ok {
		fmt.Fprintf(&b, "tags, inherited ones too: %q\n", tags)
	}
	for _, key := range slices.Sorted(maps.Keys(n.Attributes)) {
		switch key {
		case "SCHEDULED", "DEADLINE", "CLOSED":
			fmt.Fprintf(&b, "%s: %q\n", strings.ToLower(key), n.Attributes[key])
		}
	}
	return b.String()
}

// writeChildren names the notes right below one: by title as they are now, of the past
// by id alone.
func writeChildren(ctx context.Context, svc api.Service, b *strings.Builder, n *api.Shown, now bool) error {
	below := make([]api.Node, min(maxChildren, len(n.Children)))
	for i := range below {
		below[i].ID = n.Children[i]
	}
	if now && len(below) > 0 {
		nodes, err := api.OpQuery.Call(ctx, svc, api.QueryRequest{Query: "parent:(id:" + quoted(n.ID) + ")", Limit: maxChildren})
		if err != nil {
			return err
		}
		for i := range below {
			if at := slices.IndexFunc(nodes, func(k api.Node) bool { return k.ID == below[i].ID }); at >= 0 {
				below[i] = nodes[at]
			}
		}
	}
	writeNotes(b, "Below it", below, len(n.Children))
	return nil
}

// writeNotes names the first of some notes, if there are any.
func writeNotes(b *strings.Builder, what string, first []api.Node, all int) {
	if all == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s (%d):\n", what, all)
	for i := range first {
		title := ""
		if first[i].Handle != "" { // else the id alone is known
			title = headline(&first[i])
		}
		fmt.Fprintf(b, "- %s  id %s\n", title, cmp.Or(first[i].Handle, first[i].ID))
	}
	if rest := all - len(first); rest > 0 {
		fmt.Fprintf(b, "- and %d more\n", rest)
	}
}

// quoted is a text as a word of the query language.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
