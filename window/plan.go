// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"crypto/sha256"
	"strings"
)

// plan is one window in the making: the candidates, what is known about writing
// each, and the selection that spends the budget on them.
type plan struct {
	src     Source
	t       *tree
	req     *Request
	query   map[string]bool // words of question and task
	subject map[string]bool // those, or else of the title of the focus; made when asked for

	projects []ref // those that may be shown

	render renderer
	costs  costs
	sel    *selection
	agents map[string]int32

	focus    int    // candidate, -1 for none
	focusWhy string // what a degraded window says of it
	pinned   []int
	omitted  int
	top      []string
	bound    float64
	*scratch
}

// node is what the writer knows of a candidate.
type node struct {
	ref
	branch  *branch
	stars   int32
	ranked  int32 // rank from 1, 0 for none
	score   float64
	similar bool // the score is a similarity to be shown
	item    *Item
	prices  [Full + 1]int32 // of the levels that were asked for
	written [Full + 1]int32 // the place in pieces, plus one
}

// piece is a node's text at a level and what it costs, joint included.
type piece struct {
	text   string
	tokens int
}

// costs are exact counts from which the price of any piece is guessed.
type costs struct{ head, tail, joint, title, body int }

func newPlan(src Source, t *tree, req *Request) *plan {
	t.clear(t.Outline)
	return &plan{
		src: src, t: t, req: req, query: words(req.query()), projects: outlined(t, req.Projects),
		agents: map[string]int32{}, focus: -1, scratch: t.scratch,
	}
}

// count counts tokens, by the cache where there is one.
func (p *plan) count(text string) int {
	if text == "" {
		return 0
	}
	if p.req.Cache == nil {
		return p.req.Counter.Count(text)
	}
	return p.req.Cache.Count(p.req.Counter, sha256.Sum256([]byte(text)), func() string { return text })
}

// heading is what the head of the text says.
func (p *plan) heading() heading {
	return heading{policy: p.req.Policy, noProjects: len(p.projects) == 0}
}

// use sets the renderer and counts its constant parts.
func (p *plan) use(r renderer) {
	p.render = r
	sample := entry{item: &Item{ID: "x", Title: "x", Body: "x"}, level: Title, stars: 2, compact: p.req.Policy != PolicyFoveal}
	p.costs = costs{head: p.count(r.head(p.heading())), tail: p.count(r.tail()), joint: p.count(r.joint())}
	p.costs.title = p.count(r.piece(&sample)) + p.costs.joint
	sample.level = Full
	p.costs.body = p.count(r.piece(&sample)) + p.costs.joint - p.costs.title
	for i := range p.nodes {
		p.nodes[i].prices, p.nodes[i].written = [Full + 1]int32{}, [Full + 1]int32{}
	}
}

// guess returns the likely tokens of a node at each level from its lengths, 0 for
// a level that would show no more than the one below.
func (p *plan) guess(b *branch) [Full + 1]int32 {
	const snippetTokens = 60
	var g [Full + 1]int32
	title, body := int32(p.costs.title), int32(p.costs.body)
	g[Title] = title + b.title/4 + int32(len(b.id)/2)
	g[Full] = g[Title] + b.extra/3
	if b.body > 0 {
		g[Full] += body + b.body/4
	}
	if b.body > maxSnippet*5/4 {
		g[Snippet] = g[Title] + body + snippetTokens
	}
	return g
}

// add makes a node a candidate below parent, -1 for none.
func (p *plan) add(r ref, parent int) int {
	b := p.t.node(r)
	c := candidate{parent: int32(parent), agent: -1, plan: p.guess(b)}
	if b.agent != "" {
		if _, met := p.agents[b.agent]; !met {
			p.agents[b.agent] = int32(len(p.agents))
		}
		c.agent = p.agents[b.agent]
	}
	n := len(p.all)
	p.all = append(p.all, c)
	p.nodes = append(p.nodes, node{ref: r, branch: b})
	p.at[p.t.number(r)] = int32(n) + 1
	return n
}

// candidate returns the candidate that a node is.
func (p *plan) candidate(r ref) (int, bool) {
	at := p.at[p.t.number(r)]
	return int(at) - 1, at > 0
}

// item reads a candidate's item once.
func (p *plan) item(i int) *Item {
	n := &p.nodes[i]
	if n.item == nil {
		item, _ := p.src.Item(n.branch.id)
		n.item = &item
	}
	return n.item
}

// piece writes a candidate at a level once.
func (p *plan) piece(i int, level Level) piece {
	if at := p.nodes[i].written[level]; at > 0 {
		return p.pieces[at-1]
	}
	item, n := p.item(i), &p.nodes[i]
	e := entry{item: item, level: level, stars: int(n.stars), score: n.score, similar: n.similar, focus: i == p.focus, compact: p.req.Policy != PolicyFoveal}
	if up := p.all[i].parent; up >= 0 {
		e.above = p.item(int(up)).Tags
	}
	if level == Snippet {
		e.snippet = snippetOf(e.item.Body, p.query)
	}
	done := piece{text: p.render.piece(&e)}
	if done.tokens = int(n.prices[level]); done.tokens == 0 {
		done.tokens = p.count(done.text) + p.costs.joint
	}
	p.pieces = append(p.pieces, done)
	n.prices[level], n.written[level] = int32(done.tokens), int32(len(p.pieces))
	return done
}

// choose gathers the candidates, pins what must be shown and spends the rest of
// room, which is at most the budget.
func (p *plan) choose(ctx context.Context, room int) error {
	p.use(newRenderer(p.req.Format, strings.Repeat("`", leastFence)))
	if p.req.Policy == PolicyFoveal {
		p.gatherFoveal()
	} else {
		p.gatherValue(room)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.fence()
	p.sel = newSelection(p.all, 0, p.price, len(p.agents), p.req.Budget, p.scratch)
	used, whole, err := p.pin()
	if err != nil {
		return err
	}
	p.sel.left = max(0, room-used)
	p.sel.least = p.costs.title / 2
	rest := p.sel.left
	for _, i := range p.pinned {
		p.all[i].paid = p.all[i].spent
	}
	switch {
	case !whole:
	case p.req.Policy == PolicyFoveal:
		p.spendFoveal()
	default:
		p.sel.greedy()
	}
	p.account(rest)
	return ctx.Err()
}

// fence widens the fence of Markdown until no body holds it, leaving the bodies
// of which this is too much to ask to their titles.
func (p *plan) fence() {
	if p.req.Format != FormatMarkdown {
		return
	}
	narrow, wide := leastFence, leastFence
	runs := make([]int, len(p.all))
	for i := range p.all {
		runs[i] = longestRun(p.item(i).Body)
		switch {
		case i == p.focus:
			narrow = max(narrow, runs[i]+1)
		case runs[i] <= mostFence:
			wide = max(wide, runs[i]+1)
		}
	}
	wide = max(narrow, wide)
	p.use(newRenderer(FormatMarkdown, strings.Repeat("`", wide)))
	if p.needed(Full, true) > p.req.Budget && wide > narrow {
		wide = narrow
		p.use(newRenderer(FormatMarkdown, strings.Repeat("`", wide)))
	}
	for i, run := range runs {
		if run >= wide && i != p.focus {
			p.all[i].plan[Snippet], p.all[i].plan[Full] = 0, 0
		}
	}
}

// account sets what the window tells about what it left out, rest being the
// tokens that there were to spend.
func (p *plan) account(rest int) {
	shown, complete := 0, true
	for i := range p.all {
		if p.all[i].level != Absent && !p.nodes[i].branch.has(hidden) {
			shown++
		}
		complete = complete && (i == p.focus || p.all[i].level == Full)
	}
	if p.req.Policy == PolicyFoveal {
		p.omitted, p.bound = p.accountFoveal()
	} else {
		p.omitted = p.t.seen - shown
		p.bound = 1
		if limit := bound(p.all, rest, p.scratch); !(complete && p.omitted == 0) && limit > 0 {
			p.bound = min(1, p.sel.value()/limit)
		}
	}
	if p.req.Explain {
		p.top = p.absentTop()
	}
}

// absentTop returns the ids of the first candidates that are not shown, the best
// first; they were gathered in this order.
func (p *plan) absentTop() []string {
	const most = 10
	var ids []string
	for _, i := range p.byRank() {
		if p.all[i].level == Absent && len(ids) < most {
			ids = append(ids, p.nodes[i].branch.id)
		}
	}
	return ids
}
