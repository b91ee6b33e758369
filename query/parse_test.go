// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/query"
)

func text(words ...string) query.Expr {
	var of []query.Expr
	for _, w := range words {
		of = append(of, query.Pred{Name: "rifle", Args: []string{w}})
	}
	return query.Simplify(query.And{Of: of})
}

func pred(name string, args ...string) query.Expr { return query.Pred{Name: name, Args: args} }

func and(of ...query.Expr) query.Expr { return query.And{Of: of} }
func or(of ...query.Expr) query.Expr  { return query.Or{Of: of} }
func not(e query.Expr) query.Expr     { return query.Not{Of: e} }

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     query.Expr
		printed  string // "" means as it was written
	}{
		{"empty", "", and(), "()"},
		{"blank", " \t\n", and(), "()"},
		{"empty group", "()", and(), ""},
		{"words", "foo bar", text("foo", "bar"), ""},
		{"phrase", `"foo bar"`, text("foo bar"), ""},
		{"comma is text in a bare word", "1,000", text("1,000"), ""},
		{"quoted colon is text", `"todo:"`, text("todo:"), ""},
		{"colon without a name is text", "12:30", text("12:30"), `"12:30"`},
		{"quoted operator is text", `"OR"`, text("OR"), ""},
		{"lower case operator is text", "or", text("or"), `"or"`},
		{"operator as a part of a word", "ORDER NOTE ANDY", text("ORDER", "NOTE", "ANDY"), ""},
		{"operator as an argument", "heading:OR", pred("heading", "OR"), ""},
		{"exclamation inside a word", "wow!such", text("wow!such"), ""},
		{"other scripts", "naïve 記憶 tags:été", and(text("naïve"), text("記憶"), pred("tags", "été")), ""},
		{"no arguments", "todo:", pred("todo"), ""},
		{"no arguments before a word", "todo: x", and(pred("todo"), text("x")), "todo: x"},
		{"two arguments", "todo:NEXT,WAIT", pred("todo", "NEXT", "WAIT"), ""},
		{"quoted argument", `heading:"quoted phrase",word`, pred("heading", "quoted phrase", "word"), ""},
		{"quote inside an argument", `property:KEY="a b"`, pred("property", "KEY=a b"), `property:"KEY=a b"`},
		{"escapes", `"a\"b\\c\d"`, text(`a"b\c\d`), `"a\"b\\c\\d"`},
		{"backslash outside quotes", `regexp:\bfoo\b`, pred("regexp", `\bfoo\b`), ""},
		{"comparators", "level:>2 priority:>=B level:2..3", and(pred("level", ">2"), pred("priority", ">=B"), pred("level", "2..3")), ""},
		{"alias", "h:x r:y ltags:z", and(pred("heading", "x"), pred("regexp", "y"), pred("tags-local", "z")), "heading:x regexp:y tags-local:z"},
		{"rifle by name", "rifle:x", text("x"), "x"},
		{"rifle with two texts", "rifle:x,y", pred("rifle", "x", "y"), ""},
		{"or", "a OR b | c", or(text("a"), text("b"), text("c")), "a OR b OR c"},
		{"and binds tighter than or", "a b OR c d", or(text("a", "b"), text("c", "d")), "(a b) OR (c d)"},
		{"written and", "a AND b", text("a", "b"), "a b"},
		{"group", "(a OR b) c", and(or(text("a"), text("b")), text("c")), ""},
		{"group without blanks", "(a)(b OR c)", and(text("a"), or(text("b"), text("c"))), "a (b OR c)"},
		{"group in a group", "a (b (c))", text("a", "b", "c"), "a b c"},
		{
			"many groups side by side", strings.Repeat("(a OR b)", 150),
			and(slices.Repeat([]query.Expr{or(text("a"), text("b"))}, 150)...), strings.TrimSpace(strings.Repeat("(a OR b) ", 150)),
		},
		{"not", "!tags:home NOT done:", and(not(pred("tags", "home")), not(pred("done"))), "!tags:home !done:"},
		{"not binds tighter than and", "!a b", and(not(text("a")), text("b")), ""},
		{"not of a group", "NOT(a OR b)", not(or(text("a"), text("b"))), "!(a OR b)"},
		{"double negation", "!!a ! NOT b", text("a", "b"), "a b"},
		{"nothing", "!()", not(and()), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := query.Parse(tc.in)
			if err != nil {
				t.Fatalf("Parse(%q): %v", tc.in, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tc.in, diff)
			}
			want := tc.printed
			if want == "" {
				want = tc.in
			}
			if got.String() != want {
				t.Errorf("Parse(%q).String() = %q, want %q", tc.in, got, want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		column   int
		says     string
	}{
		{"unknown predicate", "a tag:x", 3, `unknown predicate "tag"; did you mean tags:`},
		{"unknown predicate in capitals", "TODO:x", 1, `did you mean todo:`},
		{"unknown predicate by its start", "prop:x", 1, `did you mean property:`},
		{"a letter too many", "levvel:1", 1, `did you mean level:`},
		{"a letter too few", "leel:1", 1, `did you mean level:`},
		{"two letters wrong", "lavil:1", 1, `did you mean level:`},
		{"three letters wrong", "lavim:1", 1, `known are`},
		{"unknown predicate like none", "https://x", 1, `known are ancestors blocked category`},
		{"unknown predicate with every kind of letter", "a azAZ_09-*&:x", 3, `unknown predicate "azAZ_09-*&"`},
		{"columns count runes", "é記 tag:x", 4, `unknown predicate "tag"`},
		{"missing argument", "a level:", 3, "an argument is missing"},
		{"group as an argument", "tags:(a OR b)", 6, "( inside a word; quote the text"},
		{"glued parenthesis", "f(x)", 2, "( inside a word"},
		{"glued bar", "tags:a|tags:b", 7, "| inside a word"},
		{"empty argument", "tags:a,,b", 8, "an argument is empty"},
		{"empty last argument", "tags:a,", 8, "an argument is empty"},
		{"empty text", `a ""`, 3, "an argument is empty"},
		{"argument of done", "done:x", 6, "takes no argument"},
		{"second regular expression", `regexp:a,"b(" c`, 10, `"b(" is not a regular expression: missing closing )`},
		{"look-ahead is not RE2", `regexp:"a(?=b)"`, 8, "is not a regular expression"},
		{"level", "level:two", 7, `"two" is not a level or a comparison`},
		{"level below none", "level:-1", 7, "is not a level or a comparison"},
		{"level wrong way round", "level:2>", 7, "is not a level or a comparison"},
		{"second level", "level:1,>2", 9, `">2" is not a level`},
		{"three levels", "level:1,2,3", 11, "one comparison or two numbers"},
		{"priority", "priority:A,AA", 12, `"AA" is not a priority or a comparison`},
		{"property without a key", "property:=x", 10, "the property has no key"},
		{"closing quote", `a "b c`, 3, "no closing quote"},
		{"closing quote after a backslash", `"b\"`, 1, "no closing quote"},
		{"closing quote after a last backslash", "a \"b\\", 3, "no closing quote"},
		{"closing parenthesis", "a (b c", 3, "no ) for this ("},
		{"opening parenthesis", "a b)", 4, "no ( for this )"},
		{"or at the start", "OR a", 1, "nothing before OR"},
		{"or at the end", "a OR", 5, "nothing after OR"},
		{"or twice", "a OR | b", 6, "nothing before OR"},
		{"and at the start", "AND a", 1, "nothing before AND"},
		{"and at the end", "a AND ", 7, "nothing after AND"},
		{"not at the end", "a !", 3, "nothing to negate"},
		{"not before a parenthesis", "(a NOT)", 4, "nothing to negate"},
		{"not UTF-8", "ab\xff", 3, "not UTF-8"},
		{"too deep", strings.Repeat("(", query.MaxDepth+1), query.MaxDepth + 1, "nested more than"},
		{"too many negations", strings.Repeat("!", query.MaxDepth) + "a", query.MaxDepth + 1, "nested more than"},
		{"too long", strings.Repeat("a", query.MaxBytes+1), 1, "the limit is"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := query.Parse(tc.in)
			e, ok := errors.AsType[*query.SyntaxError](err)
			if !ok {
				t.Fatalf("Parse(%q) = %v, %v; want a *SyntaxError", tc.in, got, err)
			}
			if e.Column != tc.column || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("Parse(%q): %v (column %d); want column %d and %q", tc.in, err, e.Column, tc.column, tc.says)
			}
			if got != nil {
				t.Errorf("Parse(%q) returned a tree beside the error: %v", tc.in, got)
			}
		})
	}
}

// TestSyntaxes checks that the three syntaxes give the same tree and that the start of
// the text selects the syntax.
func TestSyntaxes(t *testing.T) {
	parent := query.Pred{Name: "parent", Of: pred("todo")}
	for _, tc := range []struct {
		name string
		want query.Expr
		in   []string
	}{
		{"two", and(pred("todo", "NEXT"), pred("tags", "work")), []string{
			"todo:NEXT tags:work", `["and",["todo","NEXT"],["tags","work"]]`, `(and (todo "NEXT") (tags "work"))`,
			` [ "and" , [ "todo" , "NEXT" ] , [ "tags" , "work" ] ] `,
		}},
		{"parentheses alone are plain", or(pred("tags", "a"), pred("tags", "b")), []string{
			"(tags:a OR tags:b)", `["or",["tags","a"],["tags","b"]]`, `(or (tags "a") (tags "b"))`,
		}},
		{"a word in parentheses is plain", text("word", "todos"), []string{"(word todos)", `["and","word","todos"]`, `(and "word" "todos")`}},
		{"a quoted name in parentheses is plain", text("todo", "x"), []string{`("todo" x)`, `(and "todo" "x")`}},
		{"a name in parentheses is a sexp", pred("todo"), []string{"todo:", "(todo)", `["todo"]`}},
		{"a bracket alone is plain", text("[x]"), []string{"[x]", `["and","[x]"]`}},
		{"dates", pred("deadline", "from=today", "to=7"), []string{
			"deadline:from=today,to=7", "(deadline :from today :to 7)", `["deadline",{"from":"today","to":7}]`, `["deadline","from=today","to=7"]`,
		}},
		{"comparators", and(pred("level", ">2"), pred("priority", ">=B")), []string{
			"level:>2 priority:>=B", `(and (level > 2) (priority >= "B"))`, `["and",["level",">",2],["priority",">=B"]]`,
		}},
		{"numbers and days", and(pred("level", "2"), pred("ts", "on=today"), pred("deadline", "auto")), []string{
			"level:2 ts:on=today deadline:auto", "(and (level 2) (ts :on today) (deadline auto))",
		}},
		{"relatives", parent, []string{"parent:(todo:)", "(parent (todo))", `["parent",["todo"]]`}},
		{"relatives of nothing", pred("parent"), []string{"parent:", "parent:()", "(parent)", "(parent (and))", `["parent",["and"]]`}},
		{"relatives in relatives", query.Pred{Name: "ancestors", Of: and(parent, text("x"))}, []string{
			"ancestors:(parent:(todo:) x)", `(ancestors (and (parent (todo)) "x"))`,
		}},
		{"not", not(pred("done")), []string{"!done:", "(not (done))", `["not",["done"]]`}},
		{"alias", pred("tags-all", "a", "b"), []string{"tags&:a,b", `(tags& "a" "b")`}},
		{"keys with lists", pred("src", "regexps=a", "regexps=b", "lang=go"), []string{
			"src:regexps=a,regexps=b,lang=go", `(src :regexps ("a" "b") :lang go)`, `["src",{"regexps":["a","b"],"lang":"go"}]`,
		}},
		{"escapes", text("a\"b\\c\n\td"), []string{`(and "a\"b\\c\n\t\d")`, `["and","a\"b\\c\n\td"]`}},
		{"double negations", pred("done"), []string{strings.Repeat("(not ", query.MaxDepth) + "(done)" + strings.Repeat(")", query.MaxDepth)}},
		{"nothing", not(and()), []string{"!()", "(or)", `["or"]`}},
		{"keyword of truth", pred("property", "K", "inherit=t"), []string{"property:K,inherit=t", `(property "K" :inherit t)`, `["property","K",{"inherit":"t"}]`}},
	} {
		for _, in := range tc.in {
			t.Run(tc.name+"/"+in, func(t *testing.T) {
				got, err := query.Parse(in)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				if again, err := query.Parse(printJSON(got)); err != nil || !cmp.Equal(again, got) {
					t.Errorf("JSON %s gives %v, %v", printJSON(got), again, err)
				}
			})
		}
	}
}

func TestMachineErrors(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		column   int
		says     string
	}{
		{"plain words behind a name", "(todo OR done)", 7, "the bare word OR in a list; put it in quotes"},
		{"bare word as a query", "(and x)", 6, `"x" is not a query`},
		{"unknown head", `(and (tag "x"))`, 7, "did you mean tags:"},
		{"wrong argument", `(and (level "x"))`, 13, "is not a level or a comparison"},
		{"list as an argument", `(todo (tags "x"))`, 7, "a list is not an argument"},
		{"two relatives", `(parent (todo) (done))`, 9, "a list is not an argument"},
		{"no value", `(deadline :to)`, 11, "no value for :to"},
		{"key as a value", `(deadline :to :from 7)`, 15, "no value for :to"},
		{"list in the list of a key", `(src :regexps ("a" (b)))`, 20, "no value for :regexps"},
		{"no date", `(deadline :to "soon")`, 15, `"soon" is not a date`},
		{"unclosed list", "(and (todo)", 1, "no ) for this ("},
		{"unclosed text", `(todo "x`, 7, "no closing quote"},
		{"unclosed text after a backslash", `(todo "x\`, 7, "no closing quote"},
		{"two lists", "(todo) (done)", 8, "text after the list"},
		{"quasiquote", "(and `(todo))", 6, "` in a sexp"},
		{"empty list", "(and ())", 6, "a list must start with and, or, not"},
		{"not of two", "(not (todo) (done))", 2, "not takes one query"},
		{"sexp too deep", strings.Repeat("(not ", 3*query.MaxDepth), 10*query.MaxDepth + 7, "nested more than"},
		{"json unclosed", `["and",["todo"]`, 1, "the list has no end"},
		{"json cut in a text", `["and",["to`, 9, "invalid JSON: it ends too early"},
		{"json cut between texts", `["and",["todo",`, 16, "it ends too early"},
		{"json broken", `["and",]`, 8, "invalid JSON"},
		{"json null", `["todo",null]`, 9, "null in a query"},
		{"json behind", `["todo"] x`, 10, "text after the list"},
		{"json list of lists", `["and",[["todo"]]]`, 8, "a list must start with"},
		{"json object in an object", `["deadline",{"to":{"on":1}}]`, 19, "an object as a value"},
		{"comparator without an operand", `["level",">"]`, 10, "is not a level or a comparison"},
		{"json unknown", `["and",["tagz","a"]]`, 9, "did you mean tags"},
		{"json too deep", strings.Repeat(`["not",`, 3*query.MaxDepth), 14*query.MaxDepth + 9, "nested more than"},
		{"meaning too deep", strings.Repeat("(parent ", query.MaxDepth) + "(todo)" + strings.Repeat(")", query.MaxDepth), 1, "nested more than"},
		{"option that is neither", "property:K,inherit=maybe", 12, "inherit must be t or nil"},
		{"option without a value", "link:target=", 6, "an argument is empty"},
		{"no time", "deadline:tomorrow", 10, "is not on=, from= or to="},
		{"two dates for one", "changed-since:2026-01-01,2026-01-02", 26, `"2026-01-02" is not a date`},
		{"no such day of change", "changed-since:soon", 15, `"soon" is not a date`},
		{"no such date", "ts:on=2026-02-30", 4, "is not a date"},
		{"endless days", "ts:to=99999999999", 4, "is not a date"},
		{"no effort", "effort:2x", 8, "is not a duration or a comparison"},
		{"no pattern", "src:(", 5, "( inside a word"},
		{"relatives take no argument", "parent:x", 8, "takes a query, not arguments"},
		{"relatives unclosed", "parent:(todo:", 8, "no ) for this ("},
		{"unknown type", "todo: type:table,wib.ble", 18, `unknown type "wib.ble"; known are document headline babel-call`},
		{"misspelt type", "type:HEADLIN", 6, "did you mean headline"},
		{"object type", "type:link", 6, "link is an inline object; only elements and nodes can be found; link: finds nodes with one"},
		{"object type in a list", `["not",["type","Table_Cell"]]`, 16, "table-cell is an inline object; only elements and nodes can be found; known are document"},
		{"object type like none", "type:underline", 6, "underline is an inline object; only elements and nodes can be found; known are document"},
		{"error inside relatives", "parent:(tag:x)", 9, "did you mean tags"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := query.Parse(tc.in)
			e, ok := errors.AsType[*query.SyntaxError](err)
			if !ok || e.Column != tc.column || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("Parse(%q): %v; want column %d and %q", tc.in, err, tc.column, tc.says)
			}
		})
	}
}

// TestErrorText checks the whole line of an error.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]*query.SyntaxError{
		"query: column 3: no end; add one": {Column: 3, Message: "no end", Hint: "add one"},
		"query: no end":                    {Message: "no end"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestEmptyQuery checks that a missing tree is the query that matches everything.
func TestEmptyQuery(t *testing.T) {
	for want, e := range map[string]query.Expr{
		`["and"]`: nil, `["not",["and"]]`: not(nil), `["or",["and"],["done"]]`: or(nil, pred("done")),
	} {
		if got := printJSON(e); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		m, err := query.Compile(e, now)
		if err != nil || m.Match(entries[0]) == strings.Contains(want, "not") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for _, tc := range []struct{ in, want string }{
		{"a tag:x", "a tag:x\n  ^"},
		{"é\t記 tag:x", "é 記 tag:x\n    ^"},
		{"a (b", "a (b\n  ^"},
		{"!", "!\n^"},
		{long + "tag:x", long[len(long)-65:] + "tag:x\n" + strings.Repeat(" ", 65) + "^"},
		{"tag:x " + long, ("tag:x " + long)[:70] + "\n^"},
	} {
		_, err := query.Parse(tc.in)
		e, ok := errors.AsType[*query.SyntaxError](err)
		if !ok || e.Excerpt() != tc.want {
			t.Errorf("Parse(%q): %v\n%s\nwant\n%s", tc.in, err, e.Excerpt(), tc.want)
		}
	}
	_, err := query.Compile(pred("nope"), now)
	if e, ok := errors.AsType[*query.SyntaxError](err); !ok || e.Excerpt() != "" {
		t.Errorf("an excerpt without a text: %v", err)
	}
}

func TestCompileErrors(t *testing.T) {
	for name, e := range map[string]query.Expr{
		"unknown predicate":  and(pred("nope", "x")),
		"wrong argument":     or(not(pred("regexp", "("))),
		"no nested query":    query.Pred{Name: "todo", Of: pred("done")},
		"unknown type":       pred("type", "headlin"),
		"wrong in relatives": query.Pred{Name: "parent", Of: pred("nope")},
	} {
		_, err := query.Compile(e, now)
		if s, ok := errors.AsType[*query.SyntaxError](err); !ok || s.Column != 0 {
			t.Errorf("%s: Compile(%v): %v; want a *SyntaxError without column", name, e, err)
		}
	}
}

// FuzzParse looks for panics and for accepted texts whose tree does not compile or
// prints as something that parses differently.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "()", "!()", "a b OR c | d", `heading:"quoted phrase",word`, "(tags:a OR tags:b) priority:>=B !done: level:2..3",
		`property:KEY="a b",c "x:y" \q "\"\\"`, "NOT (a AND !!b)", "path:\\.org$ regexp:\"a|b\" id:~x type:headline", "rifle:\"\u00a0\",x \u2003y",
		"ancestors:(parent:() a) children:", `(and (level > 2) (src :regexps ("a" "b")) "w\"")`, `["or",["ts",{"on":1}],["not","x"],["parent",["todo"]]]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := query.Parse(s)
		if err != nil {
			if e, ok := errors.AsType[*query.SyntaxError](err); !ok || e.Column < 1 || e.Column > len(s)+1 {
				t.Fatalf("Parse(%q): %#v points outside the text", s, err)
			}
			return
		}
		if _, err := query.Compile(e, now); err != nil {
			t.Fatalf("Parse(%q) = %v, which does not compile: %v", s, e, err)
		}
		if diff := cmp.Diff(e, query.Simplify(e)); diff != "" {
			t.Fatalf("Parse(%q) is not simplified (-got +want):\n%s", s, diff)
		}
		if fromJSON, err := query.Parse(printJSON(e)); err != nil && len(printJSON(e)) <= query.MaxBytes || err == nil && !cmp.Equal(fromJSON, e) {
			t.Fatalf("Parse(%q) is %s in JSON, which gives %v, %v", s, printJSON(e), fromJSON, err)
		}
		printed := e.String()
		if len(printed) > query.MaxBytes { // quoting and parentheses may lengthen a text
			return
		}
		again, err := query.Parse(printed)
		if err != nil {
			t.Fatalf("Parse(%q) prints as %q, which does not parse: %v", s, printed, err)
		}
		if diff := cmp.Diff(e, again); diff != "" {
			t.Fatalf("Parse(%q) prints as %q, which parses otherwise (-want +got):\n%s", s, printed, diff)
		}
	})
}
