// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"crypto/sha256"

	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/window/render"
)

// plan is the state of building one window: the candidates, how each is rendered, and the
// selection that spends the budget on them.
type plan struct {
	src         Source
	tree        *tree
	req         *Request
	query       map[string]bool // words of the question and the task
	question    *index.Matcher  // terms of the question and the task
	reasonWords map[string]bool // query, or the words of the focus's title if it is empty; set on first use

	runs     map[run]int // the candidate that pays for the day of a run
	projects []ref       // visible ones
	scale    float64     // the fused score that is reported as 1

	renderer render.Renderer
	costs    costs
	sel      *choose.Selection
	agents   map[string]int32

	focus       int               // candidate, -1 if there is none
	critical    []int             // candidates that are critical blocks
	focusReason string            // reason reported for the focus
	beginnings  map[int]beginning // of the critical blocks, nil until they are needed
	wholeBudget int               // the budget for whole critical blocks if the window shows less of them; else 0
	pinned      []int
	scanned     int      // bytes that snippets were taken from
	later       []int    // background blocks
	corrections []int    // candidates that were corrected since the session saw them
	gone        []string // ids of nodes that the session saw and that are gone
	goneNames   []string // the names it saw them under
	remark      string   // lists the nodes that are gone
	omitted     int
	omittedTop  []Omitted
	bound       float64
	*scratch
}

// detail is the renderer's data of a candidate.
type detail struct {
	ref
	info    *nodeInfo
	stars   int32
	rank    int32 // from 1; 0 if unranked
	score   float64
	similar bool // render the score as a similarity
	source  bool // state the path of the document
	item    *Item

	shown        bool  // omitted from the text: the session has seen it
	headingShown bool  // the session has seen the heading
	before       int32 // the day that is in force before it in the text; 0 for none
	corrected    bool  // the session has seen another version

	loaded  bool   // the deferred body was read
	problem string // why the body could not be read or summarized

	excerpt    *text.Excerpt   // the lines at level snippet; nil until needed
	short      *text.Excerpt   // the lines of a compressible or critical block, none chosen; nil until needed
	compressed string          // how short was made
	pinLevel   Level           // of a critical block that is compressed
	pieceSlots [Full + 1]int32 // by level: index in pieces plus one
}

// piece is the text of a node at a level and its cost, including the separator.
type piece struct {
	text   string
	tokens int
}

// costs are exact token counts from which the price of any piece is estimated.
type costs struct{ head, tail, separator, title, body int }

func newPlan(src Source, t *tree, req *Request) *plan {
	t.clearCandidates(t.Outline)
	return &plan{
		src: src, tree: t, req: req, query: text.Words(req.query()), question: index.NewMatcher(req.query()), projects: requestedProjects(t, req.Projects),
		agents: map[string]int32{}, runs: map[run]int{}, focus: -1, scratch: t.scratch,
	}
}

// count returns the tokens of text, using the request's cache or, if there is none, the outline's.
func (p *plan) count(text string) int {
	if text == "" {
		return 0
	}
	count := p.tree.count
	if p.req.Cache != nil {
		count = p.req.Cache.Count
	}
	return count(p.req.Counter, sha256.Sum256([]byte(text)), func() string { return text })
}

func (p *plan) heading() render.Heading {
	return render.Heading{Foveal: p.req.Policy == PolicyFoveal, NoProjects: len(p.projects) == 0, Focused: p.tree.focused()}
}

// setRenderer sets the renderer and counts its constant parts.
func (p *plan) setRenderer(r render.Renderer) {
	p.renderer = r
	sample := render.Entry{Item: &Item{ID: "x", Handle: "abcde", Title: "x", Body: "y"}, Level: Title, Stars: 2, Compact: p.req.Policy != PolicyFoveal}
	p.costs = costs{head: p.count(r.Head(p.heading())), tail: p.count(r.Tail()), separator: p.count(r.Separator())}
	p.costs.title = p.count(r.Piece(&sample)) + p.costs.separator
	sample.Level = Full
	p.costs.body = p.count(r.Piece(&sample)) + p.costs.separator - p.costs.title
}

// estimate returns the likely tokens of a node at each level, computed from its lengths, 0 for a
// level that would show no more than the one below. limit is the maximum cost of a snippet, in
// quarters of a token.
func (p *plan) estimate(info *nodeInfo, limit int32) [Full + 1]int32 {
	const dayTokens = 8
	var estimates [Full + 1]int32
	title, body := int32(p.costs.title), int32(p.costs.body)
	estimates[Title] = title + info.titleBytes/4
	switch {
	case p.req.Policy == PolicyFoveal:
		estimates[Title] += int32(len(info.id) / 2)
	case info.depth == 0 && info.day != 0:
		estimates[Title] += dayTokens
	}
	estimates[Full] = estimates[Title] + info.extraBytes/3
	if info.bodyBytes > 0 {
		estimates[Full] += body + info.bodyBytes/4
	}
	if info.bodyBytes > limit*5/4 {
		estimates[Snippet] = estimates[Title] + body + limit/4
	}
	return estimates
}

// addCandidate makes a node a candidate below parent, -1 for none.
func (p *plan) addCandidate(r ref, parent int) int {
	info := p.tree.node(r)
	c := choose.Candidate{Parent: int32(parent), Agent: -1, Estimates: p.estimate(info, p.limitOf(p.tree.workingOf(r), int(info.bodyBytes)))}
	caller := &p.req.Caller
	if info.agent != "" && info.agent != caller.Agent && (caller.Trusts == nil || !caller.Trusts(info.agent, p.tree.blocks[r.block].path)) {
		if _, known := p.agents[info.agent]; !known {
			p.agents[info.agent] = int32(len(p.agents))
		}
		c.Agent = p.agents[info.agent]
	}
	n := len(p.candidates)
	p.candidates = append(p.candidates, c)
	p.details = append(p.details, detail{ref: r, info: info})
	p.candidateSlots[p.tree.number(r)] = int32(n) + 1
	return n
}

// candidate returns the index of the candidate for a node.
func (p *plan) candidate(r ref) (int, bool) {
	slot := p.candidateSlots[p.tree.number(r)]
	return int(slot) - 1, slot > 0
}

// item returns the item of a candidate. It is read once.
func (p *plan) item(i int) *Item {
	n := &p.details[i]
	if n.item == nil {
		item, _ := p.src.Item(n.info.id)
		n.item = &item
	}
	return n.item
}

// piece renders a candidate at a level. It is rendered once.
func (p *plan) piece(i int, level Level) piece {
	if slot := p.details[i].pieceSlots[level]; slot > 0 {
		return p.pieces[slot-1]
	}
	n := &p.details[i]
	item := p.item(i)
	if level > Title {
		item = p.loaded(i)
	}
	if n.headingShown {
		item = new(*item)
		item.Title = render.Ellipsis
	}
	e := render.Entry{
		Item: item, Level: level, Stars: int(n.stars), Score: n.score, Similar: n.similar, Class: p.class(i), Compact: p.req.Policy != PolicyFoveal,
	}
	if above := p.tree.visibleParent(n.ref); above != noRef {
		e.Parent = p.tree.node(above).id
	}
	e.Corrected = n.corrected
	if parent := p.candidates[i].Parent; parent >= 0 {
		e.ParentTags = p.item(int(parent)).Tags
	}
	if e.Compact && p.req.Format != FormatJSON {
		e.Facts = p.facts(i)
	}
	if level == Snippet {
		if n.excerpt == nil {
			w := p.tree.workingOf(n.ref)
			n.excerpt = p.shorten(i)
			n.excerpt.Choose(int(p.limitOf(w, len(item.Body))), isCompressible(w))
		}
		e.Snippet, e.Compressed = n.excerpt.Text(), n.how()
		if e.Compressed != "" && e.Compact && p.req.Format != FormatJSON {
			e.Facts = append(e.Facts, "compressed: "+e.Compressed)
		}
	}
	written := piece{text: p.renderer.Piece(&e)}
	if n.corrected {
		written.text += p.renderer.Remark(correctedRemark)
	}
	written.tokens = p.count(written.text) + p.costs.separator
	p.pieces = append(p.pieces, written)
	n.pieceSlots[level] = int32(len(p.pieces))
	return written
}

// price returns the tokens of a candidate at a level, including the separator. The first of a
// run that is shown pays for the day of all.
func (p *plan) price(i int, level Level) int {
	key := run{p.candidates[i].Parent, p.details[i].info.day}
	if key.day != 0 && key.parent >= 0 {
		first, ok := p.runs[key]
		if !ok || p.candidates[first].Level == Absent {
			p.runs[key], first = i, i
		}
		if first == i {
			p.setBefore(i, 0)
		} else {
			p.setBefore(i, key.day)
		}
	}
	return p.piece(i, level).tokens
}

// choose gathers the candidates, pins the required parts and spends the rest of limit,
// which is at most the budget.
func (p *plan) choose(ctx context.Context, limit int) error {
	p.setRenderer(render.New(p.req.Format))
	if p.req.Policy == PolicyFoveal {
		p.gatherFoveal()
	} else {
		p.gatherValue(limit)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.sel = choose.New(p.candidates, p.price, len(p.agents), p.req.Budget, p.choosing)
	p.prefetch()
	used, complete, err := p.pin(limit)
	if err != nil {
		return err
	}
	p.sel.Remaining = max(0, limit-used)
	p.sel.MinPiece = p.costs.title / 2
	p.showCorrections()
	budget := p.sel.Remaining
	for _, i := range p.pinned {
		p.candidates[i].PinnedCost = p.candidates[i].Cost
	}
	if p.wholeBudget > 0 {
		p.spendCritical()
	}
	switch {
	case !complete:
	case p.req.Policy == PolicyFoveal:
		line := p.count(p.renderer.Remark(outlineRemark(p.tree.visible)))
		p.sel.Remaining -= line
		p.spendFoveal()
		p.sel.Remaining += line
	case p.req.Policy == PolicyShares:
		p.spendShares()
	default:
		p.showFirst()
		p.sel.Spend()
	}
	for _, i := range p.byRank() { // critical blocks that are not whole get the rest
		if p.candidates[i].Level < Full {
			p.showMore(i, p.sel.Remaining)
		}
	}
	p.sel.Remaining -= p.reserved()
	if complete && p.req.Policy != PolicyFoveal {
		p.fillLines()
	}
	if complete {
		p.spendLater()
	}
	p.subtract()
	p.summarize(budget)
	return ctx.Err()
}

// summarize sets the window's report about omitted nodes; budget is what pinning left.
func (p *plan) summarize(budget int) {
	shown, complete := 0, true
	for i := range p.candidates {
		if p.isInText(i) && !p.details[i].info.has(hidden) {
			shown++
		}
		complete = complete && (i == p.focus || p.candidates[i].Level == Full)
	}
	if p.req.Policy == PolicyFoveal {
		p.omitted, p.bound = p.account()
	} else {
		p.omitted = p.tree.visible - shown
		p.bound = 1
		if limit := p.sel.Bound(budget); !(complete && p.omitted == 0) && limit > 0 {
			p.bound = min(1, p.sel.Value()/limit)
		}
	}
	if p.req.Explain {
		p.omittedTop = p.topOmitted()
	}
}
