// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// A block is stored as a tree of one element: a node of this type, whose attribute holds the block as JSON,
// and whose content is Block.Content.
const (
	nodeType  = "memory-block"
	blockAttr = "BLOCK"
)

// windowType is the type of the nodes that record windows, see internal/minds. No window or search of an
// agent contains them.
const windowType = "memory-window"

// WindowID returns the id of the node that records a window of a session, numbered from 1.
func WindowID(number uint64) string { return windowType + ":" + strconv.FormatUint(number, 10) }

// WindowPath returns the path of the document that records a window of an agent.
func WindowPath(agent string, number uint64) string {
	return document.MemoryPath(windowType + ":" + agent + "/" + strconv.FormatUint(number, 10))
}

// WindowOf returns the agent and number of the window that a document records, 0 for other documents.
func WindowOf(path string) (agent string, number uint64) { return numbered(windowType, path) }

// feedbackType is the type of the nodes that hold feedback on what was shown, see internal/minds.
const feedbackType = "memory-feedback"

// FeedbackID returns the id of the node that holds an entry of feedback, numbered from 1.
func FeedbackID(number uint64) string { return feedbackType + ":" + strconv.FormatUint(number, 10) }

// FeedbackPath returns the path of the document of an entry of feedback by an agent, or by "owner".
func FeedbackPath(by string, number uint64) string {
	return document.MemoryPath(feedbackType + ":" + by + "/" + strconv.FormatUint(number, 10))
}

// FeedbackOf returns the author and number of the feedback that a document holds, 0 for other documents.
func FeedbackOf(path string) (by string, number uint64) { return numbered(feedbackType, path) }

// IsRecord reports whether a document records a window or feedback: no window, search or overlay has it.
func IsRecord(path string) bool {
	_, window := WindowOf(path)
	_, feedback := FeedbackOf(path)
	return window+feedback > 0
}

// numbered returns the name and the number at the end of the path of a document of a type.
func numbered(kind, path string) (name string, number uint64) {
	if rest, ok := strings.CutPrefix(path, document.MemoryPath(kind+":")); ok {
		name, n, _ := strings.Cut(rest, "/")
		if number, err := strconv.ParseUint(n, 10, 64); err == nil {
			return name, number
		}
	}
	return "", 0
}

// NodeID returns the id of the node that keeps a block of an agent, different for each block. No id may
// look like the path of an Org file, so the id gets one more # at its end if it would without its
// trailing ones.
func NodeID(agent, id string) string {
	if document.IsOrgPath(strings.TrimRight(id, "#")) {
		id += "#"
	}
	return nodeType + ":" + agent + "/" + id
}

// NodePath returns the path of the document whose root NodeID names.
func NodePath(agent, id string) string { return document.MemoryPath(NodeID(agent, id)) }

// IsNodeID reports whether an id names a node that keeps a block, a window or feedback.
func IsNodeID(id string) bool {
	return strings.HasPrefix(id, nodeType+":") || strings.HasPrefix(id, windowType+":") || strings.HasPrefix(id, feedbackType+":")
}

// AgentOf returns the agent whose block, window or feedback a document keeps, "owner" for feedback by the
// owner, and "" for other documents.
func AgentOf(path string) string {
	rest, ok := strings.CutPrefix(path, document.MemoryPath(nodeType+":"))
	if !ok {
		agent, _ := WindowOf(path)
		by, _ := FeedbackOf(path)
		return agent + by
	}
	agent, _, _ := strings.Cut(rest, "/")
	return agent
}

// Folder returns the agent whose folder contains a file, "" for none, and whether the file holds the
// orders of that agent.
func Folder(path string) (agent string, orders bool) {
	rest, ok := strings.CutPrefix(path, "agents/")
	agent, file, inside := strings.Cut(rest, "/")
	if !ok || !inside {
		return "", false
	}
	return agent, strings.HasPrefix(file, "ROM") && !strings.Contains(file, "/")
}

// Tree returns the tree of a complete block of an agent. The tree of an automatic block has neither title
// nor content, so that searches do not find mere actions.
func (b *Block) Tree(agent string) *ast.Tree {
	title, content := "", ""
	if !b.Automatic {
		title, content = b.Title(), b.Content()
	}
	t, err := Record(nodeType, NodeID(agent, b.ID), blockAttr, b, title, content)
	if err != nil {
		panic(err) // Complete has marshalled it
	}
	return t
}

// Record returns a tree of one element that holds a value as JSON in an attribute. An empty title or content
// is omitted.
func Record(kind, id, key string, value any, title, content string) (*ast.Tree, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	attrs := []document.Attr{{Key: "ID", Value: document.TextValue(id)}, {Key: key, Value: document.TextValue(string(text))}}
	if title != "" {
		attrs = append(attrs, document.Attr{Key: "TITLE", Value: document.TextValue(title)})
	}
	return &ast.Tree{Type: kind, Content: content, Bare: content == "", Attrs: document.Attributes(attrs...)}, nil
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
