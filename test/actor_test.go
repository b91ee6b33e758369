// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
)

// Who is no agent.
var (
	byOwner = author.Author{Kind: author.Owner}
	byFile  = author.Author{Kind: author.File}
)

// writes is each method that makes a commit; the answer is all that it returns.
var writes = []struct {
	name string
	call func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error)
}{
	{"edit", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		c, err := m.Notes().Edit(ctx, "one", withKey(key), document.SetTitle{Title: "Uno"})
		return c, "", err
	}},
	{"insert", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		return m.Notes().Insert(ctx, "new.org", document.InsertHeadline{Title: "New", Body: "text\n"}, withKey(key))
	}},
	{"insert with an id", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		h := document.InsertHeadline{Title: "New", Properties: []document.Property{{Key: "ID", Value: "given"}}}
		return m.Notes().Insert(ctx, "one", h, withKey(key))
	}},
	{"refile", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		c, err := m.Notes().Refile(ctx, "one", "two", withKey(key))
		return c, "", err
	}},
	{"archive", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		c, err := m.Notes().Archive(ctx, "one", withKey(key))
		return c, "", err
	}},
	{"assign ids", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		ids := []string{"one"}
		for n := range m.View().All() {
			if n.Title() == "Nameless" {
				ids = append(ids, n.ID)
			}
		}
		if len(ids) == 1 { // the second time it bears the new id
			ids = append(ids, "~gone")
		}
		c, ids, err := m.Notes().AssignIDs(ctx, ids[:2], withKey(key))
		return c, fmt.Sprint(len(ids)), err
	}},
	{"rollback", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		c, files, err := m.History().Rollback(ctx, "seq:1", &fovea.WriteOptions{Key: key})
		return c, strings.Join(files, " "), err
	}},
	{"revert", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		c, files, _, err := m.History().Revert(ctx, []uint64{3}, &fovea.WriteOptions{Key: key})
		return c, strings.Join(files, " "), err
	}},
	{"purge", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		c, n, err := m.Mending().Purge(ctx, nil, "a secret", withKey(key))
		return c, fmt.Sprint(n), err
	}},
	{"retain", func(ctx context.Context, m *fovea.Memory, key string) (fovea.Commit, string, error) {
		c, moments, blocks, err := m.Mending().Retain(ctx, time.Second, 0, 0, withKey(key))
		return c, fmt.Sprint(moments, blocks), err
	}},
}

// withKey returns the options of a write with an idempotency key.
func withKey(key string) *fovea.WriteOptions { return &fovea.WriteOptions{Key: key} }

// actorWorld has a memory of more commits than there are automatic snapshots.
func actorWorld(t testing.TB) *world {
	w := newWorld(t, map[string]string{
		"a.org": "* One\n:PROPERTIES:\n:ID: one\n:END:\na secret\n* Nameless\n", "b.org": "* Two\n:PROPERTIES:\n:ID: two\n:END:\n",
	})
	w.ingest()
	for i := range 25 {
		text := strings.Repeat("\n", 25-i)
		w.write(map[string]string{"a.org": "* One\n:PROPERTIES:\n:ID: one\n:END:\n" + text + "* Nameless\n"})
		w.ingest()
	}
	return w
}

// TestAgentsWithoutRightsChangeNothing: whatever makes a commit is refused to an agent whose
// rights nobody said, and to one that has none.
func TestAgentsWithoutRightsChangeNothing(t *testing.T) {
	for how, may := range map[string]func(string) error{"none said": nil, "none given": func(string) error { return errors.New("no") }} {
		w := actorWorld(t)
		head := w.m.View().Head().Seq
		ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), May: may})
		for _, tc := range writes {
			if may != nil && (tc.name == "purge" || tc.name == "retain") {
				continue // they change no file
			}
			if _, _, err := tc.call(ctx, w.m, ""); fovea.KindOf(err) != fovea.Denied || w.m.View().Head().Seq != head {
				t.Errorf("rights: %s: %s: %v", how, tc.name, err)
			}
		}
	}
}

// anywhere lets an agent write every file that is not protected.
func anywhere(string) error { return nil }

// TestActor has every writing method recorded with the actor of the context, and done once
// under one key: again at once, after other work, and after a restart.
func TestActor(t *testing.T) {
	for _, tc := range writes {
		t.Run(tc.name, func(t *testing.T) {
			w := actorWorld(t)
			ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), May: anywhere, Session: "s1"})
			first, answer, err := tc.call(ctx, w.m, "op-1")
			if err != nil {
				t.Fatal(err)
			}
			if got := [...]string{first.Author.String(), first.Session, first.Op}; got != [...]string{"mint", "s1", "op-1"} {
				t.Errorf("recorded as %q", got)
			}
			for _, between := range []func(){
				func() {},
				func() { w.write(map[string]string{"c.org": "* Three\n"}); w.ingest() },
				w.reopen,
			} {
				between()
				head := w.m.View().Head()
				again, same, err := tc.call(ctx, w.m, "op-1")
				if err != nil {
					t.Fatal(err)
				}
				again.Documents = first.Documents
				if diff := cmp.Diff(first, again); diff != "" || same != answer {
					t.Errorf("answered %q, want %q; commit (-first +again):\n%s", same, answer, diff)
				}
				if got := w.m.View().Head(); got.Seq != head.Seq {
					t.Errorf("commit %d by a repeated operation", got.Seq)
				}
			}
			other := fovea.WithActor(ctx, author.Actor{Author: author.Named("other"), May: anywhere})
			if again, _, err := tc.call(other, w.m, "op-1"); fovea.KindOf(err) != fovea.Conflict {
				t.Errorf("another author's op gave commit %d, %v", again.Seq, err)
			}
		})
	}
}

// An op that is another operation's is refused, and nothing is written. What a
// call brings is laid over what the context has.
func TestActorRefused(t *testing.T) {
	w := actorWorld(t)
	ctx := fovea.WithActor(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), May: anywhere, Session: "s1"}),
		author.Actor{Session: "s2"})
	c, err := w.m.Notes().Edit(ctx, "one", withKey("op-1"), document.SetTitle{Title: "Uno"})
	if err != nil || c.Author != author.Named("mint") || c.Session != "s2" || c.Op != "op-1" {
		t.Fatalf("%+v, %v", c, err)
	}
	for name, tc := range map[string]struct {
		op   string
		want fovea.Kind
	}{
		"of another kind": {"op-1", fovea.Conflict}, "too long": {strings.Repeat("x", 201), fovea.Invalid},
	} {
		if _, _, err := w.m.History().Rollback(ctx, "seq:1", &fovea.WriteOptions{Key: tc.op}); fovea.KindOf(err) != tc.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := w.m.View().Head().Seq; got != c.Seq {
		t.Errorf("commit %d by a refused operation", got)
	}
}

// TestDryRunIsNotReplayed: a dry run says what would be done now, also under the key of a
// write that was done.
func TestDryRunIsNotReplayed(t *testing.T) {
	for name, call := range map[string]func(m *fovea.Memory, opts *fovea.WriteOptions) (fovea.Commit, []string, error){
		"rollback": func(m *fovea.Memory, opts *fovea.WriteOptions) (fovea.Commit, []string, error) {
			return m.History().Rollback(t.Context(), "seq:1", opts)
		},
		"restore": func(m *fovea.Memory, opts *fovea.WriteOptions) (fovea.Commit, []string, error) {
			return m.History().RestoreFiles(t.Context(), []string{"a.org"}, "seq:1", opts)
		},
		"revert": func(m *fovea.Memory, opts *fovea.WriteOptions) (fovea.Commit, []string, error) {
			c, files, _, err := m.History().Revert(t.Context(), []uint64{3}, opts)
			return c, files, err
		},
	} {
		w := actorWorld(t)
		first, files, err := call(w.m, &fovea.WriteOptions{Key: "op-1"})
		if err != nil || first.Seq == 0 || len(files) == 0 {
			t.Fatalf("%s: %+v, %q, %v", name, first, files, err)
		}
		_, want, err := call(w.m, &fovea.WriteOptions{DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		c, files, err := call(w.m, &fovea.WriteOptions{Key: "op-1", DryRun: true})
		if err != nil || c.Seq != 0 || !slices.Equal(files, want) {
			t.Errorf("%s: a dry run after it gave commit %d, %q, want %q; %v", name, c.Seq, files, want, err)
		}
	}
}

// TestDryRunOfAnEdit: a dry run of a change of notes is refused as the change would be, makes no
// commit, and leaves its key to the change.
func TestDryRunOfAnEdit(t *testing.T) {
	w := actorWorld(t)
	before := w.m.View().Head().Seq
	dry := &fovea.WriteOptions{Key: "op-1", DryRun: true}
	notes, body := w.m.Notes(), document.AppendBody{Text: "once"}
	for name, call := range map[string]func(id string) (fovea.Commit, error){
		"edit":    func(id string) (fovea.Commit, error) { return notes.Edit(t.Context(), id, dry, body) },
		"forget":  func(id string) (fovea.Commit, error) { return notes.Forget(t.Context(), id, dry) },
		"archive": func(id string) (fovea.Commit, error) { return notes.Archive(t.Context(), id, dry) },
		"insert": func(id string) (fovea.Commit, error) {
			c, _, err := notes.Insert(t.Context(), id, document.InsertHeadline{Title: "New"}, dry)
			return c, err
		},
		"remember": func(id string) (fovea.Commit, error) {
			c, _, _, err := notes.Remember(t.Context(), id, document.InsertHeadline{Title: "New"}, dry)
			return c, err
		},
	} {
		if c, err := call("one"); err != nil || c.Seq != 0 {
			t.Errorf("%s: commit %d, %v", name, c.Seq, err)
		}
		if _, err := call("nobody"); err == nil {
			t.Errorf("%s of a note that is not there is not refused", name)
		}
	}
	if after := w.m.View().Head().Seq; after != before {
		t.Errorf("dry runs made commits %d to %d", before+1, after)
	}
	if c, err := notes.Edit(t.Context(), "one", &fovea.WriteOptions{Key: "op-1"}, body); err != nil || c.Seq != before+1 {
		t.Errorf("the edit under the key of dry runs made commit %d, %v", c.Seq, err)
	}
}

// TestRestoreOfAnotherHead: files are restored only on the head that the caller looked at.
func TestRestoreOfAnotherHead(t *testing.T) {
	w := actorWorld(t)
	head := w.m.View().Head().Seq
	_, _, err := w.m.History().RestoreFiles(t.Context(), []string{"a.org"}, "seq:1", &fovea.WriteOptions{Head: head - 1})
	if fovea.KindOf(err) != fovea.Conflict {
		t.Errorf("restored on another head: %v", err)
	}
}

// What came from files is by the file, whoever asks.
func TestActorOfFiles(t *testing.T) {
	w := actorWorld(t)
	w.write(map[string]string{"b.org": "* Two\n:PROPERTIES:\n:ID: two\n:END:\nsaved\n"})
	ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), May: anywhere, Session: "s1"})
	c, err := w.m.Notes().Edit(ctx, "two", withKey("op-1"), document.SetTodo{Keyword: "TODO"})
	if err != nil {
		t.Fatal(err)
	}
	log, err := w.m.History().Log(t.Context(), "", 2)
	if err != nil {
		t.Fatal(err)
	}
	if log[0].Seq != c.Seq || log[1].Author != byFile || log[1].Session != "" || log[1].Op == "op-1" {
		t.Errorf("log %+v", log)
	}
}

// One of many that ask at once does it.
func TestActorAtOnce(t *testing.T) {
	w := actorWorld(t)
	ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), May: anywhere})
	before := w.m.View().Head().Seq
	ids := make([]string, 8)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			_, id, err := w.m.Notes().Insert(ctx, "b.org", document.InsertHeadline{Title: "New"}, withKey("op-1"))
			if err != nil {
				t.Error(err)
			}
			ids[i] = id
		})
	}
	group.Wait()
	if got := w.m.View().Head().Seq; got != before+1 {
		t.Errorf("%d commits", got-before)
	}
	for _, id := range ids {
		if id == "" || id != ids[0] {
			t.Errorf("ids %q", ids)
			break
		}
	}
}

// TestNobodySaysToBeAToken: a commit is a token's only where one vouched for its
// author, whatever op the caller chose, and no two ops become one.
func TestNobodySaysToBeAToken(t *testing.T) {
	w := actorWorld(t)
	seen := map[string]bool{}
	for i, op := range []string{"x", "token:x", "asserted:token:x", "asserted:x", ""} {
		for _, vouched := range []bool{false, true} {
			ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), Vouched: vouched, May: anywhere})
			c, _, err := w.m.Notes().Insert(ctx, "new.org", document.InsertHeadline{Title: fmt.Sprint(i, vouched)}, withKey(op))
			if err != nil || c.Vouched != vouched || seen[c.Op] {
				t.Errorf("%q, vouched %v: %+v, %v", op, vouched, c, err)
			}
			seen[c.Op] = true
		}
	}
}
