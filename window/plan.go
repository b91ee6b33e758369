// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
)

// plan is one window in the making: the candidates, what is known about writing
// each, and the selection that spends the budget on them.
type plan struct {
	src     Source
	t       *tree
	req     *Request
	similar map[string]float64
	query   map[string]bool // words of question and task

	projects []int32 // those that may be shown, by number

	render renderer
	costs  costs
	sel    *selection

	nodes  []node        // by candidate
	all    []candidate   // what the selection sees of them
	at     map[int32]int // tree index -> candidate
	groups map[merkle.Digest]int
	agents map[string]int

	focus    int    // candidate, -1 for none
	focusWhy string // what a degraded window says of it
	pinned   []int
	omitted  int
	top      []string
	bound    float64
}

// node is what the writer knows of a candidate.
type node struct {
	tree    int32
	stars   int
	score   float64
	similar bool // the score is a similarity to be shown
	ranked  int  // rank from 1, 0 for none
	item    *Item
	pieces  [Full + 1]piece
}

// piece is a node's text at a level and what it costs, joint included.
type piece struct {
	text   string
	tokens int
}

// costs are exact counts from which the price of any piece is guessed.
type costs struct{ head, tail, joint, title, body int }

func newPlan(src Source, t *tree, req *Request, similar map[string]float64) *plan {
	return &plan{
		src: src, t: t, req: req, similar: similar, query: words(req.query()), projects: outlined(t, req.Projects),
		at: map[int32]int{}, agents: map[string]int{}, focus: -1,
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
		p.nodes[i].pieces = [Full + 1]piece{}
	}
}

// guess returns the likely tokens of a node at each level from its lengths, 0 for
// a level that would show no more than the one below.
func (p *plan) guess(b *branch) [Full + 1]int {
	const snippetTokens = 60
	var g [Full + 1]int
	g[Title] = p.costs.title + int(b.title)/4 + len(b.id)/2
	g[Full] = g[Title] + int(b.extra)/3
	if b.body > 0 {
		g[Full] += p.costs.body + int(b.body)/4
	}
	if b.body > maxSnippet*5/4 {
		g[Snippet] = g[Title] + p.costs.body + snippetTokens
	}
	return g
}

// add makes the node at index i of the tree a candidate below parent.
func (p *plan) add(i int32, parent int) int {
	b := p.t.node(i)
	c := candidate{parent: parent, agent: -1, group: -1, plan: p.guess(b)}
	if b.agent != "" {
		if _, met := p.agents[b.agent]; !met {
			p.agents[b.agent] = len(p.agents)
		}
		c.agent = p.agents[b.agent]
	}
	n := len(p.all)
	p.all = append(p.all, c)
	p.nodes = append(p.nodes, node{tree: i})
	p.at[i] = n
	return n
}

// item reads a candidate's item once.
func (p *plan) item(i int) *Item {
	n := &p.nodes[i]
	if n.item == nil {
		item, _ := p.src.Item(p.t.node(n.tree).id)
		n.item = &item
	}
	return n.item
}

// piece writes a candidate at a level once.
func (p *plan) piece(i int, level Level) piece {
	n := &p.nodes[i]
	if n.pieces[level].text == "" {
		e := entry{item: p.item(i), level: level, stars: n.stars, score: n.score, similar: n.similar, focus: i == p.focus, compact: p.req.Policy != PolicyFoveal}
		if up := p.all[i].parent; up >= 0 {
			e.above = p.item(up).Tags
		}
		if level == Snippet {
			e.snippet = snippetOf(e.item.Body, p.query)
		}
		text := p.render.piece(&e)
		n.pieces[level] = piece{text, p.count(text) + p.costs.joint}
	}
	return n.pieces[level]
}

func (p *plan) price(i int, level Level) int { return p.piece(i, level).tokens }

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
	p.sel = newSelection(p.all, 0, p.price, len(p.agents), p.req.Budget)
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
		if p.all[i].level != Absent && !p.t.hides(p.nodes[i].tree) {
			shown++
		}
		complete = complete && (i == p.focus || p.all[i].level == Full)
	}
	if p.req.Policy == PolicyFoveal {
		p.omitted, p.bound = p.accountFoveal()
	} else {
		p.omitted = p.t.seen - shown
		p.bound = 1
		if limit := bound(p.all, rest); !(complete && p.omitted == 0) && limit > 0 {
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
			ids = append(ids, p.t.node(p.nodes[i].tree).id)
		}
	}
	return ids
}
