// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/merkle"
)

// another is the key of RFC 8032's second test.
func another(t failer) (note.Signer, note.Verifiers) {
	t.Helper()
	return key(t, "PRIVATE+KEY+machine+ddcf1901+AUzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7",
		"machine+ddcf1901+AT1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM")
}

// mute is a key that cannot sign.
type mute struct{ note.Signer }

func (mute) Sign([]byte) ([]byte, error) { return nil, errors.New("the key is gone") }

// TestHeadSaysWhatIsThere: the signed head of every commit names the commit, its root and
// the first commit, and says what the ledgers vouch for, also for several commits that
// become durable together, and after an opening.
func TestHeadSaysWhatIsThere(t *testing.T) {
	history := &storetest.InMemory{}
	f := open(t, history.Open(), signed(t))
	_, known := machine(t)
	tx := f.Begin()
	var s chain.Steps
	for i := range 3 {
		d := s.Head(tx).State.Edit(1)
		d.Put("a.org", document.File(fmt.Sprintf("* %d\n", i), false))
		state, delta := d.Seal()
		if err := tx.Add(t.Context(), &s, state, &delta, graph.Commit{Kind: graph.KindIngest}, vowMark(fmt.Sprint("word", i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tx.Publish(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	tx.End()
	f = open(t, history.Open(), signed(t))
	f.commit(t, f.Begin(), graph.Commit{}, map[string]string{"a.org": "* last\n"})

	var heads []string
	var commits []merkle.Digest
	for _, r := range records(t, f.Store()) {
		if r.Kind == store.Commit {
			commits = append(commits, merkle.Sum(r.Data))
		}
		if signed, ok := chain.ReadHeadMark(r.Data); ok && r.Kind == store.Mark {
			heads = append(heads, signed)
		}
	}
	if len(heads) != 4 {
		t.Fatalf("%d of 4 commits are signed", len(heads))
	}
	for i, signed := range heads {
		h, by, err := chain.OpenHead(signed, known)
		if err != nil || by != "machine+1aa4341c" {
			t.Fatal(by, err)
		}
		if h.Seq != uint64(i+1) || h.First != commits[0] || h.Commit != commits[i] {
			t.Errorf("head %d: %+v", i+1, h)
		}
		if want := fmt.Sprint("word", min(i, 2)); h.Get("vow") != want {
			t.Errorf("head %d vouches for %q, want %q", i+1, h.Get("vow"), want)
		}
	}
	if h, _, err := chain.OpenHead(f.Head().Signed, known); err != nil || h.Root != f.Head().State.Root() || h.Names(f.Head().Commit) != nil {
		t.Errorf("the head is signed as %+v, %v", h, err)
	}
}

// TestSignedHead: a head that came without a signature that counts is signed when it is
// asked for, always with the same bytes; without a key it cannot be.
func TestSignedHead(t *testing.T) {
	history := &storetest.InMemory{}
	f := open(t, history.Open(), nil)
	tx := f.Begin()
	for i := range 2 {
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d\n", i)}, vowMark("kept"))
	}
	if _, err := tx.SignedHead(t.Context()); !errors.Is(err, chain.ErrNoKey) {
		t.Errorf("without a key: %v", err)
	}
	if by, wrong := f.SignedBy(f.Head()); by != "" || wrong != "" {
		t.Errorf("signed by %q: %s", by, wrong)
	}
	f = open(t, history.Open(), signed(t))
	_, known := machine(t)
	tx = f.Begin()
	first, err := tx.SignedHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := chain.OpenHead(first, known)
	if err != nil || h.Names(f.Head().Commit) != nil || h.Get("vow") != "kept" || f.Head().Signed != "" {
		t.Errorf("%+v, %v", h, err)
	}
	if again, err := tx.SignedHead(t.Context()); again != first || err != nil {
		t.Errorf("%q, then %q: %v", first, again, err)
	}
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* signed\n"})
	if got, err := tx.SignedHead(t.Context()); err != nil || got != f.Head().Signed {
		t.Errorf("the head is signed as %q, and %q is given: %v", f.Head().Signed, got, err)
	}
	if next, _, err := chain.OpenHead(f.Head().Signed, known); err != nil || next.First != h.First {
		t.Errorf("the chain began with %s, then with %s: %v", h.First, next.First, err)
	}
}

// TestHeadOfAnImageAlone: a head cannot be signed if nothing says how the chain began.
func TestHeadOfAnImageAlone(t *testing.T) {
	f := openChain(t, &storetest.InMemory{})
	tx := f.Begin()
	for i := range 2 {
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d\n", i)})
	}
	if err := tx.Images().Write(); err != nil {
		t.Fatal(err)
	}
	img, err := f.Store().LoadImage()
	if err != nil {
		t.Fatal(err)
	}
	tx.End()
	history := &storetest.InMemory{}
	from := history.Open()
	if err := from.WriteImage(*img); err != nil {
		t.Fatal(err)
	}
	f = open(t, from, signed(t))
	tx = f.Begin()
	defer tx.End()
	if _, err := tx.SignedHead(t.Context()); !errors.Is(err, chain.ErrNoCommit) {
		t.Error(err)
	}
}

// TestHeadOfAnotherChain: the head of a commit that is written beside a chain names the
// first commit that it is given.
func TestHeadOfAnotherChain(t *testing.T) {
	f := open(t, (&storetest.InMemory{}).Open(), signed(t))
	_, known := machine(t)
	tx := f.Begin()
	defer tx.End()
	first, digest := merkle.Sum([]byte("first")), merkle.Sum([]byte("nine"))
	marks := tx.HeadMark(t.Context(), chain.Commit{Seq: 9, Digest: digest}, first, [][]byte{vowMark("beside")})
	if len(marks) != 2 || string(marks[0]) != string(vowMark("beside")) {
		t.Fatalf("marks %q", marks)
	}
	signed, ok := chain.ReadHeadMark(marks[1])
	h, _, err := chain.OpenHead(signed, known)
	if !ok || err != nil || h.First != first || h.Seq != 9 || h.Commit != digest || h.Get("vow") != "beside" {
		t.Errorf("%+v, %v", h, err)
	}
	if _, ok := chain.ReadHeadMark(vowMark("beside")); ok {
		t.Error("another mark is a head")
	}
	if _, ok := chain.ReadHeadMark(append(slices.Clone(marks[1]), 0)); ok {
		t.Error("a mark with something behind it is a head")
	}
}

// TestAttestSignsAgain: marks that change what the head vouches for are followed by a head
// that says so; plain marks are not.
func TestAttestSignsAgain(t *testing.T) {
	history := &storetest.InMemory{}
	f := open(t, history.Open(), signed(t))
	_, known := machine(t)
	tx := f.Begin()
	if err := tx.Attest(t.Context(), vowMark("early")); err != nil || f.Head().Signed != "" {
		t.Errorf("an empty chain is signed as %q: %v", f.Head().Signed, err)
	}
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
	before := f.Head().Signed
	if err := tx.Attest(t.Context()); err != nil || f.Head().Signed != before {
		t.Errorf("nothing to attest changes the head: %v", err)
	}
	if err := tx.Attest(t.Context(), vowMark("late")); err != nil {
		t.Fatal(err)
	}
	h, _, err := chain.OpenHead(f.Head().Signed, known)
	if err != nil || h.Get("vow") != "late" || h.Names(f.Head().Commit) != nil {
		t.Errorf("%+v, %v", h, err)
	}
	after := f.Head().Signed
	f = open(t, history.Open(), signed(t))
	if got := f.vow.At(f.Head()); got != (promise{word: "late"}) || f.Head().Signed != after {
		t.Errorf("after an opening the ledger has %+v", got)
	}
	tx = f.Begin()
	if err := tx.Mark(t.Context(), vowMark("secretly")); err != nil || f.Head().Signed != after {
		t.Errorf("a mark changes the head: %v", err)
	}
	f = open(t, history.Open(), signed(t))
	if got := f.vow.At(f.Head()); got.doubt != "another word was signed" {
		t.Errorf("a word that was not signed: %+v", got)
	}
}

// TestUnsignedIsMadeAllTheSame: a commit that cannot be signed is made, and what is known of
// the signature then says so.
func TestUnsignedIsMadeAllTheSame(t *testing.T) {
	history := &storetest.InMemory{}
	signer, known := machine(t)
	options := func(o *chain.Options) { o.Signer, o.Verifiers = mute{signer}, known }
	f := open(t, history.Open(), options)
	f.commit(t, f.Begin(), graph.Commit{}, map[string]string{"a.org": "* one\n"}, vowMark("w"))
	if f.Head().Signed != "" || f.Head().Commit.Seq != 1 {
		t.Fatalf("commit %d is signed as %q", f.Head().Commit.Seq, f.Head().Signed)
	}
	f = open(t, history.Open(), signed(t))
	if got := f.vow.At(f.Head()).doubt; got != "no commit is signed" {
		t.Errorf("doubt %q", got)
	}
	f.commit(t, f.Begin(), graph.Commit{}, map[string]string{"a.org": "* two\n"})
	f = open(t, history.Open(), options)
	tx := f.Begin()
	for i, want := range []string{
		"commit 3 is not signed, those before are", "commits from 3 to 4 are not signed, those before are", "commits from 3 to 5 are not signed, those before are",
	} {
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d more\n", i)})
		if by, wrong := f.SignedBy(f.Head()); by != "" || wrong != want {
			t.Errorf("signed by %q: %s", by, wrong)
		}
	}
	tx.End()
	tx = open(t, history.Open(), signed(t)).Begin()
	if h, err := tx.SignedHead(t.Context()); err != nil || !strings.Contains(h, "\n5\n") {
		t.Errorf("%q, %v", h, err)
	}
}

// TestNames: a signed head is that of one commit only.
func TestNames(t *testing.T) {
	at := chain.Commit{Seq: 5, Digest: merkle.Sum([]byte("c")), Root: merkle.Sum([]byte("r"))}
	other := merkle.Sum([]byte("o"))
	for _, tc := range []struct {
		name string
		head chain.SignedHead
		kind string
	}{
		{"itself", chain.SignedHead{Seq: 5, Commit: at.Digest, Root: at.Root}, ""},
		{"the one before", chain.SignedHead{Seq: 4, Commit: at.Digest, Root: at.Root}, chain.Unsigned},
		{"an older one", chain.SignedHead{Seq: 2, Commit: at.Digest, Root: at.Root}, chain.Unsigned},
		{"a newer one", chain.SignedHead{Seq: 6, Commit: at.Digest, Root: at.Root}, "stale"},
		{"another commit", chain.SignedHead{Seq: 5, Commit: other, Root: at.Root}, "forked"},
		{"another root", chain.SignedHead{Seq: 5, Commit: at.Digest, Root: other}, "forked"},
	} {
		err := tc.head.Names(at)
		bad, ok := errors.AsType[*chain.Untrusted](err)
		if (err == nil) != (tc.kind == "") || ok && bad.Kind != tc.kind {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// TestOtherKeys: a head that a key signed which is not known, or which no key is known for,
// does not count, and the reason names the key.
func TestOtherKeys(t *testing.T) {
	history := &storetest.InMemory{}
	f := open(t, history.Open(), signed(t))
	f.commit(t, f.Begin(), graph.Commit{}, map[string]string{"a.org": "* one\n"})
	signed := f.Head().Signed
	_, others := another(t)
	for name, known := range map[string]note.Verifiers{"none known": nil, "another": others} {
		_, _, err := chain.OpenHead(signed, known)
		bad, ok := errors.AsType[*chain.Untrusted](err)
		if !ok || bad.Kind != chain.UnknownKey || !strings.Contains(bad.Reason, "machine+1aa4341c") {
			t.Errorf("%s: %v", name, err)
		}
	}
	f = open(t, history.Open(), func(o *chain.Options) { o.Verifiers = others })
	if by, wrong := f.SignedBy(f.Head()); by != "" || !strings.Contains(wrong, "machine+1aa4341c") {
		t.Errorf("signed by %q: %s", by, wrong)
	}
	if got := f.vow.At(f.Head()).doubt; !strings.Contains(got, "machine+1aa4341c") {
		t.Errorf("doubt %q", got)
	}
	if by, wrong := f.SignedBy(&chain.Moment{Signed: signed}); by != "" || wrong != "" {
		t.Errorf("an empty chain is signed by %q: %s", by, wrong)
	}
}
