// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
)

// ArmLearned is the arm of Learned: what was learned from feedback on this memex.
const ArmLearned = "learned"

// FeatureNames are the features that learning weighs, in the order of the features of a node:
// the arms, and habits, which no arm uses because they differ between folders: text after a
// question is the answer in one chat and another question in the next. Stored features must be
// read with the version of this list, see FeatureVersion.
var FeatureNames = []string{
	ArmWords, ArmNeighbours, ArmDocument, ArmPeople, ArmDate, ArmTime, ArmLikes, ArmRules, ArmMeaning,
	"asks",    // it ends with a question
	"follows", // the node before ends with a question that has words of the request
	"before",  // words of the node before
	"after",   // words of the node after
	"length",
}

// FeatureVersion counts changes of FeatureNames.
const FeatureVersion = 1

// habits is the number of features that are not arms.
const habits = 5

// maxLearned is the number of best nodes whose text Learned reads.
const maxLearned = 200

// Learned corrects the order of the best nodes by what was learned. The nodes of a region
// exchange their scores among themselves, so that nodes of other regions keep their places:
// feedback on chats raises no chat above a diary.
type Learned struct{ Model Model }

// Rank implements Ranker.
func (l Learned) Rank(req *Request, b *Board) {
	if req.Text == "" {
		return
	}
	regions := map[string][]corrected{}
	for _, s := range b.top(req, maxLearned) {
		n, ok := b.State.Get(b.Order.ID(s.pos))
		if !ok {
			continue
		}
		region := RegionOf(n.Path)
		if w := l.Model.Of(region, b.kind(s.pos)); w != nil {
			regions[region] = append(regions[region], corrected{s, s.score + w.Of(b.features(s.pos, n))})
		}
	}
	arm := b.Arm(ArmLearned)
	for _, nodes := range regions {
		order := slices.Clone(nodes)
		slices.SortStableFunc(order, func(x, y corrected) int { return cmp.Compare(y.wanted, x.wanted) })
		for i, n := range order { // no further from its score than twice MaxGiven
			arm.Add(n.pos, nodes[i].score-n.score)
		}
	}
}

// corrected is a node with its score, and the score that the learned weights give it.
type corrected struct {
	total
	wanted float64
}

// regionMemory is the region of nodes without a file. No folder can have this name.
const regionMemory = "/memory"

// RegionOf returns the part of a memex that learns separately: the top folder of a path, ""
// for files outside folders.
func RegionOf(path string) string {
	if document.IsMemory(path) {
		return regionMemory
	}
	top, _, inside := strings.Cut(path, "/")
	if !inside {
		return ""
	}
	return top
}

// kind is a number that separates files of short notes from files of long ones.
func (b *Board) kind(pos uint32) float64 {
	file, _ := b.Order.Place(pos)
	return math.Log1p(b.Order.MeanLength(file))
}

// features returns the features of a node.
func (b *Board) features(pos uint32, n *node.Node) []float64 {
	f := make([]float64, len(FeatureNames))
	words := b.Arm(ArmWords).shares
	for _, a := range b.arms {
		if i := slices.Index(FeatureNames[:len(FeatureNames)-habits], a.Name); i >= 0 {
			f[i] = a.shares[pos]
		}
	}
	body := readableBody(n)
	h := f[len(f)-habits:]
	file, _ := b.Order.Place(pos)
	first, last := b.Order.Span(file)
	if asks(body) {
		h[0] = 1
	}
	if pos > first {
		if before, ok := b.State.Get(b.Order.ID(pos - 1)); ok && asks(readableBody(before)) {
			h[1] = min(1, 2*max(0, words[pos-1]))
		}
		h[2] = words[pos-1]
	}
	if pos < last {
		h[3] = words[pos+1]
	}
	h[4] = min(max(math.Log(float64(len(body)+20)/120)/2, -1), 1)
	return f
}

// readableBody returns the body of a node, "" if it is encrypted or no text.
func readableBody(n *node.Node) string {
	if n.Derived.Opaque || n.Derived.Encrypted {
		return ""
	}
	return n.Body()
}

// ending is the number of bytes at the end of a text that asks reads.
const ending = 160

// asks reports whether a text ends with a question: a word in its last line ends with a
// question mark.
func asks(text string) bool {
	text = strings.TrimRight(text[max(0, len(text)-ending):], " \t\r\n")
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return strings.HasSuffix(text, "?") || strings.Contains(text, "? ")
}

// Ranks returns the nodes that a search for text finds, best first, at most maxLearned, with their scores
// without the learned part and their features.
func (v View) Ranks(text string) []Rankable {
	b := v.board()
	defer b.release()
	req := Request{Text: text}
	for _, r := range v.Rankers {
		if _, learned := r.(Learned); !learned {
			r.Rank(&req, b)
		}
	}
	var out []Rankable
	for _, s := range b.top(&req, maxLearned) {
		if n, ok := b.State.Get(b.Order.ID(s.pos)); ok {
			out = append(out, Rankable{ID: n.ID, Region: RegionOf(n.Path), Kind: b.kind(s.pos), Score: s.score, Features: b.features(s.pos, n)})
		}
	}
	return out
}

// Rankable is a node that a search found, with what Learned uses of it.
type Rankable struct {
	ID, Region  string
	Kind, Score float64
	Features    []float64
}
