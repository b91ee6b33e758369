// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query_test

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/query"
)

// now is a Wednesday noon, east of Greenwich.
var now = time.Date(2026, 11, 18, 12, 0, 0, 0, time.FixedZone("CET", 3600))

// entry is a candidate made of plain values.
type entry struct {
	id, kind, todo, heading, text, priority, path string
	done, blocked                                 bool
	own, inherited                                []string
	properties, above                             map[string][]string
	level                                         int
	category, digest                              string
	outline                                       []string
	groups                                        map[string][]string
	times                                         map[query.TimeKind][]query.Time
	links                                         []query.Link
	sources                                       []query.Source
	modified                                      time.Time
	parent                                        *entry
	children                                      []*entry
}

func (e entry) ID() string                             { return e.id }
func (e entry) Type() string                           { return e.kind }
func (e entry) Todo() string                           { return e.todo }
func (e entry) Done() bool                             { return e.done }
func (e entry) Blocked() bool                          { return e.blocked }
func (e entry) Tags() []string                         { return slices.Concat(e.own, e.inherited) }
func (e entry) LocalTags() []string                    { return e.own }
func (e entry) InheritedTags() []string                { return e.inherited }
func (e entry) InGroup(tag, group string) bool         { return slices.Contains(e.groups[group], tag) }
func (e entry) Property(key string) []string           { return e.properties[strings.ToUpper(key)] }
func (e entry) Category() string                       { return e.category }
func (e entry) Heading() string                        { return e.heading }
func (e entry) OutlinePath() []string                  { return append(slices.Clip(e.outline), e.heading) }
func (e entry) Text() string                           { return e.text }
func (e entry) Level() int                             { return e.level }
func (e entry) Priority() string                       { return e.priority }
func (e entry) Path() string                           { return e.path }
func (e entry) Times(kind query.TimeKind) []query.Time { return e.times[kind] }
func (e entry) Links() []query.Link                    { return e.links }
func (e entry) Sources() []query.Source                { return e.sources }
func (e entry) HasDigest(prefix string) bool           { return strings.HasPrefix(e.digest, prefix) }
func (e entry) Modified() time.Time                    { return e.modified }

func (e entry) InheritedProperty(key string) []string {
	if own := e.Property(key); len(own) > 0 {
		return own
	}
	return e.above[strings.ToUpper(key)]
}

func (e entry) Parent() (query.Candidate, bool) {
	if e.parent == nil {
		return nil, false
	}
	return *e.parent, true
}

func (e entry) Children() iter.Seq[query.Candidate] {
	return func(yield func(query.Candidate) bool) {
		for _, c := range e.children {
			if !yield(*c) {
				return
			}
		}
	}
}

// at returns the timestamp of a day, or of a day and a time.
func at(stamp string) query.Time {
	t, err := time.Parse("2006-01-02 15:04", stamp)
	if err != nil {
		t, _ = time.Parse(time.DateOnly, stamp)
	}
	return query.Time{Start: t, End: t, Active: true, Warning: 14}
}

var (
	task = entry{
		id: "t1", kind: "headline", todo: "NEXT", heading: "Write the Letter", level: 2, priority: "B", path: "work/Inbox.org",
		text: "** NEXT [#B] Write the Letter :project:\nTo the office. Costs 1,000.\n- first\n- second line\n",
		own:  []string{"project"}, inherited: []string{"work"},
		properties: map[string][]string{"EFFORT": {"1:00"}, "NOTE": {"a b", "c"}, "EMPTY": {""}},
	}
	finished = entry{id: "t2", kind: "headline", todo: "CANCELLED", done: true, heading: "Call", level: 3, text: "*** CANCELLED Call\n"}
	note     = entry{id: "n1", kind: "headline", heading: "Ideas", level: 1, priority: "12", text: "* [#12] Ideas\n"}
	document = entry{id: "d1", kind: "document", heading: "My Inbox", path: "work/Inbox.org", text: "#+title: My\n#+title: Inbox\n", own: []string{"work"}}
	object   = entry{id: "o1", kind: "table", text: "| a |\n"}
	entries  = []entry{task, finished, note, document, object}
)

// plan is a small memex in which every predicate has a match: a document with a
// project, and in it a task and an appointment.
func plan() []entry {
	file := &entry{id: "f", kind: "document", heading: "Plans", category: "plans", own: []string{"filed"}}
	project := &entry{
		id: "p", kind: "headline", heading: "Rain gauge", level: 1, category: "plans", todo: "NEXT", parent: file, blocked: true,
		own: []string{"project"}, inherited: []string{"filed"}, groups: map[string][]string{"GTD": {"project"}},
		properties: map[string][]string{"EFFORT": {"1:30"}, "OWNER": {"Aiko"}}, digest: "bafyabc",
		times:    map[query.TimeKind][]query.Time{query.Deadline: {at("2026-11-30")}, query.AnyTime: {at("2026-11-30")}},
		modified: time.Date(2026, 11, 17, 23, 30, 0, 0, time.UTC), // the 18th where now is
	}
	visit := at("2026-11-16 09:00")
	visit.End, visit.Active = visit.End.AddDate(0, 0, 3), false
	task := &entry{
		id: "t", kind: "headline", heading: "Solder", level: 2, category: "work", outline: []string{"Rain gauge"}, parent: project,
		inherited: []string{"filed", "project"}, groups: project.groups, above: map[string][]string{"OWNER": {"Aiko"}},
		properties: map[string][]string{"EFFORT": {"1d 2h"}, "STYLE": {"habit"}},
		times: map[query.TimeKind][]query.Time{
			query.Scheduled: {at("2026-11-18 09:00")}, query.Closed: {at("2026-11-25")}, query.Clocked: {visit},
			query.AnyTime: {visit, at("2026-11-18 09:00")},
		},
		links:   []query.Link{{Target: "https://example.org/a", Description: "the Manual"}, {Target: "id:x"}},
		sources: []query.Source{{Language: "Go", Body: "func main() {\n}\n"}, {Language: "sh", Body: "ls\n"}},
	}
	late := &entry{
		id: "l", kind: "headline", heading: "Late", level: 2, outline: []string{"Rain gauge"}, parent: project,
		times: map[query.TimeKind][]query.Time{query.Deadline: {at("2026-11-01")}},
	}
	file.children, project.children = []*entry{project}, []*entry{task, late}
	return []entry{*file, *project, *task, *late}
}

func TestMatchPlan(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"all tags", "tags-all:filed,project", "p t"},
		{"all tags, one missing", "tags-all:filed,none", ""},
		{"tags from above", "tags-inherited:project", "t"},
		{"any tag from above", "itags:", "p t"},
		{"tag by pattern", "tags-regexp:^PRO", "p t"},
		{"group tag", "tags:GTD", "p t"},
		{"group tag, own", "tags-local:GTD", "p"},
		{"group tag among all", "tags&:GTD,filed", "p t"},
		{"a member is not its group", "tags:project !tags:GTD", ""},
		{"category", "category:plans,work", "f p t"},
		{"any category", "category:", "f p t"},
		{"blocked", "blocked:", "p"},
		{"habit", "habit:", "t"},
		{"digest", "hash:bafya", "p"},
		{"outline path", "outline-path:gauge,SOLDER", "t"},
		{"words in a heading above", "solder gauge", "t"},
		{"property from above", "property:OWNER,inherit=t", "p t"},
		{"property with a value from above", "property:owner=Aiko,inherit=t", "p t"},
		{"property of its own", "property:OWNER,inherit=nil", "p"},
		{"property of its own, as in JSON", "property:OWNER,inherit=false", "p"},
		{"property from above, as in JSON", "property:OWNER,inherit=true", "p t"},
		{"effort there", "effort:", "p t"},
		{"effort equal", "effort:90", "p"},
		{"effort of several", "effort:1h,90min", "p"},
		{"effort less", "effort:<2h", "p"},
		{"effort in days", "effort:>=1d", "t"},
		{"effort range", "effort:1h..2h", "p"},
		{"effort range as in org-ql", "effort:1h,2h", "p"},
		{"deadline there", "deadline:", "p l"},
		{"deadline on a day", "deadline:on=2026-11-30", "p"},
		{"deadline from", "deadline:from=2026-11-02", "p"},
		{"deadline to, in days", "deadline:to=12", "p l"},
		{"deadline to, too near", "deadline:to=11", "l"},
		{"deadline between", "deadline:from=-30,to=today", "l"},
		{"deadline that Org warns of", "deadline:auto", "p l"},
		{"scheduled today", "scheduled:on=today", "t"},
		{"scheduled before noon", `scheduled:"to=2026-11-18 08:59"`, ""},
		{"scheduled by the minute", `scheduled:"to=2026-11-18 09:00"`, "t"},
		{"closed", "closed:from=7", "t"},
		{"planning", "planning:from=2026-11-18", "p t"},
		{"clocked range around the day", "clocked:on=2026-11-17", "t"},
		{"clocked before", "clocked:to=2026-11-15", ""},
		{"any timestamp", "ts:on=0", "t"},
		{"active timestamp", "ts-a:on=-1", ""},
		{"inactive timestamp", "ts-inactive:on=-1", "t"},
		{"changed since, on the calendar of now", "changed-since:today", "p"},
		{"changed since a moment", `changed-since:"2026-11-18 00:31"`, ""},
		{"link", "link:", "t"},
		{"link by address or description", "link:manual,example", "t"},
		{"link wants one link", "link:manual,id:x", ""},
		{"link by address", "link:target=manual", ""},
		{"link by description", "link:description=manual", "t"},
		{"link by pattern", "link:target=^ID:.$,regexp-p=t", "t"},
		{"source", "src:", "t"},
		{"source by language", "src:lang=go", "t"},
		{"source by pattern", `src:"^func .*{$",lang=go`, "t"},
		{"source wants one block", "src:^ls,lang=go", ""},
		{"parent", "parent:(todo:)", "t l"},
		{"parent is there", "parent:", "p t l"},
		{"ancestors", "ancestors:(type:document)", "p t l"},
		{"children", "children:(deadline: !src:)", "f p"},
		{"descendants", "descendants:(src:)", "f p"},
		{"no descendants", "!descendants:", "t l"},
		{"relatives of relatives", "children:(children:(src:))", "f"},
		{"sexp", `(and (ancestors (todo "NEXT")) (or (src :lang "sh") (deadline :to today)))`, "t l"},
		{"sexp with a comparator", `(and (level > 1) (effort '>= "1d"))`, "t"},
		{"json", `["and",["level",">",1],["deadline",{"from":-30,"to":"today"}]]`, "l"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, err := query.Parse(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			m, err := query.Compile(e, now)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range plan() {
				if m.Match(c) {
					got = append(got, c.id)
				}
			}
			if joined := strings.Join(got, " "); joined != tc.want {
				t.Errorf("%q matches %q, want %q", tc.in, joined, tc.want)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		want     string // ids
	}{
		{"everything", "", "t1 t2 n1 d1 o1"},
		{"nothing", "!()", ""},
		{"todo without keywords is not done", "todo:", "t1"},
		{"todo by keyword", "todo:CANCELLED", "t2"},
		{"todo by any keyword", "todo:CANCELLED,NEXT", "t1 t2"},
		{"todo counts case", "todo:next", ""},
		{"done", "done:", "t2"},
		{"not done includes what has no keyword", "!done:", "t1 n1 d1 o1"},
		{"tags are inherited", "tags:work", "t1 d1"},
		{"tags are never a substring", "tags:pro,projec,projects", ""},
		{"tags count case", "tags:Project", ""},
		{"tags without argument", "tags:", "t1 d1"},
		{"own tags", "tags-local:work", "d1"},
		{"own tags, any", "tags-local:project,work", "t1 d1"},
		{"own tags without argument", "tags-local:", "t1 d1"},
		{"type", "type:document", "d1"},
		{"type is exact", "type:table", "o1"},
		{"types", "type:document,table", "d1 o1"},
		{"id", "id:t2,o1,none", "t2 o1"},
		{"property", "property:EFFORT", "t1"},
		{"property in any case", "property:effort", "t1"},
		{"property that is empty is there", "property:EMPTY", "t1"},
		{"property with a value", "property:EFFORT=1:00", "t1"},
		{"property with org-ql's comma", "property:EFFORT,1:00", "t1"},
		{"property with another value", "property:EFFORT=1", ""},
		{"property with any value", "property:NOTE=x,c", "t1"},
		{"property with a quoted value", `property:NOTE="a b"`, "t1"},
		{"property with an empty value", "property:EMPTY=", "t1"},
		{"property without the empty value", "property:EFFORT=", ""},
		{"heading ignores case", "heading:LETTER", "t1"},
		{"heading wants all", "heading:write,letter", "t1"},
		{"heading wants all and has one", "heading:write,call", ""},
		{"heading is text", "heading:w.ite", ""},
		{"heading is not the body", "heading:office", ""},
		{"regexp", `regexp:"costs \d"`, "t1"},
		{"regexp by lines", "regexp:^-,line$", "t1"},
		{"regexp with case", `regexp:"(?-i)Write"`, "t1"},
		{"regexp in another case", `regexp:"(?-i)write"`, ""},
		{"words ignore case", "WRITE OFFICE", "t1"},
		{"words are text", "o.fice", ""},
		{"words in a title that the text spells otherwise", `"my inbox"`, "d1"},
		{"word with a comma", "1,000", "t1"},
		{"phrase over a line end does not match", `"office costs"`, ""},
		{"level", "level:2", "t1"},
		{"level of a document", "level:0 type:document", "d1"},
		{"level greater", "level:>2", "t2"},
		{"level at least", "level:>=2", "t1 t2"},
		{"level less", "level:<2 type:headline", "n1"},
		{"level below one", "level:<1 !type:table", "d1"},
		{"level at most", "level:<=2 type:headline", "t1 n1"},
		{"level equal", "level:=3", "t2"},
		{"level range", "level:2..3", "t1 t2"},
		{"level range backwards", "level:3..2", "t1 t2"},
		{"level range as in org-ql", "level:1,3", "t1 t2 n1"},
		{"priority", "priority:B", "t1"},
		{"priority in small letters", "priority:b", "t1"},
		{"priority at least: numbers are above letters", "priority:>=B", "t1 n1"},
		{"priority above", "priority:>B", "n1"},
		{"priority at most", "priority:<=B", "t1"},
		{"priority below", "priority:<B", ""},
		{"priority range", "priority:A..C", "t1"},
		{"priority of several", "priority:A,12", "n1"},
		{"priority number at least", "priority:>=13", "n1"},
		{"priority number below", "priority:<12", "t1"},
		{"any priority", "priority:", "t1 n1"},
		{"without a cookie nothing compares", "priority:<=A", "t1"},
		{"path", "path:inbox", "t1 d1"},
		{"path is a regular expression", "path:^work/.*org$", "t1 d1"},
		{"any path", "path:", "t1 d1"},
		{"or", "todo: OR type:table", "t1 o1"},
		{"group", "(todo: | done:) level:>2", "t2"},
		{"not of a group", "!(type:headline OR type:table)", "d1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, err := query.Parse(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			m, err := query.Compile(e, now)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range entries {
				if m.Match(c) {
					got = append(got, c.id)
				}
			}
			if joined := strings.Join(got, " "); joined != tc.want {
				t.Errorf("%q matches %q, want %q", tc.in, joined, tc.want)
			}
		})
	}
}

// TestPredicates checks that the table is sorted, names are unique and forms parse.
func TestPredicates(t *testing.T) {
	list := query.Predicates()
	seen := map[string]bool{}
	for i, p := range list {
		if i > 0 && list[i-1].Name >= p.Name {
			t.Errorf("%s stands after %s", p.Name, list[i-1].Name)
		}
		if !strings.HasPrefix(p.Form, p.Name+":") || p.Doc == "" {
			t.Errorf("%s: form %q, doc %q", p.Name, p.Form, p.Doc)
		}
		for _, name := range append(p.Aliases, p.Name) {
			if seen[name] {
				t.Errorf("%s names two predicates", name)
			}
			seen[name] = true
		}
	}
	if len(list) > 0 && len(list[0].Aliases) == 0 {
		list[0].Name = "changed"
		if query.Predicates()[0].Name == "changed" {
			t.Error("Predicates returns its own table")
		}
	}
}

// BenchmarkMatch matches generated entries with plain words and with tags.
func BenchmarkMatch(b *testing.B) {
	var list []entry
	size := int64(0)
	for i := range 50 {
		for part := range strings.SplitSeq(foveatest.GenFile(i, 100), "\n*") {
			heading, _, _ := strings.Cut(part, "\n")
			list = append(list, entry{kind: "headline", heading: heading, text: part, own: []string{"work"}, level: 1})
			size += int64(len(part))
		}
	}
	for _, in := range []string{"absentword", "ABSENTÉ", "記憶", "regexp:absent.*word", "tags:work", "absentword tags:home"} {
		b.Run(in, func(b *testing.B) {
			e, err := query.Parse(in)
			if err != nil {
				b.Fatal(err)
			}
			m, err := query.Compile(e, now)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			for b.Loop() {
				for i := range list {
					m.Match(&list[i])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/node")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	const in = `(tags:a OR tags:b) priority:>=B !done: heading:"quoted phrase",word plain words level:2..3`
	for b.Loop() {
		if _, err := query.Parse(in); err != nil {
			b.Fatal(err)
		}
	}
}

// match compiles a query for one candidate; an invalid tree matches nothing.
func match(e query.Expr, c query.Candidate, now time.Time) bool {
	m, err := query.Compile(e, now)
	return err == nil && m.Match(c)
}

func TestTypeInAnyCase(t *testing.T) {
	for _, q := range []string{"type:HEADLINE", "type:headline", "type:Headline,src_block"} {
		e, err := query.Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		if !match(e, entry{kind: "headline"}, now) || match(e, entry{kind: "document"}, now) {
			t.Errorf("%s does not match a headline alone", q)
		}
	}
	e, err := query.Parse("type:SRC_BLOCK")
	if err != nil || !match(e, entry{kind: "src-block"}, now) {
		t.Errorf("SRC_BLOCK does not match src-block: %v", err)
	}
}

// TestDurations checks Org's durations: their minutes, rounded down.
func TestDurations(t *testing.T) {
	for effort, want := range map[string]string{
		"30": "30", "1:30": "90", "1:30:59": "90", "1:30:60": "91", "1h 30min": "90", "1.5h": "90", "1d 3:05": "1625", "1w": "10080", "2m": "86400", "1y": "525960",
	} {
		e, err := query.Parse("effort:" + want)
		if err != nil {
			t.Fatal(err)
		}
		c := entry{properties: map[string][]string{"EFFORT": {effort}}}
		if !match(e, c, now) {
			t.Errorf("%s is not %s minutes", effort, want)
		}
		if e, err = query.Parse(`effort:"` + effort + `"`); err != nil || !match(e, c, now) {
			t.Errorf("%s does not match itself: %v", effort, err)
		}
	}
	every, _ := query.Parse("effort:>=0")
	for _, effort := range []string{"", "x", "1:30 x", "30 30", "1h 30", "1:3", "1:30h", "1x", "999999999999"} {
		if match(every, entry{properties: map[string][]string{"EFFORT": {effort}}}, now) {
			t.Errorf("%q is taken for a duration", effort)
		}
	}
}

// TestBounds checks the largest numbers, the farthest days and the longest text that a
// query may have.
func TestBounds(t *testing.T) {
	for _, tc := range []struct{ within, beyond string }{
		{"level:1073741823", "level:1073741824"},
		{"priority:64", "priority:65"},
		{"effort:1073741823", "effort:1073741824"},
		{"priority:A", "priority:@"},
		{"priority:z", "priority:{"},
		{"ts:from=1000000", "ts:from=1000001"},
		{"ts:from=-1000000", "ts:from=-1000001"},
		{strings.Repeat("(parent ", 99) + "(todo)" + strings.Repeat(")", 99), strings.Repeat("(parent ", 100) + "(todo)" + strings.Repeat(")", 100)},
		{strings.Repeat("a", 16384), strings.Repeat("a", 16385)},
	} {
		if _, err := query.Parse(tc.within); err != nil {
			t.Errorf("%.30s: %v", tc.within, err)
		}
		if _, err := query.Parse(tc.beyond); err == nil {
			t.Errorf("%.30s is accepted", tc.beyond)
		}
	}
}

// TestWarnedDeadlines checks the last day of the warning period: Org warns of a deadline
// from its number of days before on.
func TestWarnedDeadlines(t *testing.T) {
	e, err := query.Parse("deadline:auto")
	if err != nil {
		t.Fatal(err)
	}
	for day, want := range map[string]bool{"2026-01-01": true, "2026-11-18": true, "2026-12-02": true, "2026-12-02 23:59": true, "2026-12-03": false} {
		c := entry{times: map[query.TimeKind][]query.Time{query.Deadline: {at(day)}}}
		if match(e, c, now) != want {
			t.Errorf("warned of %s, 14 days before it: %v", day, !want)
		}
	}
}

// TestLettersThatFoldToASCII checks the two letters outside ASCII that are k and s in
// another case, for words with and without them.
func TestLettersThatFoldToASCII(t *testing.T) {
	c := entry{heading: "273 \u212aelvin, \u017fteam"}
	for q, want := range map[string]bool{"kelvin": true, "KELVIN": true, "steam": true, "Steam": true, "elvin": true, "kteam": false} {
		if match(pred("heading", q), c, now) != want {
			t.Errorf("heading:%s on %q: %v", q, c.heading, !want)
		}
	}
}
