// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"slices"
	"strings"
	"sync"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/window/render"
	"github.com/fovea-memory/fovea/working"
)

// block holds the nodes of one document of an outline. Nodes are numbered within the
// block. It is immutable, so outlines of several states share it.
type block struct {
	path         string
	foldedPath   string // path in lower case
	ordered      string // the agent whose orders the document holds, "" for none
	nodes        []nodeInfo
	links        []link
	projects     []int32
	priorClasses []priorClass
	visible      int      // number of nodes that are not hidden
	missing      []string // ids of children that have no item
	working      *Working // set for a block of working memory, which is one node

	indexing  sync.Once
	positions map[string]int32 // by id, in a large block; built on first use
}

// nodeInfo is the outline's record of a node: enough to rank it and to estimate its
// cost. The source supplies the rest for the few nodes that may be shown.
type nodeInfo struct {
	id         string
	agent      string
	digest     merkle.Digest
	parent     int32 // -1 for a document
	last       int32 // the last node of the subtree
	depth      int32 // 0 for a document
	titleBytes int32 // bytes
	bodyBytes  int32 // bytes
	extraBytes int32 // bytes of planning and properties
	day        int32 // see origin
	flags      flag
}

// link is a link from a node, identified by its target.
type link struct {
	key    uint64 // see linkKey
	node   int32
	target string
}

// priorClass groups the visible nodes of a block that share a prior. Without evidence the topmost
// of them ranks first, so the class has its depth.
type priorClass struct {
	prior    float64
	minDepth int32
}

// flag is a set of facts about a node.
type flag uint8

const (
	hidden     flag = 1 << iota // itself or an ancestor
	active                      // has a keyword that is not terminal
	done                        // has a terminal keyword
	linksTo                     // links to the focus
	linkedFrom                  // the focus links to it
	onPath                      // the focus or an ancestor of it
	requested                   // a requested project
	labelled                    // many nodes share its title, which means nothing without the body
)

func (b *nodeInfo) has(f flag) bool { return b.flags&f != 0 }

// newBlock reads a document and its subtree. It returns nil if the document has no
// item.
func newBlock(src Source, id string) *block {
	b := &block{}
	titled := map[string][]int32{} // nodes by title
	b.addSubtree(src, id, -1, titled)
	if len(b.nodes) == 0 {
		return nil
	}
	b.foldedPath = strings.ToLower(b.path)
	if agent, orders := working.Folder(b.path); orders {
		b.ordered = agent
	}
	b.markLabels(titled)
	b.countVisible()
	return b
}

// minLabelled is the number of nodes in a document from which their common title counts as a label,
// such as the name of a speaker.
const minLabelled = 8

// markLabels marks the nodes whose titles are labels, if they have a body and no children. titled
// holds the nodes by title.
func (b *block) markLabels(titled map[string][]int32) {
	for _, nodes := range titled {
		for _, i := range nodes {
			if n := &b.nodes[i]; len(nodes) >= minLabelled && n.last == i && n.bodyBytes > 0 {
				n.flags |= labelled
			}
		}
	}
}

// addSubtree adds id and its subtree, and each node to titled. It recurses to the depth of the document.
func (b *block) addSubtree(src Source, id string, parent int32, titled map[string][]int32) {
	index := int32(len(b.nodes))
	item, ok := src.Item(id)
	if !ok {
		if parent >= 0 {
			b.missing = append(b.missing, id)
		}
		return
	}
	if index == 0 {
		b.path, b.working = item.Path, item.Working
	}
	b.nodes = append(b.nodes, b.summarize(&item, parent))
	for _, target := range item.Links {
		b.links = append(b.links, link{linkKey(resolveTarget(target, b.path)), index, target})
	}
	if item.Project {
		b.projects = append(b.projects, index)
	}
	titled[item.Title] = append(titled[item.Title], index)
	for _, child := range src.Children(id) {
		if src.Parent(child) == id {
			b.addSubtree(src, child, index, titled)
		} else if _, ok := src.Item(child); !ok {
			b.missing = append(b.missing, child)
		}
	}
	b.nodes[index].last = int32(len(b.nodes)) - 1
}

// summarize returns the nodeInfo of an item.
func (b *block) summarize(item *Item, parent int32) nodeInfo {
	n := nodeInfo{
		id: item.ID, agent: item.Agent, digest: item.Digest, parent: parent, day: dayOf(item.Date),
		titleBytes: int32(min(len(item.Title), render.MaxTitleBytes)), bodyBytes: int32(min(len(item.Body), 1<<30)),
	}
	if parent >= 0 {
		parentInfo := &b.nodes[parent]
		n.depth = parentInfo.depth + 1
		n.flags = parentInfo.flags & hidden
	}
	if item.Hidden {
		n.flags |= hidden
	}
	if item.Working != nil && item.Working.Deferred {
		n.bodyBytes = int32(min(item.Working.Size, 1<<30))
	}
	switch {
	case item.Done:
		n.flags |= done
	case item.Todo != "":
		n.flags |= active
	}
	for _, p := range item.Properties {
		if render.IsInformative(item, p[0], p[1]) {
			n.extraBytes += int32(len(p[0]) + min(len(p[1]), render.MaxFact))
		}
	}
	for _, p := range item.Planning {
		n.extraBytes += int32(min(len(p), 1<<10))
	}
	return n
}

// countVisible counts the visible nodes and records the topmost one of each prior.
func (b *block) countVisible() {
	for i := range b.nodes {
		if n := &b.nodes[i]; !n.has(hidden) {
			b.visible++
			b.priorClasses = mergeClass(b.priorClasses, priorClass{prior(n), n.depth})
		}
	}
}

// mergeClass adds c to classes, which hold one class for each prior.
func mergeClass(classes []priorClass, c priorClass) []priorClass {
	i := slices.IndexFunc(classes, func(o priorClass) bool { return o.prior == c.prior })
	if i < 0 {
		return append(classes, c)
	}
	classes[i].minDepth = min(classes[i].minDepth, c.minDepth)
	return classes
}

// find returns the index of the node with an id.
func (b *block) find(id string) (int32, bool) {
	const maxScan = 32
	if len(b.nodes) <= maxScan {
		index := slices.IndexFunc(b.nodes, func(n nodeInfo) bool { return n.id == id })
		return int32(index), index >= 0
	}
	b.indexing.Do(func() {
		b.positions = make(map[string]int32, len(b.nodes))
		for i := range b.nodes {
			b.positions[b.nodes[i].id] = int32(i)
		}
	})
	index, ok := b.positions[id]
	return index, ok
}
