// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
)

// TestPropertyLists: all properties at once are what Property says of each.
func TestPropertyLists(t *testing.T) {
	d := &document.Derived{Properties: []document.Property{{Key: "a", Value: "1"}, {Key: "B+", Value: "2"}, {Key: "A", Value: "3"}, {Key: "a+",
		Value: "4"}, {Key: "b+", Value: "5"}, {Key: "ı", Value: "6"}, {Key: "c", Value: ""}, {Key: "+", Value: "7"}}}
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
