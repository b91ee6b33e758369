// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/query"
)

// Few words, so that questions often match.
var (
	drawWord     = rapid.SampledFrom([]string{"a", "B", "ab", "a b", "x,y", "OR", "!", "q:", `"`, `\`, "(", "é", "|", "\u2003", "todo", "and", "[", "<"})
	drawWords    = rapid.SliceOfNDistinct(drawWord, 1, 3, rapid.ID)
	drawType     = rapid.SampledFrom([]string{"document", "headline", "table", "src-block"})
	drawPriority = rapid.SampledFrom([]string{"", "A", "B", "C", "1", "20"})
	drawOperator = rapid.SampledFrom([]string{"", "=", "<", "<=", ">", ">="})
	drawLevel    = rapid.SampledFrom([]string{"0", "1", "2", "3"})
)

func drawEntry(t *rapid.T) entry {
	return entry{
		id: drawWord.Draw(t, "id"), kind: drawType.Draw(t, "type"), todo: rapid.SampledFrom([]string{"", "a", "B"}).Draw(t, "todo"),
		done: rapid.Bool().Draw(t, "done"), heading: strings.Join(drawWords.Draw(t, "heading"), " "), text: strings.Join(drawWords.Draw(t, "text"), "\n"),
		own: drawWords.Draw(t, "own"), inherited: drawWords.Draw(t, "inherited"), level: rapid.IntRange(0, 3).Draw(t, "level"),
		priority: drawPriority.Draw(t, "priority"), path: rapid.SampledFrom([]string{"", "a"}).Draw(t, "path"),
		properties: map[string][]string{"A": drawWords.Draw(t, "values")},
	}
}

// drawFamily draws an entry with ancestors and descendants.
func drawFamily(t *rapid.T) entry {
	c := drawEntry(t)
	for at := &c; rapid.Bool().Draw(t, "higher"); at = at.parent {
		parent := drawEntry(t)
		parent.children, at.parent = []*entry{at}, &parent
	}
	for range rapid.IntRange(0, 2).Draw(t, "children") {
		kid, grandkid := drawEntry(t), drawEntry(t)
		kid.parent, grandkid.parent, kid.children = &c, &kid, []*entry{&grandkid}
		c.children = append(c.children, &kid)
	}
	return c
}

func drawPred(t *rapid.T) query.Expr {
	name := rapid.SampledFrom([]string{"done", "todo", "tags", "tags-local", "ltags",
		"type", "id", "heading", "h", "rifle", "property", "level", "priority", "path"}).Draw(t, "name")
	switch name {
	case "done":
		return pred(name)
	case "todo", "tags", "tags-local", "ltags":
		return pred(name, rapid.SliceOfN(drawWord, 0, 2).Draw(t, "args")...)
	case "path":
		return pred(name)
	case "type":
		return pred(name, rapid.SliceOfNDistinct(drawType, 1, 3, rapid.ID).Draw(t, "args")...)
	case "property":
		return pred(name, "a="+drawWord.Draw(t, "value"))
	case "level":
		return pred(name, drawOperator.Draw(t, "operator")+drawLevel.Draw(t, "level"))
	case "priority":
		return pred(name, drawOperator.Draw(t, "operator")+drawPriority.Filter(func(s string) bool { return s != "" }).Draw(t, "priority"))
	}
	return pred(name, drawWords.Draw(t, "args")...)
}

func drawExpr(depth int) *rapid.Generator[query.Expr] {
	return rapid.Custom(func(t *rapid.T) query.Expr {
		if depth == 0 {
			return drawPred(t)
		}
		members := rapid.SliceOfN(drawExpr(depth-1), 0, 3)
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 4:
			name := rapid.SampledFrom([]string{"parent", "ancestors", "children", "descendants"}).Draw(t, "relation")
			return query.Pred{Name: name, Of: drawExpr(depth-1).Draw(t, "of")}
		case 0:
			return query.And{Of: members.Draw(t, "and")}
		case 1:
			return query.Or{Of: members.Draw(t, "or")}
		case 2:
			return query.Not{Of: drawExpr(depth-1).Draw(t, "not")}
		}
		return drawPred(t)
	})
}

// reference is a plain implementation of matching that shares no code with the package.
func reference(e query.Expr, c entry) bool {
	switch e := e.(type) {
	case query.And:
		for _, member := range e.Of {
			if !reference(member, c) {
				return false
			}
		}
		return true
	case query.Or:
		for _, member := range e.Of {
			if reference(member, c) {
				return true
			}
		}
		return false
	case query.Not:
		return !reference(e.Of, c)
	}
	p := e.(query.Pred)
	relatedMatches := func(c *entry) bool { return p.Of == nil || reference(p.Of, *c) }
	containsAll := func(field string) bool {
		for _, arg := range p.Args {
			if !strings.Contains(strings.ToLower(field), strings.ToLower(arg)) {
				return false
			}
		}
		return true
	}
	overlap := func(field []string) bool {
		return len(p.Args) == 0 && len(field) > 0 || slices.ContainsFunc(field, func(s string) bool { return slices.Contains(p.Args, s) })
	}
	switch p.Name {
	case "parent":
		return c.parent != nil && relatedMatches(c.parent)
	case "ancestors":
		return c.parent != nil && (relatedMatches(c.parent) || reference(p, *c.parent))
	case "children":
		return slices.ContainsFunc(c.children, relatedMatches)
	case "descendants":
		return slices.ContainsFunc(c.children, func(k *entry) bool { return relatedMatches(k) || reference(p, *k) })
	case "done":
		return c.done
	case "todo":
		return c.todo != "" && (len(p.Args) == 0 && !c.done || slices.Contains(p.Args, c.todo))
	case "tags":
		return overlap(c.Tags())
	case "tags-local", "ltags":
		return overlap(c.own)
	case "type":
		return slices.ContainsFunc(p.Args, func(a string) bool { return strings.EqualFold(a, c.kind) })
	case "id":
		return slices.Contains(p.Args, c.id)
	case "heading", "h":
		return containsAll(c.heading)
	case "rifle": // the fields are joined by a byte that no argument has
		return containsAll(c.heading + "\x00" + c.text)
	case "property":
		return slices.Contains(c.properties["A"], strings.TrimPrefix(p.Args[0], "a="))
	case "path":
		return c.path != ""
	case "level":
		return compares(p.Args[0], "0 1 2 3", []string{"0", "1", "2", "3"}[c.level])
	case "priority":
		return c.priority != "" && compares(p.Args[0], "C B A 20 1", c.priority)
	}
	return false
}

// compares looks up both values in order, which lists them from lowest to highest.
func compares(arg, order, got string) bool {
	wanted := strings.TrimLeft(arg, "<>=")
	list := strings.Fields(order)
	g, w := slices.Index(list, got), slices.Index(list, wanted)
	switch strings.TrimSuffix(arg, wanted) {
	case "<":
		return g < w
	case "<=":
		return g <= w
	case ">":
		return g > w
	case ">=":
		return g >= w
	}
	return g == w
}

func TestMatchEqualsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, c := drawExpr(3).Draw(t, "query"), drawFamily(t)
		m, err := query.Compile(e, now)
		if err != nil {
			t.Fatalf("Compile(%v): %v", e, err)
		}
		want := reference(e, c)
		if got := m.Match(c); got != want {
			t.Fatalf("%v on %+v: got %v, want %v", e, c, got, want)
		}
		if got := match(query.Simplify(e), c, now); got != want {
			t.Fatalf("%v means %v, but simplified to %v it means %v", e, want, query.Simplify(e), got)
		}
	})
}

func TestLawsOfLogic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawExpr(2).Draw(t, "a"), drawExpr(2).Draw(t, "b"), drawEntry(t)
		for _, law := range []struct {
			name        string
			left, right query.Expr
		}{
			{"De Morgan, and", not(and(a, b)), or(not(a), not(b))},
			{"De Morgan, or", not(or(a, b)), and(not(a), not(b))},
			{"double negation", not(not(a)), a},
			{"order", and(a, b), and(b, a)},
			{"absorption", or(a, and(a, b)), a},
			{"the empty query", and(a, and()), a},
			{"a nil query is the empty one", and(a, nil), a},
		} {
			if match(law.left, c, now) != match(law.right, c, now) {
				t.Fatalf("%s: %v and %v differ on %+v", law.name, law.left, law.right, c)
			}
		}
		if match(a, c, now) == match(not(a), c, now) {
			t.Fatalf("%v and its negation agree on %+v", a, c)
		}
	})
}

func TestPrintedTreeParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpr(4).Draw(t, "query")
		want := query.Simplify(e)
		if diff := cmp.Diff(want, query.Simplify(want)); diff != "" {
			t.Fatalf("Simplify of %v is not idempotent (-once +twice):\n%s", e, diff)
		}
		got, err := query.Parse(e.String())
		if err != nil {
			t.Fatalf("%#v prints as %q: %v", e, e, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%#v prints as %q, which parses otherwise (-want +got):\n%s", e, e, diff)
		}
		if got, err = query.Parse(printJSON(e)); err != nil {
			t.Fatalf("%#v prints as %s: %v", e, printJSON(e), err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%#v prints as %s, which parses otherwise (-want +got):\n%s", e, printJSON(e), diff)
		}
	})
}

// TestPhraseFoldsLikeRegexp compares the fast search with the regular expression it
// replaces.
func TestPhraseFoldsLikeRegexp(t *testing.T) {
	letters := rapid.SampledFrom([]rune("aAbBkKsSzZ \u212a\u017fßéÉΣσς記1@[`{"))
	rapid.Check(t, func(t *rapid.T) {
		wanted := string(rapid.SliceOfN(letters, 1, 4).Draw(t, "wanted"))
		c := entry{heading: string(rapid.SliceOfN(letters, 0, 12).Draw(t, "heading"))}
		want := regexp.MustCompile("(?i)" + regexp.QuoteMeta(wanted)).MatchString(c.heading)
		if got := match(pred("heading", wanted), c, now); got != want {
			t.Fatalf("heading:%q on %q: got %v, want %v", wanted, c.heading, got, want)
		}
	})
}
