// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fovea-memory/fovea/internal/corpus"
)

// TestTheNewestTextCounts: of several clients that hold a file, the session sees what was pushed
// last, and the file is held until the last of them has left.
func TestTheNewestTextCounts(t *testing.T) {
	var b corpus.Buffers
	leave := map[string]func(){"one": b.Join("one"), "two": b.Join("two")}
	put := func(client, text string, keep bool) {
		t.Helper()
		if _, err := b.Put(client, corpus.Buffer{Path: "a.org", Real: "real.org", Name: client, Session: "s", Text: text, Shown: text != ""}, keep); err != nil {
			t.Fatal(err)
		}
	}
	sees := func(session string, want ...string) {
		t.Helper()
		var got []string
		for _, one := range b.Of(session) {
			got = append(got, one.Path+": "+one.Text)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("session %s (-want +got):\n%s", session, diff)
		}
	}
	put("one", "first", false)
	before := b.Changes()
	put("two", "second", false)
	if b.Changes() == before {
		t.Error("a push is no change")
	}
	sees("s", "a.org: second")
	sees("other")
	put("one", "third", false)
	put("two", "", true)
	sees("s", "a.org: third")
	if b.Holder("a.org") != "one" || b.Holder("real.org") != "one" || b.Holder("b.org") != "" {
		t.Errorf("held by %q, %q, %q", b.Holder("a.org"), b.Holder("real.org"), b.Holder("b.org"))
	}
	leave["one"]()
	sees("s", "a.org: second")
	if err := b.Drop("two", "real.org"); err != nil || b.Holder("a.org") != "" {
		t.Errorf("dropped: %v, held by %q", err, b.Holder("a.org"))
	}
	_, err := b.Put("one", corpus.Buffer{}, false)
	for what, err := range map[string]error{"put": err, "drop": b.Drop("one", "real.org")} {
		if !errors.Is(err, corpus.ErrClient) {
			t.Errorf("%s of a client that has left: %v", what, err)
		}
	}
	leave["two"]()
	if none := (*corpus.Buffers)(nil); none.Holder("a.org") != "" || none.Of("s") != nil || none.Changes() != 0 {
		t.Error("nil has buffers")
	}
}

// TestLimits: what is over a limit is refused, and what was held before stays, also while many
// clients come and go.
func TestLimits(t *testing.T) {
	var b corpus.Buffers
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			name := fmt.Sprint("client ", i)
			leave := b.Join(name)
			defer leave()
			put := func(path, text string) error {
				_, err := b.Put(name, corpus.Buffer{Path: path, Real: path, Name: name, Session: name, Text: text, Shown: true}, false)
				return err
			}
			for n := range corpus.MaxBuffers {
				if err := put(fmt.Sprintf("%d/%02d.org", i, n), "text"); err != nil {
					t.Error(err)
				}
			}
			first := fmt.Sprintf("%d/00.org", i)
			for what, err := range map[string]error{"one too many": put("more.org", ""), "too long": put(first, strings.Repeat("x", corpus.MaxText+1))} {
				if !errors.Is(err, corpus.ErrLimit) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if got := b.Of(name); len(got) != corpus.MaxBuffers || got[0].Text != "text" || b.Holder(first) != name {
				t.Errorf("%d buffers, the first %.10q, held by %q", len(got), got[0].Text, b.Holder(first))
			}
		})
	}
	clients.Wait()
	if b.Holder("0/00.org") != "" {
		t.Error("a buffer outlives its client")
	}
}

// TestTheTextsTogetherAreBounded: what would exceed the limit of all clients is refused, whoever
// pushes it, and each way of letting go of a text makes room.
func TestTheTextsTogetherAreBounded(t *testing.T) {
	var b corpus.Buffers
	text := strings.Repeat("x", corpus.MaxText)
	put := func(client, path, text string) error {
		_, err := b.Put(client, corpus.Buffer{Path: path, Real: path, Session: "s", Text: text, Shown: true}, false)
		return err
	}
	fits := func(how string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		if err := put("other", "more.org", "x"); !errors.Is(err, corpus.ErrLimit) || !strings.Contains(err.Error(), "together") {
			t.Fatalf("%s, and one byte too many: %v", how, err)
		}
	}
	leave := b.Join("full")
	b.Join("other")
	for i := range corpus.MaxTotal/corpus.MaxText - 1 {
		if err := put("full", fmt.Sprint(i), text); err != nil {
			t.Fatal(err)
		}
	}
	fits("the last", put("other", "last.org", text))
	fits("the same again", put("full", "0", text))
	if got := len(b.Of("s")); got != corpus.MaxTotal/corpus.MaxText {
		t.Errorf("%d buffers are seen", got)
	}
	if err := put("full", "0", ""); err != nil {
		t.Fatal(err)
	}
	fits("after one became empty", put("other", "last2.org", text))
	if err := b.Drop("full", "1"); err != nil {
		t.Fatal(err)
	}
	fits("after one was saved", put("other", "last3.org", text))
	leave()
	for i := range corpus.MaxTotal/corpus.MaxText - 3 {
		if err := put("other", fmt.Sprint(i), text); err != nil {
			t.Fatalf("text %d after a client has left: %v", i, err)
		}
	}
	fits("all of one client", nil)
}
