// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/org"
)

const testDim = 64

// made is an embedder whose vectors are a function of the text: of a document random, of a
// question that of the document that knows returns, or random.
type made struct {
	mu      sync.Mutex
	remote  bool
	version string
	knows   func(question string) (document string)
	fault   error
	delay   time.Duration
	seen    []string // documents
}

func (e *made) Model() embed.Model {
	return embed.Model{Name: "made", Fingerprint: "made" + e.version, Dim: testDim, Remote: e.remote}
}

func (e *made) set(fault error, delay time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fault, e.delay = fault, delay
}

func (e *made) Embed(ctx context.Context, p embed.Purpose, texts []string) ([]embed.Result, error) {
	e.mu.Lock()
	fault, delay := e.fault, e.delay
	e.mu.Unlock()
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if fault != nil {
		return nil, fault
	}
	out := make([]embed.Result, len(texts))
	for i, text := range texts {
		switch {
		case p == embed.Document && strings.Contains(text, "refused"):
			out[i].Err = embed.ErrRefused
			continue
		case p == embed.Document:
			e.mu.Lock()
			e.seen = append(e.seen, text)
			e.mu.Unlock()
		case e.knows != nil:
			text = e.knows(text)
		default:
			text = "question " + text
		}
		r := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(text))))
		out[i].Vector = make([]float32, testDim)
		for k := range out[i].Vector {
			out[i].Vector[k] = float32(r.NormFloat64())
		}
	}
	return out, nil
}

func stateOf(t *testing.T, text string) *graph.State {
	t.Helper()
	d := graph.Empty(document.Formats{org.Format{}}).Edit(1)
	d.Put("notes.org", document.File(text, false))
	s, _ := d.Seal()
	return s
}

// manyNotes is a document of n notes that begin with a sentence of their own.
func manyNotes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "* the matter %d\nNumber %d is here. And more of it.\n", i, i)
	}
	return b.String()
}

func vectorsOf(t *testing.T, fs *faultfs.FS, e *made, texts ...string) *Vectors {
	t.Helper()
	var states []*graph.State
	for _, text := range texts {
		states = append(states, stateOf(t, text))
	}
	r := New(Options{
		Connect: func(context.Context) (embed.Embedder, error) { return e, nil },
		States:  func(context.Context) []*graph.State { return states },
		Folder:  fs, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// TestFill makes what is missing, once, and keeps it; a refused text is not tried again.
func TestFill(t *testing.T) {
	fs, e := faultfs.New(), &made{}
	r := vectorsOf(t, fs, e, manyNotes(100), "* one\n* refused\n* the matter 5\nNumber 5 is here. And more of it.\n")
	var told []int
	if err := r.Fill(t.Context(), func(done, of int) { told = append(told, done, of) }); err != nil {
		t.Fatal(err)
	}
	s := r.Status()
	if s.Vectors != 101 || s.Failed != 1 || s.Pending != 0 || s.Fault != nil || s.Model != "made" || len(e.seen) != 101 {
		t.Errorf("%+v, %d texts seen", s, len(e.seen))
	}
	if n := len(told); n < 2 || told[n-1] != 102 || told[n-2] != 102 {
		t.Errorf("told %v", told)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	again := vectorsOf(t, fs, e, manyNotes(100)+"* another\n")
	if err := again.Fill(t.Context(), nil); err != nil || len(e.seen) != 102 {
		t.Errorf("%v, %d texts seen", err, len(e.seen))
	}
}

// TestFillKeepsAtOnce: a server that refuses to go on costs what it was just asked, not the vectors
// of all large texts before.
func TestFillKeepsAtOnce(t *testing.T) {
	var text strings.Builder
	for i := range 8 {
		fmt.Fprintf(&text, "* large %d\n%s\n", i, strings.Repeat("words ", 4000))
	}
	e := &made{}
	r := vectorsOf(t, faultfs.New(), e, text.String())
	errBusy := errors.New("too many requests")
	err := r.Fill(t.Context(), func(done, _ int) {
		if done >= 4 {
			e.set(errBusy, 0)
		}
	})
	if s := r.Status(); !errors.Is(err, errBusy) || s.Vectors < 4 || s.Vectors == 8 {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestSecrets: no embedder sees encrypted text, and one on another computer only what is
// meant for it.
func TestSecrets(t *testing.T) {
	const text = "* open\nwords\n* locked :crypt:\nsecret\n" +
		"* given\n:PROPERTIES:\n:EMBED: t\n:END:\nwords\n** below\nwords\n** not this\n:PROPERTIES:\n:EMBED: nil\n:END:\n"
	for _, tc := range []struct {
		remote, all bool
		want        string
	}{
		{false, false, "open, given, below, not this"},
		{true, false, "given, below"},
		{true, true, "open, given, below, not this"},
	} {
		e := &made{remote: tc.remote}
		r := vectorsOf(t, faultfs.New(), e, text)
		r.opts.All = tc.all
		if err := r.Fill(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range e.seen {
			title, _, _ := strings.Cut(s, "\n")
			got = append(got, title)
		}
		if strings.Join(got, ", ") != tc.want || strings.Contains(fmt.Sprint(e.seen), "secret") {
			t.Errorf("%+v: saw %q", tc, e.seen)
		}
	}
}

// TestProof: a model that finds notes by how they begin is trusted, one that does not is
// not.
func TestProof(t *testing.T) {
	finds := func(question string) string {
		var i int
		if _, err := fmt.Sscanf(question, "the matter %d", &i); err != nil {
			return "?"
		}
		return fmt.Sprintf("the matter %d\nNumber %d is here. And more of it.", i, i)
	}
	for _, tc := range []struct {
		name  string
		notes int
		knows func(string) string
		want  float64
	}{
		{"it knows", 200, finds, 1},
		{"it does not", 200, nil, 0},
		{"too few", minProbes - 1, finds, 0},
	} {
		r := vectorsOf(t, faultfs.New(), &made{knows: tc.knows}, manyNotes(tc.notes))
		if err := r.Fill(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if got := r.trust(r.connected()); got != tc.want {
			t.Errorf("%s: trust %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestProofIsKept: what a model has proven counts after a restart, for that model alone, as
// long as its file is whole and nobody forgets.
func TestProofIsKept(t *testing.T) {
	finds := func(question string) string {
		var i int
		if _, err := fmt.Sscanf(question, "the matter %d", &i); err != nil {
			return "?"
		}
		return fmt.Sprintf("the matter %d\nNumber %d is here. And more of it.", i, i)
	}
	in := faultfs.New()
	trust := func(e *made) float64 {
		t.Helper()
		r := vectorsOf(t, in, e, manyNotes(200))
		defer r.Close()
		if err := r.Fill(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return r.Status().Trust
	}
	if got := trust(&made{knows: finds}); got != 1 {
		t.Fatalf("trust %v", got)
	}
	if got := trust(&made{}); got != 1 {
		t.Errorf("after a restart: trust %v", got)
	}
	if got := trust(&made{version: "2"}); got != 0 {
		t.Errorf("another model has trust %v", got)
	}
	m := (&made{}).Model()
	whole, err := in.ReadFile(proofFile(m))
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 1
		if err := vfs.WriteAtomic(in, proofFile(m), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if p := readProof(in, m); p != (proof{}) {
			t.Fatalf("with byte %d flipped the proof is %+v", i, p)
		}
	}
	if got := trust(&made{knows: finds}); got != 1 {
		t.Errorf("a damaged proof is not made again: trust %v", got)
	}
	r := vectorsOf(t, in, &made{}, manyNotes(3))
	if err := r.Forget(); err != nil {
		t.Fatal(err)
	}
	if p := readProof(in, m); p != (proof{}) {
		t.Errorf("the proof outlives what was forgotten: %+v", p)
	}
}

// TestSlow: nobody waits longer than allowed, and the late answer is kept.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &made{delay: 3 * time.Second}
		r := vectorsOf(t, faultfs.New(), e, manyNotes(3))
		start := time.Now()
		ask := func(timeout, want time.Duration) error {
			t.Helper()
			from := time.Now()
			_, err := r.Question(t.Context(), "what?", timeout)
			if took := time.Since(from); took != want {
				t.Errorf("waited %v, want %v", took, want)
			}
			return err
		}
		if err := ask(0, 0); !errors.Is(err, errLate) {
			t.Error(err)
		}
		if err := ask(time.Second, time.Second); !errors.Is(err, errLate) {
			t.Error(err)
		}
		if err := ask(time.Minute, 2*time.Second); err != nil {
			t.Error(err)
		}
		if err := ask(0, 0); err != nil {
			t.Error(err)
		}
		if _, err := r.Question(t.Context(), "another?", 0); !errors.Is(err, errLate) || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		<-time.After(4 * time.Second)
		e.set(nil, time.Millisecond)
		if _, err := r.Question(t.Context(), "a third?", time.Second); err != nil {
			t.Error(err)
		}
		if _, err := r.Question(t.Context(), "quick now?", 0); err != nil {
			t.Errorf("an embedder that answers quickly is not waited for: %v", err)
		}
	})
}

// TestRun keeps trying while the embedder is away, and makes the vectors when it is back.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		e := &made{fault: gone}
		r := vectorsOf(t, faultfs.New(), e, manyNotes(3))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); r.Run(ctx) }()
		<-time.After(10 * time.Second)
		if s := r.Status(); !errors.Is(s.Fault, gone) || s.Pending != 3 {
			t.Errorf("%+v", s)
		}
		if _, err := r.Question(ctx, "what?", 0); !errors.Is(err, gone) {
			t.Error(err)
		}
		r.Changed()
		r.Changed()
		e.set(nil, 0)
		<-time.After(time.Minute)
		if s := r.Status(); s.Fault != nil || s.Pending != 0 || s.Vectors != 3 {
			t.Errorf("%+v", s)
		}
		stop()
		<-ended
	})
}

// TestCloseEndsWork: closing does not wait for the embedder.
func TestCloseEndsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := vectorsOf(t, faultfs.New(), &made{delay: time.Hour}, manyNotes(3))
		done := make(chan error)
		go func() { done <- r.Fill(t.Context(), nil) }()
		synctest.Wait()
		start := time.Now()
		if err := r.Close(); err != nil || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, err := r.Question(t.Context(), "what?", time.Second); !errors.Is(err, errClosed) {
			t.Error(err)
		}
		if err := r.Fill(t.Context(), nil); !errors.Is(err, errClosed) {
			t.Error(err)
		}
	})
}

// TestNoConnection: a memory without its embedder says why.
func TestNoConnection(t *testing.T) {
	away := errors.New("nobody listens")
	r := New(Options{
		Connect: func(context.Context) (embed.Embedder, error) { return nil, away },
		States:  func(context.Context) []*graph.State { return []*graph.State{stateOf(t, manyNotes(3))} },
		Folder:  faultfs.New(), Log: slog.New(slog.DiscardHandler),
	})
	defer r.Close()
	if _, err := r.Question(t.Context(), "what?", time.Minute); !errors.Is(err, away) {
		t.Error(err)
	}
	if err := r.Fill(t.Context(), nil); !errors.Is(err, away) {
		t.Error(err)
	}
	if s := r.Status(); !errors.Is(s.Fault, away) || s.Model != "" {
		t.Errorf("%+v", s)
	}
	if r.connected() != nil {
		t.Error("there are vectors")
	}
}

// TestView: each mode ranks by what it names, and says so where it cannot.
func TestView(t *testing.T) {
	state := stateOf(t, manyNotes(100)+"* apart\nwithout a vector: refused\n")
	v := view.New(state, chain.Commit{}, "memex")
	same := func(question string) string { return question }
	e := &made{knows: same}
	x := vectorsOf(t, faultfs.New(), e)
	x.opts.States = func(context.Context) []*graph.State { return []*graph.State{state} }
	const asked = "the matter 7\nNumber 7 is here. And more of it."
	titles := func(x *Vectors, req Request) (string, error) {
		t.Helper()
		var missing error
		req.Warn = func(err error) { missing = err }
		by, err := View(t.Context(), x, v, req)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := by.Search("apart", 10, nil, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, h := range hits {
			if h.Similarity > .5 {
				list = append(list, h.Node.Title())
			}
		}
		return strings.Join(list, ", "), missing
	}
	for _, tc := range []struct {
		name string
		x    *Vectors
		req  Request
		want string
		told error
	}{
		{"no embedder, nothing asked", nil, Request{Text: asked}, "apart", nil},
		{"no embedder", nil, Request{Mode: Hybrid, Text: asked}, "apart", errNoEmbedder},
		{"no vectors", x, Request{Mode: Semantic, Text: asked}, "apart", errNoVectors},
		{"words", x, Request{Mode: Lexical, Text: asked, Fill: true}, "apart", nil},
		{"vectors", x, Request{Mode: Semantic, Text: asked, Fill: true}, "the matter 7", nil},
		{"both", x, Request{Mode: Hybrid, Text: asked}, "apart, the matter 7", nil},
		{"both if they are there", x, Request{Text: asked}, "apart, the matter 7", nil},
		{"nothing to compare", x, Request{}, "apart", nil},
	} {
		got, told := titles(tc.x, tc.req)
		if got != tc.want || !errors.Is(told, tc.told) || told == nil != (tc.told == nil) {
			t.Errorf("%s: %q, %v, want %q, %v", tc.name, got, told, tc.want, tc.told)
		}
	}
	e.set(errors.New("gone"), 0)
	const why = "mode semantic is answered by words: gone"
	if got, told := titles(x, Request{Mode: Semantic, Text: "new"}); got != "apart" || told == nil || told.Error() != why {
		t.Errorf("%q, %v", got, told)
	}
	const silent = "ranked without the arm meaning: gone"
	if got, told := titles(x, Request{Text: "newer"}); got != "apart" || told == nil || told.Error() != silent {
		t.Errorf("%q, %v", got, told)
	}
	if _, err := View(t.Context(), x, v, Request{Mode: "magic"}); fault.KindOf(err) != fault.Invalid {
		t.Error(err)
	}
}

// TestWhoGivesUpIsNotLate: a request that its caller gives up while the embedder connects says
// nothing about the embedder, so that the next one waits for it.
func TestWhoGivesUpIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wait = 300 * time.Millisecond
		x := vectorsOf(t, faultfs.New(), &made{}, manyNotes(3))
		x.opts.Connect = func(ctx context.Context) (embed.Embedder, error) {
			select {
			case <-time.After(wait / 2):
				return &made{}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		v := view.New(stateOf(t, manyNotes(3)), chain.Commit{}, "memex")
		ctx, giveUp := context.WithTimeout(t.Context(), wait/4)
		defer giveUp()
		if _, err := View(ctx, x, v, Request{Focus: true, Timeout: wait}); err != nil {
			t.Fatal(err)
		}
		if s := x.Status(); s.Fault != nil {
			t.Errorf("the status says %v", s.Fault)
		}
		if _, err := View(t.Context(), x, v, Request{Focus: true, Timeout: wait}); err != nil || x.connected() == nil {
			t.Errorf("%v, and nobody waited", err)
		}
	})
}

// TestNoQuestionWithoutVectors: where a remote embedder may see no note, a request that does not ask
// for vectors neither waits for it nor sends its question.
func TestNoQuestionWithoutVectors(t *testing.T) {
	asked := 0
	e := &made{remote: true, knows: func(question string) string { asked++; return question }}
	x := vectorsOf(t, faultfs.New(), e, manyNotes(3))
	if err := x.Fill(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	v := view.New(stateOf(t, manyNotes(3)), chain.Commit{}, "memex")
	by, err := View(t.Context(), x, v, Request{Text: "what?", Timeout: time.Minute, Warn: func(err error) { t.Error(err) }})
	if err != nil || by != v || asked != 0 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// TestWordsCountOnce: vectors of words are no arm beside the words.
func TestWordsCountOnce(t *testing.T) {
	state := stateOf(t, manyNotes(3))
	x := vectorsOf(t, faultfs.New(), nil, manyNotes(3))
	x.opts.Connect = func(ctx context.Context) (embed.Embedder, error) { return embed.Open(ctx, embed.Config{}) }
	for mode, want := range map[string]bool{Hybrid: false, "": false, Semantic: true} {
		by, err := View(t.Context(), x, view.New(state, chain.Commit{}, "memex"), Request{Mode: mode, Text: "Number 2", Timeout: time.Minute, Fill: true})
		if err != nil {
			t.Fatal(err)
		}
		hits, err := by.Search("Number 2", 10, nil, time.Time{})
		if err != nil || len(hits) == 0 || hits[0].Node.Title() != "the matter 2" || (hits[0].Cosine > 0) != want {
			t.Errorf("%q: %v, %+v", mode, err, hits)
		}
	}
}

// TestGone: the vectors of a text go with the last node that has it.
func TestGone(t *testing.T) {
	fs, e := faultfs.New(), &made{}
	x := vectorsOf(t, fs, e, manyNotes(3), "* only here\n")
	first := x.opts.States(t.Context())
	if err := x.Fill(t.Context(), nil); err != nil || x.Status().Vectors != 4 {
		t.Fatalf("%v, %+v", err, x.Status())
	}
	x.opts.States = func(context.Context) []*graph.State { return first[:1] }
	if err := x.Fill(t.Context(), nil); err != nil || x.Status().Vectors != 3 {
		t.Errorf("%v, %+v", err, x.Status())
	}
	x.opts.States = func(context.Context) []*graph.State { return first }
	if err := x.Fill(t.Context(), nil); err != nil || x.Status().Vectors != 4 || len(e.seen) != 5 {
		t.Errorf("%v, %+v, %d texts seen", err, x.Status(), len(e.seen))
	}
	other, err := vector.Open(fs, vector.Model{Fingerprint: "of before", Dim: 2})
	if err := errors.Join(err, other.Close(), x.Forget()); err != nil {
		t.Fatal(err)
	}
	if models, err := vector.Models(fs); err != nil || len(models) != 0 {
		t.Errorf("%v, %v", models, err)
	}
	if err := x.Fill(t.Context(), nil); err != nil || x.Status().Vectors != 4 {
		t.Errorf("%v, %+v", err, x.Status())
	}
}

// TestAnotherModel: when another model answers, its vectors are made beside the others.
func TestAnotherModel(t *testing.T) {
	for _, changed := range []error{embed.ErrModelChanged, embed.ErrDimension} {
		fs, e := faultfs.New(), &made{}
		x := vectorsOf(t, fs, e, manyNotes(3))
		x.opts.Connect = func(context.Context) (embed.Embedder, error) { return e, nil }
		if err := x.Fill(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		e.set(changed, 0)
		if _, err := x.Question(t.Context(), "what?", time.Minute); !errors.Is(err, changed) || x.connected() != nil {
			t.Errorf("%v, %+v", err, x.Status())
		}
		x.opts.Connect = func(context.Context) (embed.Embedder, error) { return &made{version: "2"}, nil }
		if err := x.Fill(t.Context(), nil); err != nil || x.Status().Vectors != 3 {
			t.Errorf("%v, %+v", err, x.Status())
		}
		if models, err := vector.Models(fs); err != nil || len(models) != 2 {
			t.Errorf("%v, %v", models, err)
		}
	}
}

// TestBackAgain: with nothing to make, filling finds out whether the embedder is back.
func TestBackAgain(t *testing.T) {
	e := &made{}
	x := vectorsOf(t, faultfs.New(), e, manyNotes(3))
	if err := x.Fill(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	e.set(gone, 0)
	if _, err := x.Question(t.Context(), "what?", time.Minute); !errors.Is(err, gone) {
		t.Error(err)
	}
	if err := x.Fill(t.Context(), nil); !errors.Is(err, gone) || !errors.Is(x.Status().Fault, gone) {
		t.Errorf("%v, %+v", err, x.Status())
	}
	e.set(nil, 0)
	if err := x.Fill(t.Context(), nil); err != nil || x.Status().Fault != nil {
		t.Errorf("%v, %+v", err, x.Status())
	}
}
