// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"errors"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/query"
)

// named returns a view of nodes whose ids, paths and titles are handles of others.
func named() View {
	v := view(map[string]string{
		"a.org": "* One\n:PROPERTIES:\n:ID: one\n:END:\n| a |\n* Two\n:PROPERTIES:\n:ID: twoid\n:END:\n* titel\n* Four\n:PROPERTIES:\n:ID: four\n:END:\n",
		"files": "opaque\n",
	})
	handles := map[string][]string{
		"onehd": {"one"}, "twoid": {"one"}, "titel": {"one"}, "files": {"one"}, "gonen": {"removed"}, "twice": {"one", "four"}, "half": {"one", "removed"},
		"fourh": {"four"}, "four": {"four"},
	}
	v.IDs = func(word string) []string { return handles[word] }
	return v
}

// TestHandles: a handle stands for the id of its node, unless it is also the name of
// another node.
func TestHandles(t *testing.T) {
	v := named()
	for name, want := range map[string]string{
		"onehd": "one", "id:onehd": "one", "one": "one", "onehd::table.1": "one::table.1", "one::table.1": "one::table.1",
		"id:twoid": "twoid", "id:titel": "one", "id:files": "one", "four": "four", "fourh": "four",
	} {
		if n, err := v.Resolve(name); err != nil || n.ID != want {
			t.Errorf("%q is %v, %v, want %q", name, n, err, want)
		}
	}
	for name, want := range map[string]string{
		"twoid": "\"twoid\" could mean 2 nodes; name one by its id:\n  one  One  (a.org)\n  id:twoid  Two  (a.org)",
		"titel": "could mean 2 nodes; name one by its id:\n  one  One  (a.org)\n  ~",
		"files": "could mean 2 nodes; name one by its id:\n  one  One  (a.org)\n  ",
		"twice": "could mean 2 nodes; name one by its id:\n  one  One  (a.org)\n  four  Four  (a.org)",
		"half":  "could mean 2 nodes; name one by its id:\n  one  One  (a.org)\n  and 1 more",
	} {
		_, err := v.Resolve(name)
		if _, ambiguous := err.(*AmbiguousError); !ambiguous || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	for _, name := range []string{"gonen", "id:gonen", "gonen::table.1", "twice::table.1", "onehd::table.2"} {
		if n, err := v.Resolve(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q is %v, %v", name, n, err)
		}
	}
}

// TestHandlesInQueries: conditions on ids accept handles, wherever they stand.
func TestHandlesInQueries(t *testing.T) {
	v := named()
	for text, want := range map[string]string{
		"id:onehd": "one", "id:onehd,fourh": "one four", "id:twice": "one four", "id:gonen": "", "id:twoid": "one twoid",
		"!id:onehd level:1 heading:Two": "twoid", "type:table id:onehd::table.1": "one::table.1",
		"parent:(children:(id:fourh)) id:onehd": "one",
	} {
		e, err := query.Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		nodes, err := v.Query(e, 0, now)
		if got := strings.Join(ids(nodes), " "); err != nil || got != want {
			t.Errorf("%s finds %q, %v, want %q", text, got, err, want)
		}
	}
	keep, err := query.Parse("id:fourh")
	if err != nil {
		t.Fatal(err)
	}
	hits, err := v.Search("Four One", 0, keep, now)
	if err != nil || len(hits) != 1 || hits[0].Node.ID != "four" {
		t.Errorf("a search among a handle finds %v, %v", hits, err)
	}
}
