// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

type fixture struct {
	*chain.Chain
	tally chain.Slot[[]int64]
	vow   chain.Slot[promise]
	held  chain.Slot[[]past]
	all   *chain.Ledgers
}

// failer is what a test and a property have in common.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// newChain returns a chain over a store that is not loaded. change may set options.
func newChain(from store.Store, change func(*chain.Options)) fixture {
	f := fixture{all: &chain.Ledgers{}}
	f.tally, f.vow, f.held = registerTally(f.all, "tally", -1), registerVow(f.all), registerHeld(f.all)
	opts := chain.Options{FS: faultfs.New(),
		Name: "test", Log: slog.New(slog.DiscardHandler), Ledgers: f.all, Deriver: plain{}, Formats: document.Formats{org.Format{}},
	}
	if change != nil {
		change(&opts)
	}
	f.Chain = chain.New(from, opts)
	return f
}

// open loads a chain over a store.
func open(t failer, from store.Store, change func(*chain.Options)) fixture {
	t.Helper()
	f := newChain(from, change)
	tx := f.Begin()
	defer tx.End()
	if pending, err := tx.Load(); err != nil || pending != nil {
		t.Fatal(pending, err)
	}
	return f
}

// openChain loads a chain over a history.
func openChain(t failer, history *storetest.InMemory) fixture {
	t.Helper()
	return open(t, history.Open(), nil)
}

// put commits a text of the document a.org, by operation op.
func (f fixture) put(tx *chain.Tx, kind, op, message, text string, marks ...[]byte) (chain.Commit, error) {
	state, delta := f.draft(map[string]string{"a.org": text})
	return tx.Append(context.Background(), state, delta, graph.Commit{Kind: kind, Op: op, Message: message}, marks...)
}

// draft returns the head with texts of documents set; an empty text removes the document.
func (f fixture) draft(texts map[string]string) (*graph.State, *graph.Delta) {
	d := f.Head().State.Edit(1)
	for path, text := range texts {
		if text == "" {
			d.Drop(path)
		} else {
			d.Put(path, document.File(text, false))
		}
	}
	state, delta := d.Seal()
	return state, &delta
}

// commit is put for several documents, which must succeed.
func (f fixture) commit(t failer, tx *chain.Tx, c graph.Commit, texts map[string]string, marks ...[]byte) chain.Commit {
	t.Helper()
	if c.Kind == "" {
		c.Kind = graph.KindIngest
	}
	state, delta := f.draft(texts)
	done, err := tx.Append(context.Background(), state, delta, c, marks...)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// promise is the value of vow: a word, and what Verify said of it.
type promise struct{ word, doubt string }

// vow is a toy ledger that the signed head vouches for. A mark sets the word.
type vow struct{ slot chain.Slot[promise] }

func registerVow(to *chain.Ledgers) chain.Slot[promise] {
	l := &vow{}
	l.slot = chain.Register[promise](to, chain.Ledger{
		Name: "vow", Fields: 1, Empty: promise{},
		Apply: func(_ *chain.Moment, c *merkle.Codec) any {
			var p promise
			c.Fields(&p.word)
			return p
		},
		Encode: func(at *chain.Moment) []byte { return []byte(l.slot.At(at).word) },
		Decode: func(data []byte) (any, error) { return promise{word: string(data)}, nil },
		Attest: func(at *chain.Moment, to *chain.Statements) { to.Add("vow", l.slot.At(at).word) },
		Verify: l.verify,
	})
	return l.slot
}

func vowMark(word string) []byte { return chain.NewMark("vow", word) }

func (l *vow) verify(at *chain.Moment, signed *chain.Statements, reason string) any {
	v := l.slot.At(at)
	switch {
	case signed == nil:
		v.doubt = reason
	case signed.Get("vow") != v.word:
		v.doubt = "another word was signed"
	}
	return v
}

// past is a state that the ledger held has in memory.
type past struct {
	seq   uint64
	state *graph.State
}

// held is a toy ledger that holds the states of commits with the message "hold".
type held struct{ slot chain.Slot[[]past] }

func registerHeld(to *chain.Ledgers) chain.Slot[[]past] {
	l, none := &held{}, []past(nil)
	l.slot = chain.Register[[]past](to, chain.Ledger{
		Name: "held", Empty: none,
		Apply:   func(at *chain.Moment, _ *merkle.Codec) any { return l.slot.At(at) },
		Encode:  func(*chain.Moment) []byte { return nil },
		Decode:  func([]byte) (any, error) { return none, nil },
		Release: func(*chain.Moment) any { return none },
		Follow:  l.follow, Held: l.newest,
	})
	return l.slot
}

func (l *held) follow(c *chain.Change) any {
	v := l.slot.At(c.Before)
	if c.Commit.Message != "hold" {
		return v
	}
	return append(v[:len(v):len(v)], past{c.Commit.Seq, c.After})
}

func (l *held) newest(at *chain.Moment) (*graph.State, uint64) {
	if all := l.slot.At(at); len(all) > 0 {
		return all[len(all)-1].state, all[len(all)-1].seq
	}
	return nil, 0
}

// key returns a signer with its verifiers.
func key(t failer, secret, public string) (note.Signer, note.Verifiers) {
	t.Helper()
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return signer, note.VerifierList(verifier)
}

// machine returns the key of RFC 8032's first test.
func machine(t failer) (note.Signer, note.Verifiers) {
	t.Helper()
	return key(t, "PRIVATE+KEY+machine+1aa4341c+AZ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g",
		"machine+1aa4341c+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea")
}

// signed sets the key of the machine.
func signed(t failer) func(*chain.Options) {
	t.Helper()
	signer, known := machine(t)
	return func(o *chain.Options) { o.Signer, o.Verifiers = signer, known }
}

// warnings has a chain write its warnings, a line each.
func warnings(to *strings.Builder) func(*chain.Options) {
	return func(o *chain.Options) {
		o.Log = slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
}

// breaking is a store that can do what an InMemory can, until its countdown has passed:
// then every change fails, as for a process that was killed.
type breaking struct {
	store.Store
	left int // changes that succeed; negative is any number
}

var errKilled = errors.New("killed")

func (b *breaking) change() error {
	if b.left == 0 {
		return errKilled
	}
	b.left--
	return nil
}

func (b *breaking) Append(ctx context.Context, batch *store.Batch) (store.Pos, error) {
	if err := b.change(); err != nil {
		return store.Pos{}, err
	}
	return b.Store.Append(ctx, batch)
}

func (b *breaking) WriteImage(img store.Image) error {
	if err := b.change(); err != nil {
		return err
	}
	return b.Store.WriteImage(img)
}

func (b *breaking) Rewrite(ctx context.Context, gone map[merkle.Digest]uint64) error {
	if err := b.change(); err != nil {
		return err
	}
	return b.Store.Rewrite(ctx, gone)
}

func (b *breaking) RemoveImages(before uint64) error {
	if err := b.change(); err != nil {
		return err
	}
	return b.Store.RemoveImages(before)
}

// records lists the records of a history.
func records(t *testing.T, from store.Store) (all []store.Record) {
	t.Helper()
	if err := from.Replay(store.Pos{}, func(r store.Record) error {
		all = append(all, r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
