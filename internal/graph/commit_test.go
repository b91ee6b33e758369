// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// goldenChain is a chain of commits that has each kind of record: of nodes that came
// and left, of one whose children stay, and of one whose children come, leave and move.
func goldenChain(t testing.TB) []*Commit {
	t.Helper()
	headline := func(id string) string { return "* " + id + "\n:PROPERTIES:\n:ID: " + id + "\n:END:\n" }
	fileOf := func(first string, ids ...string) folder {
		for _, id := range ids {
			first += headline(id)
		}
		return folder{"a.org": first}
	}
	state, parent := Empty(orgFiles), merkle.Digest{}
	var chain []*Commit
	for i, f := range []folder{
		fileOf("", "a", "b", "c", "d", "e"),
		fileOf("", "a", "b", "c", "d", "e", "f"),
		fileOf("", "e", "b", "x", "y", "d", "f"),
		fileOf("#+title: A\n", "e", "b", "x", "y", "d", "f"),
		{"a.org": "#+title: A\n"},
	} {
		draft := state.Edit(int64(i))
		draft.Put("a.org", document.File(f["a.org"], false))
		next, delta := draft.Seal()
		c := &Commit{
			Seq: uint64(i + 1), State: next.Root(), Delta: delta.Records(), Lineage: delta.Lineage,
			Kind: KindEdit, Author: author.Named("ann"), Op: fmt.Sprint("op", i), Time: int64(i), Message: "m",
		}
		if i > 0 {
			c.Parents = []merkle.Digest{parent}
		}
		if _, err := c.Encode(nil); err != nil {
			t.Fatal(err)
		}
		state, parent = next, c.Digest
		chain = append(chain, c)
	}
	return chain
}

// goldenCommits reads the blocks of a chain: a line each, in hexadecimal.
func goldenCommits(t testing.TB) [][]byte {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("testdata/commits%d.txt", Format))
	if err != nil {
		t.Fatal(err)
	}
	var blocks [][]byte
	for line := range strings.FieldsSeq(string(text)) {
		block, err := hex.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// TestGoldenCommits pins the bytes of commits.
func TestGoldenCommits(t *testing.T) {
	chain := goldenChain(t)
	var text strings.Builder
	var ledger Ledger
	for _, c := range chain {
		block, err := c.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%x\n", block)
		got, err := DecodeCommit(block, nil)
		if diff := cmp.Diff(c, got); diff != "" || err != nil {
			t.Errorf("commit %d: %v\n%s", c.Seq, err, diff)
		}
		if err := ledger.Apply(got); err != nil {
			t.Errorf("commit %d: %v", c.Seq, err)
		}
	}
	foveatest.Golden(t, fmt.Sprintf("commits%d.txt", Format), []byte(text.String()))
}

// TestAuthorsOfCommits: each author is read as it was written. No name makes an agent another kind.
func TestAuthorsOfCommits(t *testing.T) {
	names := []string{"mint", "owner", "person", "file", "fovea", "merge", "agent", "", "a b"}
	authors := []author.Author{{}, {Kind: author.Owner}, {Kind: author.File}, {Kind: author.Fovea}}
	for _, name := range names {
		authors = append(authors, author.Named(name))
	}
	for _, a := range authors {
		block, err := (&Commit{Author: a}).Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := DecodeCommit(block, nil); err != nil || c.Author != a {
			t.Errorf("%+v is read as %+v, %v", a, c, err)
		}
	}
	one := merkle.AppendText(merkle.AppendList(nil, 1), "agent")
	for what, block := range map[string][]byte{
		"an unknown kind":        merkle.AppendText(merkle.AppendList(nil, 1), "person"),
		"an agent without one":   one,
		"an owner with a name":   merkle.AppendText(merkle.AppendText(merkle.AppendList(nil, 2), "owner"), "ann"),
		"an agent of two names":  merkle.AppendText(merkle.AppendText(merkle.AppendText(merkle.AppendList(nil, 3), "agent"), "a"), "b"),
		"the kind of the nobody": merkle.AppendText(merkle.AppendList(nil, 1), ""),
	} {
		var a author.Author
		if err := merkle.Decode(block, CodeAuthor(&a)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %+v, %v", what, a, err)
		}
	}
}

// TestVersionBlocksFollow: the block of each version, which nothing stores, follows from
// the deltas.
func TestVersionBlocksFollow(t *testing.T) {
	entries, blocks := map[string]*node.Entry{}, 0
	for _, block := range goldenCommits(t) {
		c, err := DecodeCommit(block, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Delta {
			r := &c.Delta[i]
			if entries[r.ID], err = r.After(entries[r.ID]); err != nil {
				t.Fatalf("commit %d: %s: %v", c.Seq, r.ID, err)
			}
		}
		for i := range c.Delta {
			e := entries[c.Delta[i].ID]
			if e == nil {
				continue
			}
			var kids []merkle.Digest
			for _, id := range e.Kids {
				kids = append(kids, entries[id].Version)
			}
			if v, err := node.VersionBlock(e.Own, kids, func(merkle.Digest, []byte) error { blocks++; return nil }); v != e.Version || err != nil {
				t.Errorf("commit %d: %s: version %s, is %s: %v", c.Seq, c.Delta[i].ID, v, e.Version, err)
			}
		}
	}
	if blocks < 4 {
		t.Errorf("%d blocks of versions: the test shows nothing", blocks)
	}
}

// TestCommitIsAsLargeAsItsChange: what a node brings does not depend on its siblings.
func TestCommitIsAsLargeAsItsChange(t *testing.T) {
	size := func(siblings int) int {
		var text strings.Builder
		for i := range siblings {
			fmt.Fprintf(&text, "* Note %03d\n:PROPERTIES:\n:ID: 00000000-0000-4000-8000-%012d\n:END:\n", i, i)
		}
		s := fresh(folder{"a.org": text.String()}, []string{"a.org"})
		draft := s.Edit(1)
		draft.Put("a.org", document.File(text.String()+"* More\n:PROPERTIES:\n:ID: more\n:END:\n", false))
		next, delta := draft.Seal()
		c := &Commit{Seq: 2, State: next.Root(), Delta: delta.Records(), Kind: KindEdit}
		block, err := c.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(block)
	}
	few, many := size(30), size(900)
	if many-few > 8 { // a larger number of children that stay
		t.Errorf("%d bytes beside 30 siblings, %d beside 900", few, many)
	}
}

// TestDecodeCommitRefuses: what Encode does not write is refused, and what does not fit
// the list of children is not applied.
func TestDecodeCommitRefuses(t *testing.T) {
	stay := func(edit KidsEdit) Record {
		return Record{ID: "a", Old: &node.Entry{Path: "a.org"}, New: &node.Entry{Path: "a.org"}, Kids: edit}
	}
	for name, tc := range map[string]struct {
		edit KidsEdit
		want error
	}{
		"nothing":       {KidsEdit{{Keep: 1}}, errSplice},
		"touching":      {KidsEdit{{Keep: 1, Gone: []string{"x"}}, {Come: []string{"y"}}}, errSplice},
		"far":           {KidsEdit{{Keep: merkle.MaxKids + 1, Come: []string{"y"}}}, errSplice},
		"first":         {KidsEdit{{Come: []string{"y"}}}, nil},
		"two, one kept": {KidsEdit{{Keep: 1, Gone: []string{"x"}}, {Keep: 1, Come: []string{"y"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Commit{Delta: []Record{stay(tc.edit)}}
			block, err := c.Encode(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := DecodeCommit(block, nil); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	entry := node.Entry{Path: "a.org", Kids: []string{"k"}}
	r := stay(nil)
	for name, of := range map[string]Record{
		"children that stand in an entry": {ID: "a", Old: &entry, New: r.New},
		"an edit of what left":            {ID: "a", Old: r.Old},
	} {
		t.Run(name, func(t *testing.T) {
			c := merkle.Codec{Out: merkle.AppendText(merkle.AppendList(nil, 3), of.ID)}
			for _, e := range []*node.Entry{of.Old, of.New} {
				codeEntry(&c, &e, func() {
					if c.Has(of.New != nil) {
						texts(&e.Kids)(&c)
					}
				})
			}
			if err := merkle.Decode(c.Out, new(Record).code); !errors.Is(err, errChildren) {
				t.Errorf("got %v, want %v", err, errChildren)
			}
		})
	}
	own := []byte{'a', 'f', Format}
	for _, other := range []byte{0, 1, 2, Format + 1} {
		block := bytes.Replace(goldenCommits(t)[0], own, []byte{'a', 'f', other}, 1)
		if _, err := DecodeCommit(block, nil); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), fmt.Sprintf("format %d", other)) {
			t.Errorf("format %d: %v", other, err)
		}
	}
}

// FuzzDecodeCommit gives DecodeCommit any block: an error, or a commit that is encoded
// as it was.
func FuzzDecodeCommit(f *testing.F) {
	for _, block := range goldenCommits(f) {
		f.Add(block)
	}
	none := func(merkle.Digest) ([]byte, error) { return nil, ErrGone }
	f.Fuzz(func(t *testing.T, block []byte) {
		c, err := DecodeCommit(block, none)
		if err != nil {
			return
		}
		again, err := c.Encode(nil)
		if err != nil || !bytes.Equal(again, block) {
			t.Fatalf("encoded again: %v\n%x\n%x", err, block, again)
		}
		read, err := DecodeCommit(again, none)
		if diff := cmp.Diff(c, read); diff != "" || err != nil {
			t.Fatalf("read again: %v\n%s", err, diff)
		}
		for i := range c.Delta {
			r := &c.Delta[i]
			if r.Old == nil || r.New == nil {
				continue
			}
			kids, err := r.Kids.Undo(nil)
			if err == nil {
				_, err = r.Kids.Apply(kids)
			}
			if err != nil && !errors.Is(err, ErrDelta) {
				t.Errorf("an edit of another list: %v", err)
			}
		}
	})
}

// TestApplyContests: an id that leaves a file for another one is contested if a node that
// stayed, unchanged, claims it too.
func TestApplyContests(t *testing.T) {
	const one, two = "* One\n:PROPERTIES:\n:ID: x\n:END:\n", "* Two\n:PROPERTIES:\n:ID: x\n:END:\n"
	s, store := grown(folder{"b.org": one + two}), blocks{}
	d := s.Edit(2)
	put(d, "a.org", one)
	put(d, "b.org", two)
	want, delta := d.Seal()
	for n := range want.All() {
		if err := n.Blocks(store.emit); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Apply(&Commit{State: want.Root(), Delta: delta.Records()}, store.get)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contests(want), contests(got)); diff != "" || len(contests(want)) != 1 {
		t.Errorf("contested (-draft +applied):\n%s", diff)
	}
	d = got.Edit(3)
	d.Drop("a.org")
	if got, _ = d.Seal(); got.Root() != grown(folder{"b.org": two}).Root() {
		t.Errorf("the last claim does not get the id:\n%s", strings.Join(listing(got), "\n"))
	}
}
