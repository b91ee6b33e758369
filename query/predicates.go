// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"time"
)

// Predicate documents one condition, for help texts.
type Predicate struct {
	// Name is written before the colon.
	Name string
	// Aliases are org-ql's other names for it.
	Aliases []string
	// Form shows the arguments; brackets mark optional ones.
	Form string
	// Doc is the meaning, in one line.
	Doc string
}

// Predicates returns all predicates, sorted by name. The caller owns the list.
func Predicates() []Predicate {
	list := make([]Predicate, len(predicates))
	for i, p := range predicates {
		list[i] = p.Predicate
		list[i].Aliases = slices.Clone(p.Aliases)
	}
	return list
}

// rifle is the predicate of bare words.
const rifle = "rifle"

// predicate is one entry of the table. Exactly one of test, datedTest and relation is
// set; each builds a test, or returns an error about the arguments.
type predicate struct {
	Predicate
	cost      cost
	test      func(args []string) (test, *argError)
	datedTest func(args []string, now time.Time) (test, *argError)
	// relation builds the test from the test of the nested query.
	relation func(inner test) test
	// comparable predicates accept org-ql's > 2 as well as >2.
	comparable bool
}

// newTest builds the test of e; inner is the test of its nested query.
func (p predicate) newTest(e Pred, inner test, now time.Time) (test, *argError) {
	switch {
	case p.relation != nil:
		if len(e.Args) > 0 {
			return nil, &argError{0, "this predicate takes a query, not arguments", "write it in parentheses: " + p.Name + ":(todo: tags:work)"}
		}
		return p.relation(inner), nil
	case e.Of != nil:
		return nil, &argError{-1, "this predicate takes no query", "write its arguments without parentheses"}
	case p.datedTest != nil:
		return p.datedTest(e.Args, now)
	}
	return p.test(e.Args)
}

// datesForm returns the form of a predicate with dates as arguments.
func datesForm(name string) string { return name + ":[on=DATE or from=DATE,to=DATE]" }

// predicates holds every predicate, sorted by name.
var predicates = []predicate{
	{Predicate: Predicate{"ancestors", nil, "ancestors:[(QUERY)]",
		"a node above, headline or document, matches QUERY; without it, there is one"},
		cost: treeCost, relation: ancestorsTest},
	{Predicate: Predicate{"blocked", nil, "blocked:",
		"the entry is unfinished and must wait: an entry below it is unfinished, or an earlier sibling is and ORDERED is set above"},
		cost: treeCost, test: noArgs(Candidate.Blocked)},
	{Predicate: Predicate{"category", nil, "category:[CATEGORY,...]",
		"the category, own or inherited, else the file's name, is one of these"},
		cost: inheritCost, test: categoryTest},
	{Predicate: Predicate{"changed-since", nil, "changed-since:DATE",
		"the entry's own text changed in memory at or after DATE"},
		cost: fieldCost, datedTest: changedTest},
	{Predicate: Predicate{"children", nil, "children:[(QUERY)]",
		"a node right below matches QUERY; without it, there is one"},
		cost: treeCost, relation: childrenTest},
	{Predicate: Predicate{"clocked", nil, datesForm("clocked"),
		"a finished clock entry overlaps the period; without dates, there is one"},
		cost: textCost, datedTest: timesTest(nil, Clocked)},
	{Predicate: Predicate{"closed", nil, datesForm("closed"),
		"the entry was closed in the period; without dates, at any time"},
		cost: fieldCost, datedTest: timesTest(nil, Closed)},
	{Predicate: Predicate{"deadline", nil, "deadline:[on=DATE or from=DATE,to=DATE or auto]",
		"the deadline is in the period; auto: it is past, or Org already warns of it; without dates, there is one"},
		cost: fieldCost, datedTest: deadlineTest},
	{Predicate: Predicate{"descendants", nil, "descendants:[(QUERY)]",
		"a node below, at any depth, matches QUERY; without it, there is one"},
		cost: treeCost, relation: descendantsTest},
	{Predicate: Predicate{"done", nil, "done:",
		"the keyword is one of the finished states"},
		cost: fieldCost, test: noArgs(Candidate.Done)},
	{Predicate: Predicate{"effort", nil, "effort:[T,...], effort:>=T or effort:T..U",
		"the property EFFORT equals or compares with one of these durations: minutes, 1:30, 2h, 1d 4h; without one, it is set"},
		cost: fieldCost, test: effortTest, comparable: true},
	{Predicate: Predicate{"habit", nil, "habit:",
		"the entry is a habit: its property STYLE is habit"},
		cost: fieldCost, test: noArgs(isHabit)},
	{Predicate: Predicate{"hash", nil, "hash:DIGEST,...",
		"the digest of the entry's own text starts with DIGEST, as printed or in hexadecimal"},
		cost: fieldCost, test: hashTest},
	{Predicate: Predicate{"heading", []string{"h"}, "heading:TEXT,...",
		"the heading contains every TEXT; case is ignored"},
		cost: fieldCost, test: matchesEvery(newPhrase, inHeading)},
	{Predicate: Predicate{"id", nil, "id:ID,...",
		"the id or the handle is one of these"},
		cost: fieldCost, test: equalsAny(Candidate.ID)},
	{Predicate: Predicate{"level", nil, "level:N, level:>=N, level:N..M or level:N,M",
		"the level is N, compares so with N, or is from N to M; a document has level 0"},
		cost: fieldCost, test: levelTest, comparable: true},
	{Predicate: Predicate{"link", nil, "link:[TEXT,...] or link:target=TEXT,description=TEXT,regexp-p=t",
		"one link contains every TEXT in its address or description, or only in the one named; regexp-p=t: as regular expressions; without TEXT, there is a link"},
		cost: textCost, test: linkTest},
	{Predicate: Predicate{"outline-path", []string{"olp"}, "outline-path:TEXT,...",
		"every TEXT is in the heading or in one above it; case is ignored"},
		cost: inheritCost, test: matchesEvery(newPhrase, inOutline)},
	{Predicate: Predicate{"parent", nil, "parent:[(QUERY)]",
		"the node right above, headline or document, matches QUERY; without it, there is one"},
		cost: treeCost, relation: parentTest},
	{Predicate: Predicate{"path", nil, "path:[REGEXP,...]",
		"the path of the document matches any REGEXP; without one, the node is in a file"},
		cost: fieldCost, test: pathTest},
	{Predicate: Predicate{"planning", nil, datesForm("planning"),
		"the entry is scheduled, due or closed in the period; without dates, at any time"},
		cost: fieldCost, datedTest: timesTest(nil, Scheduled, Deadline, Closed)},
	{Predicate: Predicate{"priority", nil, "priority:[P,...], priority:>=P or priority:P..Q",
		"the priority cookie equals or compares with one of these, A above B; without P, there is a cookie; an entry without one never matches"},
		cost: fieldCost, test: priorityTest, comparable: true},
	{Predicate: Predicate{"property", nil, "property:KEY or property:KEY=VALUE,...[,inherit=t]",
		"the property KEY is set, or has one of the values; inherit=t: ancestors and the file's settings count too; KEY,VALUE means KEY=VALUE"},
		cost: inheritCost, test: propertyTest},
	{Predicate: Predicate{"regexp", []string{"r"}, "regexp:REGEXP,...",
		"the entry, heading included, matches every REGEXP; ^ and $ match at lines; case is ignored, but not after (?-i)"},
		cost: textCost, test: matchesEvery(lineRegexp, inText)},
	{Predicate: Predicate{rifle, []string{"smart"}, "rifle:TEXT,... or TEXT",
		"the entry or a heading above it contains every TEXT literally; case is ignored"},
		cost: textCost, test: matchesEvery(newPhrase, inEntry)},
	{Predicate: Predicate{"scheduled", nil, datesForm("scheduled"),
		"the entry is scheduled in the period; without dates, at any time"},
		cost: fieldCost, datedTest: timesTest(nil, Scheduled)},
	{Predicate: Predicate{"src", nil, "src:[REGEXP,...][lang=LANGUAGE]",
		"a source block of the language, if one is given, matches every REGEXP; without either, there is one"},
		cost: textCost, test: sourceTest},
	{Predicate: Predicate{"tags", nil, "tags:[TAG,...]",
		"one of the tags, own or inherited, is one of these or in one of these groups; without TAG, there is one"},
		cost: inheritCost, test: tagsTest(Candidate.Tags)},
	{Predicate: Predicate{"tags-all", []string{"tags&"}, "tags-all:TAG,...",
		"every TAG is there, own or inherited, or a tag of its group"},
		cost: inheritCost, test: allTagsTest},
	{Predicate: Predicate{"tags-inherited", []string{"inherited-tags", "tags-i", "itags"}, "tags-inherited:[TAG,...]",
		"one of the tags of its ancestors is one of these or in one of these groups; without TAG, there is one"},
		cost: inheritCost, test: tagsTest(Candidate.InheritedTags)},
	{Predicate: Predicate{"tags-local", []string{"local-tags", "tags-l", "ltags"}, "tags-local:[TAG,...]",
		"one of the entry's own tags is one of these or in one of these groups; without TAG, there is one"},
		cost: fieldCost, test: tagsTest(Candidate.LocalTags)},
	{Predicate: Predicate{"tags-regexp", []string{"tags*"}, "tags-regexp:REGEXP,...",
		"one of the tags, own or inherited, matches any REGEXP"},
		cost: inheritCost, test: tagsRegexpTest},
	{Predicate: Predicate{"todo", nil, "todo:[KEYWORD,...]",
		"the keyword is one of these; without KEYWORD, there is one and it is unfinished"},
		cost: fieldCost, test: todoTest},
	{Predicate: Predicate{"ts", nil, datesForm("ts"),
		"a timestamp of the entry, of any kind, overlaps the period; without dates, there is one"},
		cost: textCost, datedTest: timesTest(nil, AnyTime)},
	{Predicate: Predicate{"ts-active", []string{"ts-a"}, datesForm("ts-active"),
		"an active timestamp, <...>, overlaps the period; without dates, there is one"},
		cost: textCost, datedTest: timesTest(func(t Time) bool { return t.Active }, AnyTime)},
	{Predicate: Predicate{"ts-inactive", []string{"ts-i"}, datesForm("ts-inactive"),
		"an inactive timestamp, [...], overlaps the period; without dates, there is one"},
		cost: textCost, datedTest: timesTest(func(t Time) bool { return !t.Active }, AnyTime)},
	{Predicate: Predicate{"type", nil, "type:TYPE,...",
		"the node has one of these types: document, headline, an element type such as src-block, table or item, or a tree's own type such as person"},
		cost: fieldCost, test: typeTest},
}

func lookup(name string) (predicate, bool) {
	i := slices.IndexFunc(predicates, func(p predicate) bool { return p.Name == name || slices.Contains(p.Aliases, name) })
	if i < 0 {
		return predicate{}, false
	}
	return predicates[i], true
}

// canonical returns the name for an alias, and any other name unchanged.
func canonical(name string) string {
	if p, ok := lookup(name); ok {
		return p.Name
	}
	return name
}
