// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Predicate describes one thing that a query can ask, for help texts.
type Predicate struct {
	// Name is what a query writes before the colon.
	Name string
	// Aliases are other names for it, org-ql's own.
	Aliases []string
	// Form shows its arguments; brackets mark what may be left out.
	Form string
	// Doc says what matches, in one line.
	Doc string
}

// Predicates returns what a query can ask, sorted by name. The caller owns the
// list.
func Predicates() []Predicate {
	list := make([]Predicate, len(table))
	for i, p := range table {
		list[i] = p.Predicate
		list[i].Aliases = slices.Clone(p.Aliases)
	}
	return list
}

// rifle is the predicate of bare words.
const rifle = "rifle"

// predicate is one entry of the table. test makes the test for a list of
// arguments, or says what is wrong with them.
type predicate struct {
	Predicate
	cost cost
	test func(args []string) (test, *argError)
}

// table holds every predicate, sorted by name. Adding one is adding an entry.
var table = []predicate{
	{Predicate{"done", nil, "done:",
		"the keyword is one of the finished states"},
		fieldCost, without(Candidate.Done)},
	{Predicate{"heading", []string{"h"}, "heading:TEXT,...",
		"the heading holds every TEXT; case is ignored"},
		fieldCost, allOf(newPhrase, Candidate.Heading)},
	{Predicate{"id", nil, "id:ID,...",
		"the id is one of these"},
		fieldCost, equalAny(Candidate.ID)},
	{Predicate{"level", nil, "level:N, level:>=N, level:N..M or level:N,M",
		"the number of stars is N, compares so with N, or is from N to M; a document has 0"},
		fieldCost, levelTest},
	{Predicate{"path", nil, "path:[REGEXP,...]",
		"the path of the document matches any REGEXP; without one, a file holds the node"},
		fieldCost, pathTest},
	{Predicate{"priority", nil, "priority:[P,...], priority:>=P or priority:P..Q",
		"the priority cookie is one of these or compares so, A above B; without P, there is one; an entry without a cookie never matches"},
		fieldCost, priorityTest},
	{Predicate{"property", nil, "property:KEY or property:KEY=VALUE,...",
		"the entry's own property KEY is there, or is one of the values; inherited ones do not count; KEY,VALUE is the same as KEY=VALUE"},
		fieldCost, propertyTest},
	{Predicate{"regexp", []string{"r"}, "regexp:REGEXP,...",
		"the entry, heading included, matches every REGEXP; ^ and $ are those of a line; case is ignored unless (?-i) says otherwise"},
		textCost, allOf(lineRegexp, Candidate.Text)},
	{Predicate{rifle, nil, "rifle:TEXT,... or TEXT",
		"the entry, heading included, holds every TEXT as it stands; case is ignored"},
		textCost, rifleTest},
	{Predicate{"tags", nil, "tags:[TAG,...]",
		"one of the tags, own or inherited, is one of these; without TAG, there are any"},
		inheritCost, tagsTest(Candidate.Tags)},
	{Predicate{"tags-local", []string{"local-tags", "tags-l", "ltags"}, "tags-local:[TAG,...]",
		"one of the entry's own tags is one of these; without TAG, there are any"},
		fieldCost, tagsTest(Candidate.LocalTags)},
	{Predicate{"todo", nil, "todo:[KEYWORD,...]",
		"the keyword is one of these; without KEYWORD, there is one that is not finished"},
		fieldCost, todoTest},
	{Predicate{"type", nil, "type:TYPE,...",
		"the node is of one of these types, such as document or headline"},
		fieldCost, equalType},
}

// equalType compares types as org-element names them, whatever the case, and
// with _ for -.
func equalType(args []string) (test, *argError) {
	if err := needArgs(args); err != nil {
		return nil, err
	}
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = strings.ReplaceAll(a, "_", "-")
	}
	return func(c Candidate) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, c.Type()) })
	}, nil
}

func lookup(name string) (predicate, bool) {
	i := slices.IndexFunc(table, func(p predicate) bool { return p.Name == name || slices.Contains(p.Aliases, name) })
	if i < 0 {
		return predicate{}, false
	}
	return table[i], true
}

// canonical returns the name that an alias stands for, and any other name as it
// is.
func canonical(name string) string {
	if p, ok := lookup(name); ok {
		return p.Name
	}
	return name
}

func names() []string {
	all := make([]string, len(table))
	for i, p := range table {
		all[i] = p.Name
	}
	return all
}

// needArgs complains about an empty list, and about an empty argument.
func needArgs(args []string) *argError {
	if len(args) == 0 {
		return &argError{-1, "an argument is missing", "write it right behind the colon; quote text that holds a blank, a parenthesis or |"}
	}
	return noneEmpty(args)
}

func noneEmpty(args []string) *argError {
	if i := slices.Index(args, ""); i >= 0 {
		return &argError{i, "an argument is empty", "remove the comma or the quotes, or write the argument"}
	}
	return nil
}

// without is for predicates that take no arguments.
func without(is func(Candidate) bool) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if len(args) > 0 {
			return nil, &argError{0, "this predicate takes no argument", "end it with the colon"}
		}
		return is, nil
	}
}

// equalAny is for predicates that compare one field with each argument.
func equalAny(field func(Candidate) string) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := needArgs(args); err != nil {
			return nil, err
		}
		return func(c Candidate) bool { return slices.Contains(args, field(c)) }, nil
	}
}

func tagsTest(field func(Candidate) []string) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := noneEmpty(args); err != nil {
			return nil, err
		}
		if len(args) == 0 {
			return func(c Candidate) bool { return len(field(c)) > 0 }, nil
		}
		return func(c Candidate) bool {
			return slices.ContainsFunc(field(c), func(tag string) bool { return slices.Contains(args, tag) })
		}, nil
	}
}

func todoTest(args []string) (test, *argError) {
	if len(args) == 0 {
		return func(c Candidate) bool { return c.Todo() != "" && !c.Done() }, nil
	}
	return equalAny(Candidate.Todo)(args)
}

// propertyTest takes the key from the first argument and the values from what
// follows the equals sign and from the other arguments.
func propertyTest(args []string) (test, *argError) {
	if err := needArgs(args); err != nil {
		return nil, err
	}
	key, value, hasValue := strings.Cut(args[0], "=")
	if key == "" {
		return nil, &argError{0, "the property has no key", "write property:KEY or property:KEY=VALUE"}
	}
	values := slices.Clone(args[1:])
	if hasValue {
		values = append(values, value)
	}
	if len(values) == 0 {
		return func(c Candidate) bool { return len(c.Property(key)) > 0 }, nil
	}
	return func(c Candidate) bool {
		return slices.ContainsFunc(c.Property(key), func(v string) bool { return slices.Contains(values, v) })
	}, nil
}

// pattern makes a finder of an argument.
type pattern func(arg string) (finder, error)

func lineRegexp(arg string) (finder, error) { return regexp.Compile("(?im)" + arg) }

func compilePatterns(p pattern, args []string) ([]finder, *argError) {
	if err := noneEmpty(args); err != nil {
		return nil, err
	}
	finders := make([]finder, len(args))
	for i, arg := range args {
		f, err := p(arg)
		if err != nil {
			what := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
			return nil, &argError{i, fmt.Sprintf("%q is no regular expression: %s", arg, what), "the syntax is RE2's, as in Go; to search for the text itself use heading: or a plain word"}
		}
		finders[i] = f
	}
	return finders, nil
}

// allOf is for predicates that want every pattern in one field.
func allOf(p pattern, field func(Candidate) string) func([]string) (test, *argError) {
	return func(args []string) (test, *argError) {
		if err := needArgs(args); err != nil {
			return nil, err
		}
		patterns, err := compilePatterns(p, args)
		if err != nil {
			return nil, err
		}
		return func(c Candidate) bool {
			text := field(c)
			return !slices.ContainsFunc(patterns, func(f finder) bool { return !f.MatchString(text) })
		}, nil
	}
}

// rifleTest looks at the heading too, because a heading may show what the bytes
// of the entry spell otherwise, such as a document's title.
func rifleTest(args []string) (test, *argError) {
	if err := needArgs(args); err != nil {
		return nil, err
	}
	patterns, err := compilePatterns(newPhrase, args)
	if err != nil {
		return nil, err
	}
	return func(c Candidate) bool {
		heading, text := c.Heading(), c.Text()
		return !slices.ContainsFunc(patterns, func(f finder) bool {
			return !f.MatchString(heading) && !f.MatchString(text)
		})
	}, nil
}

func pathTest(args []string) (test, *argError) {
	patterns, err := compilePatterns(lineRegexp, args)
	if err != nil {
		return nil, err
	}
	return func(c Candidate) bool {
		path := c.Path()
		if len(patterns) == 0 {
			return path != ""
		}
		return slices.ContainsFunc(patterns, func(f finder) bool { return f.MatchString(path) })
	}, nil
}
