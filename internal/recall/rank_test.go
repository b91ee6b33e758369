// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/query"
)

// vectors is a toy arm for meaning: the direction of a text is the sum of those of its
// words. It is silent for a text without a known word.
type vectors struct {
	state *graph.State
	words map[string][2]float64
}

const weightVectors = 0.8

func (vectors) Name() string { return "vectors" }

func (v vectors) embed(text string) (sum [2]float64, length float64) {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		sum[0] += v.words[w][0]
		sum[1] += v.words[w][1]
	}
	return sum, math.Hypot(sum[0], sum[1])
}

func (v vectors) Rank(req Request, _ []index.Hit) []index.Hit {
	asked, length := v.embed(req.Text)
	if length == 0 {
		return nil
	}
	var out []index.Hit
	for n := range v.state.All() {
		if of, l := v.embed(n.Title() + " " + n.Body()); l > 0 {
			cosine := (asked[0]*of[0] + asked[1]*of[1]) / (length * l)
			out = append(out, index.Hit{ID: n.ID, Score: weightVectors * cosine})
		}
	}
	return out
}

// siblings is a toy arm that builds on the first: the headlines beside a hit get half
// of its share.
type siblings struct{ state *graph.State }

func (siblings) Name() string { return "siblings" }

func (s siblings) Rank(_ Request, first []index.Hit) []index.Hit {
	shares := map[string]float64{}
	for _, h := range first {
		n, _ := s.state.Get(h.ID)
		parent, _ := s.state.Get(n.Parent)
		for _, kid := range parent.Kids {
			if kid != h.ID {
				shares[kid] = max(shares[kid], h.Score/first[0].Score/2)
			}
		}
	}
	var out []index.Hit
	for id, share := range shares {
		out = append(out, index.Hit{ID: id, Score: share})
	}
	return out
}

// fixed is an arm that always gives the same.
type fixed struct {
	name   string
	scores []index.Hit
}

func (f fixed) Name() string                          { return f.name }
func (f fixed) Rank(Request, []index.Hit) []index.Hit { return slices.Clone(f.scores) }

// catView is a view of four headlines with words and vectors: cats are near dogs and
// far from tax.
func catView() View {
	v := view(map[string]string{"a.org": "* cat purrs\n* puppy sleeps\n* tax return\n* nothing here\n"})
	v.Arms = append(v.Arms, vectors{v.State, map[string][2]float64{"cat": {1, 0}, "kitten": {1, 0}, "puppy": {.6, .8}, "tax": {-1, 0}}})
	return v
}

// search returns the titles and arms of hits.
func search(t *testing.T, v View, text, keep string) []string {
	t.Helper()
	var e query.Expr
	if keep != "" {
		var err error
		if e, err = query.Parse(keep); err != nil {
			t.Fatal(err)
		}
	}
	hits, err := v.Search(text, 0, e, now)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range hits {
		total := 0.0
		for _, c := range h.Arms {
			total += c.Score
		}
		if total != h.Score {
			t.Errorf("%s: the arms add up to %v, not to %v", h.Node.Title(), total, h.Score)
		}
		out = append(out, h.Node.Title()+": "+strings.Join(h.ArmNames(), "+"))
	}
	return out
}

// TestArmsAddUp checks that a second arm finds nodes that share no word with the
// question, raises and lowers those that do, and stands in the explanation.
func TestArmsAddUp(t *testing.T) {
	v := catView()
	for _, tc := range []struct {
		text, keep string
		want       []string
	}{
		{"cat", "", []string{"cat purrs: lexical+vectors", "puppy sleeps: vectors"}},
		{"kitten", "", []string{"cat purrs: vectors", "puppy sleeps: vectors"}}, // the words find nothing
		{"cat", "!heading:purrs", []string{"puppy sleeps: vectors"}},
		{"cat tax", "heading:tax", []string{"tax return: lexical"}}, // opposite directions cancel out
		{"nothing", "", []string{"nothing here: lexical"}},
		{"kitten return", "", []string{"cat purrs: vectors", "puppy sleeps: vectors", "tax return: lexical+vectors"}},
	} {
		if diff := gocmp.Diff(tc.want, search(t, v, tc.text, tc.keep)); diff != "" {
			t.Errorf("%q with %q (-want +got)\n%s", tc.text, tc.keep, diff)
		}
	}
}

// TestSingleArm checks that words alone, or beside silent arms, rank bit for bit as
// their index does.
func TestSingleArm(t *testing.T) {
	v := catView()
	words := v.Arms[0].(Words)
	for _, arms := range [][]Ranker{v.Arms[:1], {words, fixed{"silent", nil}}, v.Arms} {
		v.Arms = arms
		got := v.Rank(Request{Text: "return sleeps here", Limit: 2})
		want := words().Search(index.Query{Text: "return sleeps here", Limit: 2})
		if diff := gocmp.Diff(want, got.Hits); diff != "" || len(want) != 2 {
			t.Errorf("%d arms (-want +got)\n%s", len(arms), diff)
		}
		for _, h := range got.Hits {
			if diff := gocmp.Diff([]Contribution{{"lexical", h.Score}}, got.Contributions(h)); diff != "" || got.Reason(h) != "" {
				t.Errorf("%d arms, %q (-want +got)\n%s", len(arms), got.Reason(h), diff)
			}
		}
	}
}

// limits is an arm that notes how many nodes it was asked for.
type limits struct{ asked *[]int }

func (limits) Name() string { return "limits" }
func (l limits) Rank(req Request, _ []index.Hit) []index.Hit {
	*l.asked = append(*l.asked, req.Limit)
	return nil
}

// TestLimits checks that arms that add up see at least a pool, those of a request without a
// limit all nodes, and an arm alone as many as are wanted.
func TestLimits(t *testing.T) {
	var asked []int
	arm := limits{&asked}
	for _, limit := range []int{0, 3, 5000} {
		View{Arms: []Ranker{arm}}.Rank(Request{Limit: limit})
		View{Arms: []Ranker{fixed{"first", nil}, arm}}.Rank(Request{Limit: limit})
	}
	if want := []int{0, 0, 3, minPool, 5000, 5000}; !slices.Equal(asked, want) {
		t.Errorf("arms are asked for %d, want %d", asked, want)
	}
}

// TestSilentArms checks that an arm that gives nothing leaves the order of the first one.
func TestSilentArms(t *testing.T) {
	want := []index.Hit{{ID: "b", Score: 1}, {ID: "a", Score: 2}, {ID: "c", Score: 0}}
	v := View{Arms: []Ranker{fixed{"first", want}, fixed{"silent", []index.Hit{}}}}
	if diff := gocmp.Diff(want, v.Rank(Request{}).Hits); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestFocus checks that words rank by title, body and question.
func TestFocus(t *testing.T) {
	v := view(map[string]string{"a.org": "* cat\npurrs\n* other\npurrs\n* third\ncat\n* fourth\nhorse\n"})
	n, err := v.Resolve("cat")
	if err != nil {
		t.Fatal(err)
	}
	found := func(req Request) (ids []string) {
		for _, h := range v.Rank(req).Hits {
			m, _ := v.State.Get(h.ID)
			ids = append(ids, m.Title())
		}
		slices.Sort(ids)
		return ids
	}
	if got, want := found(Request{Focus: n, Text: "horse"}), []string{"cat", "fourth", "other", "third"}; !slices.Equal(got, want) {
		t.Errorf("focus and text find %q, want %q", got, want)
	}
	if got, want := found(Request{Text: "horse"}), []string{"fourth"}; !slices.Equal(got, want) {
		t.Errorf("text finds %q, want %q", got, want)
	}
}

// TestArmsBuildOnTheFirst checks that an arm sees what the first one gave, as a ranker
// of neighbours needs it.
func TestArmsBuildOnTheFirst(t *testing.T) {
	v := view(map[string]string{"a.org": "* talk\n** cat purrs\n** then it slept\n* unrelated\n"})
	v.Arms = append(v.Arms, siblings{v.State})
	if diff := gocmp.Diff([]string{"cat purrs: lexical", "then it slept: siblings"}, search(t, v, "purrs", "")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestBoundedArms checks that an arm gives a node at most what the best hit of the
// first arm has, that nodes without a score above 0 are left out, and that a number
// that is none counts as nothing.
func TestBoundedArms(t *testing.T) {
	first := []index.Hit{{ID: "a", Score: 8}, {ID: "b", Score: 6}, {ID: "c", Score: 2}}
	v := View{State: &graph.State{}, Arms: []Ranker{
		fixed{"first", first},
		fixed{"wild", []index.Hit{{ID: "d", Score: math.Inf(1)}, {ID: "c", Score: 2}, {ID: "a", Score: math.NaN()}, {ID: "b", Score: -7}, {ID: "e", Score: -.1},
			{ID: "f"}}},
	}}
	r := v.Rank(Request{})
	want := []index.Hit{{ID: "c", Score: 10}, {ID: "a", Score: 8}, {ID: "d", Score: 8}}
	if diff := gocmp.Diff(want, r.Hits); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := gocmp.Diff([]Contribution{{"first", 8}}, r.Contributions(want[1])); diff != "" {
		t.Errorf("contributions to a (-want +got)\n%s", diff)
	}
	for i, reason := range []string{"wild", "", "wild"} {
		if got := r.Reason(want[i]); got != reason {
			t.Errorf("reason of %s is %q, want %q", want[i].ID, got, reason)
		}
	}
}

// TestReasonNamesWhatSpeaksForAHit checks that arms that lower a score are no reason to
// show a node.
func TestReasonNamesWhatSpeaksForAHit(t *testing.T) {
	hit := func(share float64) []index.Hit { return []index.Hit{{ID: "a", Score: share}} }
	v := View{State: &graph.State{}, Arms: []Ranker{fixed{"words", hit(1)}, fixed{"people", hit(.3)}, fixed{"dates", hit(-.2)}, fixed{"links", hit(.1)}}}
	r := v.Rank(Request{})
	if got := r.Reason(r.Hits[0]); got != "people, links" {
		t.Errorf("reason %q, want people, links", got)
	}
}

// TestLimitCountsSums checks that the best node by the sum is found even if no arm
// ranks it first.
func TestLimitCountsSums(t *testing.T) {
	text := strings.Repeat("* cat cat\n", 20) + "* cat and a much longer title with puppy\n"
	v := view(map[string]string{"a.org": text})
	v.Arms = append(v.Arms, vectors{v.State, map[string][2]float64{"puppy": {1, 0}, "dog": {1, 0}}})
	hits, err := v.Search("cat dog", 1, nil, now)
	if err != nil || len(hits) != 1 || !strings.HasSuffix(hits[0].Node.Title(), "puppy") {
		t.Fatalf("%v, %v", hits, err)
	}
}

// TestNoArm checks a view without arms, and one whose arms are all silent.
func TestNoArm(t *testing.T) {
	for _, v := range []View{{State: &graph.State{}}, {State: &graph.State{}, Arms: []Ranker{fixed{}, fixed{}}}} {
		if hits, err := v.Search("x", 3, nil, now); err != nil || len(hits) != 0 {
			t.Errorf("%v, %v", hits, err)
		}
	}
}

// TestSumModel compares sums of random arms with a naive one.
func TestSumModel(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	rapid.Check(t, func(t *rapid.T) {
		arms := make([]Ranker, rapid.IntRange(1, 4).Draw(t, "arms"))
		sums := map[string]float64{}
		unit := 1.0
		for i := range arms {
			shares := rapid.MapOf(rapid.SampledFrom(names), rapid.Float64Range(-1.5, 1.5)).Draw(t, "shares")
			var list []index.Hit
			for _, id := range slices.Sorted(maps.Keys(shares)) {
				share := shares[id]
				if i == 0 {
					share = math.Abs(share) + 1
				}
				list = append(list, index.Hit{ID: id, Score: share})
			}
			if i == 0 && len(list) > 0 {
				slices.SortStableFunc(list, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
				unit = list[0].Score
			}
			for _, s := range list {
				if i == 0 {
					sums[s.ID] += s.Score
				} else {
					sums[s.ID] += min(max(s.Score, -1), 1) * unit
				}
			}
			arms[i] = fixed{string(rune('A' + i)), list}
		}
		limit := rapid.IntRange(0, 7).Draw(t, "limit")
		var want []index.Hit
		for _, id := range names {
			if sums[id] > 0 {
				want = append(want, index.Hit{ID: id, Score: sums[id]})
			}
		}
		slices.SortStableFunc(want, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
		if limit > 0 && len(want) > limit {
			want = want[:limit]
		}
		got := View{State: &graph.State{}, Arms: arms}.Rank(Request{Limit: limit}).Hits
		if len(got)+len(want) > 0 && !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
