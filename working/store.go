// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import (
	"encoding/json"
	"strings"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// A block is a tree of one element: a node of this type, whose attribute holds the block as
// JSON, and whose content is Block.Content.
const (
	nodeType  = "memory-block"
	blockAttr = "BLOCK"
)

// NodeID is the id of the node that keeps a block of an agent.
func NodeID(agent, id string) string { return nodeType + ":" + agent + "/" + id }

// IsNodeID reports whether an id is one of a node that keeps a block.
func IsNodeID(id string) bool { return strings.HasPrefix(id, nodeType+":") }

// PathPrefix begins the paths of the documents that keep the blocks of an agent, or with ""
// those of all agents.
func PathPrefix(agent string) string {
	prefix := document.MemoryPath(nodeType + ":")
	if agent != "" {
		prefix += agent + "/"
	}
	return prefix
}

// AgentOf is the agent whose block a document keeps, "" for any other document.
func AgentOf(path string) string {
	rest, ok := strings.CutPrefix(path, PathPrefix(""))
	if !ok {
		return ""
	}
	agent, _, _ := strings.Cut(rest, "/")
	return agent
}

// Tree returns the tree that keeps a complete block of an agent.
func (b *Block) Tree(agent string) *ast.Tree {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err) // Complete has marshalled it
	}
	content := b.Content()
	return &ast.Tree{
		Type: nodeType, Content: content, Bare: content == "",
		Attrs: document.Attributes(
			document.Attr{Key: "ID", Value: document.TextValue(NodeID(agent, b.ID))},
			document.Attr{Key: "TITLE", Value: document.TextValue(strings.ToValidUTF8(b.Title(), "\uFFFD"))},
			document.Attr{Key: blockAttr, Value: document.TextValue(string(text))},
		),
	}
}

// OfNode returns the block that a node keeps, and whether it keeps one. O(the block).
func OfNode(n *node.Node) (*Block, bool) {
	if n == nil || n.Type != nodeType || AgentOf(n.Path) == "" {
		return nil, false
	}
	var b Block
	text := document.Lookup(n.Attrs, blockAttr).String()
	if err := json.Unmarshal([]byte(text), &b); err != nil || b.Confidence == nil {
		return nil, false
	}
	return &b, true
}
