// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// wikiLink is [[target]] or [[target|label]].
type wikiLink struct {
	ast.BaseInline
	target, label string
}

// maxWiki is the longest wiki link in bytes. Each bracket is searched only so far for its end.
const maxWiki = 1 << 10

var kindWiki = ast.NewNodeKind("WikiLink")

func (*wikiLink) Kind() ast.NodeKind { return kindWiki }

func (n *wikiLink) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"target": n.target}, nil)
}

// wikiParser finds them, embedded ones (![[x]]) too, before Markdown's own links.
type wikiParser struct{}

func (wikiParser) Trigger() []byte { return []byte{'[', '!'} }

func (wikiParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("!")), []byte("[["))
	if !ok {
		return nil
	}
	inside, _, ok := bytes.Cut(rest[:min(len(rest), maxWiki)], []byte("]]"))
	if !ok || len(bytes.TrimSpace(inside)) == 0 || bytes.ContainsAny(inside, "[\n") {
		return nil
	}
	target, label, named := strings.Cut(string(inside), "|")
	if target = strings.TrimSuffix(target, `\`); !named {
		label = target
	}
	block.Advance(len(line) - len(rest) + len(inside) + 2)
	return &wikiLink{target: target, label: strings.TrimSpace(label)}
}
