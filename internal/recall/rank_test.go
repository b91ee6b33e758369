// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
)

// vectors is a toy arm for meaning: the direction of a text is the sum of those of its
// words. It is silent for a text without a known word.
type vectors struct {
	state *graph.State
	words map[string][2]float64
}

const weightVectors = 0.8

func (v vectors) embed(text string) (sum [2]float64, length float64) {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		sum[0] += v.words[w][0]
		sum[1] += v.words[w][1]
	}
	return sum, math.Hypot(sum[0], sum[1])
}

func (v vectors) Rank(req *Request, b *Board) {
	asked, length := v.embed(req.Text)
	if length == 0 {
		return
	}
	arm := b.Arm("vectors")
	for n := range v.state.All() {
		if of, l := v.embed(n.Title() + " " + n.Body()); l > 0 {
			if pos, ok := b.Order.Position(n.ID); ok {
				arm.Add(pos, weightVectors*(asked[0]*of[0]+asked[1]*of[1])/(length*l))
			}
		}
	}
}

// siblings is a toy arm that builds on others: the headlines beside a hit get half of
// its share.
type siblings struct{ state *graph.State }

func (s siblings) Rank(_ *Request, b *Board) {
	shares := map[uint32]float64{}
	for _, pos := range b.Touched() {
		n, _ := s.state.Get(b.Order.ID(pos))
		parent, _ := s.state.Get(n.Parent)
		for _, kid := range parent.Kids {
			if at, ok := b.Order.Position(kid); ok && at != pos {
				shares[at] = max(shares[at], b.Sum(pos)/2)
			}
		}
	}
	arm := b.Arm("siblings")
	for pos, share := range shares {
		arm.Add(pos, share)
	}
}

// fixed is an arm that always gives the same, by id.
type fixed struct {
	name   string
	shares map[string]float64
}

func (f fixed) Rank(_ *Request, b *Board) {
	arm := b.Arm(f.name)
	for id, share := range f.shares {
		if pos, ok := b.Order.Position(id); ok {
			arm.Add(pos, share)
		}
	}
}

// catView is a view of four headlines with words and vectors: cats are near dogs and
// far from tax.
func catView() View {
	v := view(map[string]string{"a.org": "* cat purrs\n* puppy sleeps\n* tax return\n* nothing here\n"})
	v.Rankers = append(v.Rankers, vectors{v.State, map[string][2]float64{"cat": {1, 0}, "kitten": {1, 0}, "puppy": {.6, .8}, "tax": {-1, 0}}})
	return v
}

// findIn returns the titles and arms of hits.
func findIn(t *testing.T, v View, text, keep string) []string {
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
// question, raises and lowers the others, and is in the explanation.
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
		if diff := gocmp.Diff(tc.want, findIn(t, v, tc.text, tc.keep)); diff != "" {
			t.Errorf("%q with %q (-want +got)\n%s", tc.text, tc.keep, diff)
		}
	}
}

// TestFocus checks that words rank by title, body and question.
func TestFocus(t *testing.T) {
	v := view(map[string]string{"a.org": "* cat\npurrs\n* other\npurrs\n* third\ncat\n* fourth\nhorse\n* ?\n"})
	n, err := v.Resolve("cat")
	if err != nil {
		t.Fatal(err)
	}
	found := func(req Request) (ids []string) {
		for _, h := range v.Rank(req) {
			m, _ := v.State.Get(h.ID)
			ids = append(ids, m.Title())
		}
		slices.Sort(ids)
		return ids
	}
	if got, want := found(Request{Focus: n, Text: "horse"}), []string{"cat", "fourth", "other", "third"}; !slices.Equal(got, want) {
		t.Errorf("focus and text find %q, want %q", got, want)
	}
	nothing, err := v.Resolve("?")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := found(Request{Focus: nothing, Text: "horse"}), []string{"fourth"}; !slices.Equal(got, want) {
		t.Errorf("a focus without words finds %q, want %q", got, want)
	}
	if got, want := found(Request{Text: "horse"}), []string{"fourth"}; !slices.Equal(got, want) {
		t.Errorf("text finds %q, want %q", got, want)
	}
}

// TestArmsBuildOnTheFirst checks that an arm sees the shares of the first one, as a ranker
// of neighbours needs it.
func TestArmsBuildOnTheFirst(t *testing.T) {
	v := view(map[string]string{"a.org": "* talk\n** cat purrs\n** then it slept\n* unrelated\n"})
	v.Rankers = append(v.Rankers, siblings{v.State})
	if diff := gocmp.Diff([]string{"cat purrs: lexical", "then it slept: siblings"}, findIn(t, v, "purrs", "")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// letters is a view of the nodes a to f, with the given rankers.
func letters(rankers ...Ranker) View {
	var text strings.Builder
	for id := range strings.FieldsSeq("a b c d e f") {
		fmt.Fprintf(&text, "* node\n:PROPERTIES:\n:ID: %s\n:END:\n", id)
	}
	v := view(map[string]string{"x.org": text.String()})
	v.Rankers = rankers
	return v
}

// TestBoundedArms checks that an arm gives a node at most 2 and at least -2, that nodes
// without a score above 0 are left out, and that a number that is none counts as nothing.
func TestBoundedArms(t *testing.T) {
	v := letters(fixed{"first", map[string]float64{"a": .8, "b": .6, "c": .2}},
		fixed{"wild", map[string]float64{"d": math.Inf(1), "c": 3, "a": math.NaN(), "b": -7, "e": -.1, "f": 0}})
	want := []Ranked{
		{ID: "c", Relevance: node.Relevance{Score: 2.2}, Arms: []Contribution{{Arm: "first", Score: .2}, {Arm: "wild", Score: 2}}},
		{ID: "d", Relevance: node.Relevance{Score: 2}, Arms: []Contribution{{Arm: "wild", Score: 2}}},
		{ID: "a", Relevance: node.Relevance{Score: .8}, Arms: []Contribution{{Arm: "first", Score: .8}}},
	}
	got := v.Rank(Request{})
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestReasonNamesWhatSpeaksForAHit checks that arms that lower a score are no reason to
// show a node.
func TestReasonNamesWhatSpeaksForAHit(t *testing.T) {
	hit := func(share float64) map[string]float64 { return map[string]float64{"a": share} }
	v := letters(fixed{ArmWords, hit(1)}, fixed{"people", hit(.3)}, fixed{"dates", hit(-.2)}, fixed{"links", hit(.1)})
	if got := v.Rank(Request{})[0].Reason(); got != "people, links" {
		t.Errorf("reason %q, want people, links", got)
	}
}

// TestLimitCountsSums checks that the best node by the sum is found even if no arm
// ranks it first.
func TestLimitCountsSums(t *testing.T) {
	text := strings.Repeat("* cat cat\n", 20) + "* cat and a much longer title with puppy\n"
	v := view(map[string]string{"a.org": text})
	v.Rankers = append(v.Rankers, vectors{v.State, map[string][2]float64{"puppy": {1, 0}, "dog": {1, 0}}})
	hits, err := v.Search("cat dog", 1, nil, now)
	if err != nil || len(hits) != 1 || !strings.HasSuffix(hits[0].Node.Title(), "puppy") {
		t.Fatalf("%v, %v", hits, err)
	}
}

// TestNoArm checks a view without rankers, and one whose rankers are all silent.
func TestNoArm(t *testing.T) {
	for _, v := range []View{letters(), letters(fixed{}, fixed{})} {
		if hits, err := v.Search("x", 3, nil, now); err != nil || len(hits) != 0 {
			t.Errorf("%v, %v", hits, err)
		}
	}
}

// TestSumModel compares sums of random arms with a naive one.
func TestSumModel(t *testing.T) {
	names := strings.Fields("a b c d e f")
	v := letters()
	rapid.Check(t, func(t *rapid.T) {
		v.Rankers = nil
		sums := map[string]float64{}
		for i := range rapid.IntRange(1, 4).Draw(t, "arms") {
			shares := rapid.MapOf(rapid.SampledFrom(names), rapid.Float64Range(-1.5, 1.5)).Draw(t, "shares")
			for id, share := range shares {
				sums[id] += min(max(share, -maxShareOfArm), maxShareOfArm)
			}
			v.Rankers = append(v.Rankers, fixed{string(rune('A' + i)), shares})
		}
		limit := rapid.IntRange(0, 7).Draw(t, "limit")
		rejected := rapid.SampledFrom(names).Draw(t, "rejected")
		type hit struct {
			ID    string
			Score float64
		}
		var want, got []hit
		for _, id := range names {
			if sums[id] > 0 && id != rejected {
				want = append(want, hit{id, sums[id]})
			}
		}
		slices.SortStableFunc(want, func(a, b hit) int { return cmp.Compare(b.Score, a.Score) })
		if limit > 0 && len(want) > limit {
			want = want[:limit]
		}
		for _, h := range v.Rank(Request{Limit: limit, Keep: func(id string) bool { return id != rejected }}) {
			got = append(got, hit{h.ID, h.Score})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
