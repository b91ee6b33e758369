// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/node"
)

// ArmLearned is the arm of Learned: what feedback has taught of this memex.
const ArmLearned = "learned"

// FeatureNames are what feedback can give a weight, in the order of the features of a node:
// the arms, and habits, which no arm counts because they differ from folder to folder. A
// question that follows a question is the answer in one chat, and the user who asks on in
// another. Kept features must be read with the version of this list, see FeatureVersion.
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

// habits is how many of the features are no arms.
const habits = 5

// maxLearned is the number of best nodes that Learned looks at; no other text is read.
const maxLearned = 200

// Learned corrects the order of the best nodes by what feedback has taught. The nodes of a
// region exchange their scores among themselves, so that nodes of other regions keep their
// places: feedback on chats raises no chat above a diary.
type Learned struct{ Model Model }

// Rank implements Ranker.
func (l Learned) Rank(req *Request, b *Board) {
	if req.Text == "" {
		return
	}
	regions := map[string][]corrected{}
	for _, pos := range b.leading(req) {
		n, ok := b.State.Get(b.Order.ID(pos))
		if !ok {
			continue
		}
		region := RegionOf(n.Path)
		if w := l.Model.Of(region, b.kind(pos)); w != nil {
			score := b.Sum(pos)
			regions[region] = append(regions[region], corrected{pos, score, score + w.Of(b.features(pos, n))})
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

// corrected is a node with the score that it has, and the one that it would get.
type corrected struct {
	pos           uint32
	score, wanted float64
}

// regionMemory is the region of nodes in no file; no folder has the name.
const regionMemory = "/memory"

// RegionOf names the part of a memex that learns by itself: the top folder of a path, "" for
// the files beside the folders.
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

// kind tells files of short notes from files of long ones.
func (b *Board) kind(pos uint32) float64 {
	file, _ := b.Order.Place(pos)
	return math.Log1p(b.Order.MeanLength(file))
}

// leading returns the nodes with the best sums so far, best first, at most maxLearned.
func (b *Board) leading(req *Request) []uint32 {
	worse := func(x, y uint32) bool {
		p, q := b.Sum(x), b.Sum(y)
		return p < q || p == q && x > y
	}
	top := bound.NewTop(min(maxLearned, len(b.touched)), worse, nil)
	for _, pos := range b.touched {
		if b.Sum(pos) > 0 && top.Accepts(pos) && (req.Keep == nil || req.Keep(b.Order.ID(pos))) {
			top.Add(pos)
		}
	}
	return top.Sorted()
}

// features returns the features of a node.
func (b *Board) features(pos uint32, n *node.Node) []float64 {
	f := make([]float64, len(FeatureNames))
	var words *Arm
	for _, a := range b.arms {
		if i := slices.Index(FeatureNames[:len(FeatureNames)-habits], a.Name); i >= 0 {
			f[i] = a.shares[pos]
		}
		if a.Name == ArmWords {
			words = a
		}
	}
	share := func(at uint32) float64 {
		if words == nil {
			return 0
		}
		return words.shares[at]
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
			h[1] = min(1, 2*max(0, share(pos-1)))
		}
		h[2] = share(pos - 1)
	}
	if pos < last {
		h[3] = share(pos + 1)
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

// ending is how much of a text is looked at for how it ends, in bytes.
const ending = 160

// asks reports whether a text ends with a question: a question mark stands at the end of a
// word in its last line.
func asks(text string) bool {
	text = strings.TrimRight(text[max(0, len(text)-ending):], " \t\r\n")
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return strings.HasSuffix(text, "?") || strings.Contains(text, "? ")
}

// Ranks returns, for the nodes that a request finds, their places in the order of the request, their scores
// without the learned part, and their features; at most maxLearned, best first.
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
	for _, pos := range b.leading(&req) {
		if n, ok := b.State.Get(b.Order.ID(pos)); ok {
			out = append(out, Rankable{ID: n.ID, Region: RegionOf(n.Path), Kind: b.kind(pos), Score: b.Sum(pos), Features: b.features(pos, n)})
		}
	}
	return out
}

// Rankable is what Learned knows of a node that a request finds.
type Rankable struct {
	ID, Region  string
	Kind, Score float64
	Features    []float64
}
