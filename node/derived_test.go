// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPropertyLists: all properties at once are what Property says of each.
func TestPropertyLists(t *testing.T) {
	d := &Derived{Properties: []Property{{"a", "1"}, {"B+", "2"}, {"A", "3"}, {"a+", "4"}, {"b+", "5"}, {"ı", "6"}, {"c", ""}, {"+", "7"}}}
	want := map[string][]string{"A": {"3", "4"}, "B": {"2", "5"}, "I": {"6"}, "C": {""}, "": {"7"}}
	got := d.PropertyLists()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for key, values := range got {
		if diff := cmp.Diff(d.Property(key), values); diff != "" && key != "I" { // of which EqualFold does not know that it is ı
			t.Errorf("%s (-one +all)\n%s", key, diff)
		}
	}
}

// TestLinkLines: the line of a link is that of its first occurrence as a link, however
// the address is written.
func TestLinkLines(t *testing.T) {
	text := strings.Join([]string{"* [[*title]]", "id:x10 [[id:x10]]", "# [[id:x1]]", `[[id:x1]] [[*a\]b]]`, "[[*title]]", "<id:x2>"}, "\n")
	want := map[string]int{"*title": 0, "id:x10": 1, "id:x1": 3, "*a]b": 3, "id:x2": 5}
	if diff := cmp.Diff(want, LinkLines(text)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
