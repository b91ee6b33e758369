// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/query"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/window/render"
)

// oneNode describes the argument of a verb about one node.
const oneNode = "one node: an id, FILE:LINE, FILE:+BYTE, a path or a title"

// findRows are the verbs that find and read.
var findRows = []*Row{
	row(api.OpContext, Row{Verb: "context [QUESTION...]", quotes: true, whole: true,
		Long: `Context chooses what a model should see for the work at hand, and in how much
detail (title, snippet, full), within a token budget that is never exceeded.
--explain adds the reason for every part, and why the best of the rest are left
out, to standard error. With --session, notes that the session was shown before
are left out, unless they have changed since.`,
		Example: `  fovea context --focus "Move the gauge firmware off LoRa" --budget 2000
  fovea context "what did the vet say about Pika?" --explain
  fovea context --focus projects/vidra.org:40 --policy foveal --json`,
	}, showContext),
	row(api.OpQuery, Row{Verb: "query QUERY...", quotes: true,
		Long: "Query lists matching nodes in document order. It asks for\n\n" + predicates() + syntaxes,
		Example: `  fovea query 'todo:NEXT,WAIT tags:work'
  fovea query '(todo: OR priority:A) !tags:home deadline:to=7'
  fovea query 'type:src-block ancestors:(tags:project)' --json`,
	}, showFound),
	row(api.OpSearch, Row{Verb: "search WORDS...", Wants: "words to search for", quotes: true,
		Long: `Search prints the nodes that answer most of the question, best first: how much
of it each answers, 0 to 1, and below it the line with the most of the words.
For words that no node has, similar ones are offered. --blocks searches the
files of the agent's blocks; fovea show and block add take the id of such a hit.`,
		Example: `  fovea search battery life of the gauge
  fovea search rivets --query 'tags:project' --limit 3 --json
  fovea search refresh the token --blocks --agent ada`,
	}, showHits),
	row(api.OpSuggest, Row{Verb: "-", quotes: true}, showSuggestions),
	row(api.OpShow, Row{Wants: oneNode, quotes: true,
		Long: `Show prints the properties of one node, and its own text. NODE is an id or the
beginning of one, a title, a path, FILE:LINE, or FILE:+BYTE.`,
		Example: `  fovea show "Pika at the vet"
  fovea show projects/kaplja.org:12 --json
  fovea show "Pika at the vet" --at 2026-11-01`,
	}, showShown),
	{Verb: "skill", Short: "List skills, and show one",
		Long: `A skill is an Org file in the folder of skills, whose file drawer has
:SKILL_PRIORITY:, :SKILL_TRIGGERS: and :SKILL_DEPENDS:, or a folder there with a
file SKILL.md. Fovea executes nothing in it.`},
	row(api.OpSkills, Row{Verb: "skill list", quotes: true, Example: "  fovea skill list"}, of[api.None](showSkills)),
	row(api.OpSkill, Row{Verb: "skill show NAME", quotes: true,
		Example: "  fovea skill show state-persistence"},
		of[api.SkillRequest](func(p *Page, r *api.SkillSource) { p.Text(r.Source) })),
	row(api.OpSkills, Row{Verb: "skill check", Short: "Show the problems of the skills, and their order", Example: "  fovea skill check",
		failed: func(answer any) error {
			if len(answer.(*api.Skills).Problems) > 0 {
				return errors.New("not all skills are as they should be")
			}
			return nil
		}}, of[api.None](func(p *Page, r *api.Skills) {
		showProblems(p, r.Problems)
		p.Printf("order: %s\n", strings.Join(r.Order, ", "))
	})),
}

// predicates lists the predicates of a query.
func predicates() string {
	var b strings.Builder
	for _, p := range query.Predicates() {
		const indent = 17
		fmt.Fprintf(&b, "  %-14s %s\n", p.Name, Wrap(p.Doc, indent, Columns))
	}
	return b.String()
}

// syntaxes explains the query syntax.
const syntaxes = `
A query is written as todo:NEXT,WAIT tags:work !tags:home. A space means and, OR
means or, ! means not; commas separate alternatives; parentheses group; quotes
hold phrases together; a word without a colon is text to find. Dates are
2026-01-31, today, fri, +2w, or days from today: deadline:from=today,to=7.
A relative takes a query in parentheses: parent:(todo:). Programs may write
JSON, ["and",["todo","NEXT"],["tags","work"]], or a sexp of org-ql,
(and (todo "NEXT") (tags "work")).`

// maxSince limits the changed ids, and the removed ones, that a window names to a model.
const maxSince = 20

func showContext(p *Page, req *api.ContextRequest, w *api.ContextResponse) {
	if w.Unmatched {
		p.Note("no note has a word of the question; what follows is not about it")
	}
	p.fact("%d of %d tokens, %d notes, %d left out. The word before a title is the id of its note.", w.Tokens, w.Budget, len(w.Parts), w.Omitted)
	if p.model == nil {
		p.Text(w.Text)
	} else {
		p.Text(render.WithoutNotice(w.Text))
	}
	if d := w.Since; d != nil {
		p.Note("since the window before: %d new, %d changed, %d gone, %d as they were", len(d.New), len(d.Changed), len(d.Gone), d.Unchanged)
		for _, id := range d.Changed[:p.listed(len(d.Changed), maxSince, " changed")] {
			p.Quote("changed: %s", id)
		}
		for _, id := range d.Gone[:p.listed(len(d.Gone), maxSince, " gone")] {
			p.Quote("gone: %s", id)
		}
	}
	if req.Policy == window.PolicyFoveal && req.Focus+req.Question+req.Task == "" {
		p.Note("the policy foveal shows what is around a focus or a question; name one with --focus NODE or --question TEXT, or leave out --policy")
	}
	if req.Explain {
		explainWindow(p.Beside, w)
	}
}

// explainWindow shows the parts of a window with their reasons.
func explainWindow(out *Stream, w *api.ContextResponse) {
	out.Folded(fmt.Sprintf("\n%d of %d tokens (%s), %d parts, %d nodes left out, %.1f %% of the bound, policy %s",
		w.Tokens, w.Budget, w.Counter, len(w.Parts), w.Omitted, 100*w.Bound, w.Policy), 2, 0)
	for _, p := range w.Parts {
		out.Row(Number(out, 7, p.Tokens), Column(p.Level.String(), 7), Column(p.Title, Rest),
			Text(Place(p.Path, p.Line)+": "+p.Reason))
		if p.Problem != "" {
			out.Row(Column("problem", 16).In(Problem), Text(Place(p.Path, p.Line)+": "+p.Problem))
		}
	}
	for _, o := range w.OmittedTop {
		out.Row(Column("left out", 16), Column(o.Why, 12), Column(o.Title, Rest), place(o.Path, o.Line))
	}
}

func showWindows(p *Page, req *api.WindowsRequest, windows []api.RecordedWindow) {
	if req.ID == "" {
		list[api.WindowsRequest]("no windows are recorded of this agent in this session", func(p *Page, w *api.RecordedWindow) {
			p.Row(Number(p.Stream, 6, int(w.ID)).In(ID), p.when(w.Time), Number(p.Stream, 7, w.Tokens),
				Text(cmp.Or(w.Question, w.Task, w.Focus, "(no question)")))
		})(p, req, windows)
		return
	}
	for i := range windows {
		p.Text(windows[i].Content)
		for _, m := range windows[i].Missing {
			p.Note("%s: %s is missing: %s", m.Path, m.ID, m.Why)
		}
		if !windows[i].Exact {
			p.Note("this is not, byte for byte, what was given")
		}
	}
}

// showSkills shows each skill with its requirements and triggers, and below it its description.
func showSkills(p *Page, r *api.Skills) {
	for _, s := range r.Skills {
		about := s.Description
		switch {
		case s.Format == "locked":
			about = "(locked down; see fovea guard diff " + s.Path + ")"
		case s.Unreviewed:
			about = "(unreviewed) " + about
		}
		needs, on := strings.Join(s.Dependencies, ", "), strings.Join(s.Triggers, ", ")
		if !p.IsTerminal() {
			p.Row(Number(p.Stream, 0, s.Priority), Text(s.Name), Text(needs), Text(on), Text(about))
			continue
		}
		first := s.Name
		if needs != "" {
			first += "; needs " + needs
		}
		if on != "" {
			first += "; on " + on
		}
		p.Folded(fmt.Sprintf("%4d  %s", s.Priority, OneLine(first)), 3, 0)
		if about != "" {
			p.Folded("      "+OneLine(about), 0, 0)
		}
	}
	if n := len(r.Problems); n > 0 {
		p.Note("%s: see fovea skill check", scope.Count(n, "problem"))
	}
}
