// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawValue draws what a name, a type or an observation may be.
func drawValue() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[a-z ]{0,12}`), rapid.String(), rapid.SampledFrom([]string{
		"", `"`, `\`, "<b>&amp;", "a\nb\tc\r", "\x00\x01\x7f", "\b\f", "Übergröße", "\u2028 \u2029", "\xff\xfe", "\xe2\x80", "\ufffd", "𝄞", `\u003c`, "\u00a0",
	}))
}

// asLines returns a graph in the format of that server's file.
func asLines(g Graph) (text []byte) {
	for _, e := range g.Entities {
		text = append(text, encoded(newModel().put(e, "", 0), "")+"\n"...)
	}
	for _, r := range g.Relations {
		text = append(text, encoded(newModel().put(r, "", 0), "")+"\n"...)
	}
	return text
}

func drawGraph(t *rapid.T) (g Graph) {
	values := rapid.OneOf(rapid.SliceOfN(drawValue(), 0, 4), rapid.Just[[]string](nil))
	entity := rapid.Custom(func(t *rapid.T) Entity {
		return Entity{drawValue().Draw(t, "name"), drawValue().Draw(t, "type"), values.Draw(t, "observations")}
	})
	relation := rapid.Custom(func(t *rapid.T) Relation {
		return Relation{drawValue().Draw(t, "from"), drawValue().Draw(t, "to"), drawValue().Draw(t, "type")}
	})
	return Graph{
		Entities:  rapid.OneOf(rapid.SliceOfN(entity, 0, 4), rapid.Just[[]Entity](nil)).Draw(t, "entities"),
		Relations: rapid.OneOf(rapid.SliceOfN(relation, 0, 4), rapid.Just[[]Relation](nil)).Draw(t, "relations"),
	}
}

// TestPrinted: graphs are written as encoding/json writes them, as text and as the lines of
// that server's file.
func TestPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(g); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.String(), encoded(g, "  ")+"\n"); d != "" {
			t.Errorf("text: %s", d)
		}
		if d := cmp.Diff(encodedLines(t, g), string(asLines(g))); d != "" {
			t.Errorf("lines: %s", d)
		}
	})
}

// line is one line of that server's file.
type line struct {
	Type         string    `json:"type"`
	Name         *string   `json:"name,omitempty"`
	EntityType   *string   `json:"entityType,omitempty"`
	Observations *[]string `json:"observations,omitempty"`
	From         *string   `json:"from,omitempty"`
	To           *string   `json:"to,omitempty"`
	RelationType *string   `json:"relationType,omitempty"`
}

// encodedLines is a graph as lines, as encoding/json writes them.
func encodedLines(t *rapid.T, g Graph) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	var all []line
	for _, n := range g.Entities {
		if n.Observations == nil {
			n.Observations = []string{}
		}
		all = append(all, line{Type: "entity", Name: &n.Name, EntityType: &n.EntityType, Observations: &n.Observations})
	}
	for _, r := range g.Relations {
		all = append(all, line{Type: "relation", From: &r.From, To: &r.To, RelationType: &r.RelationType})
	}
	for _, l := range all {
		if err := e.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestEmptyOfTwoWriters: an entity without observations has an empty list of them also where two
// writers created it.
func TestEmptyOfTwoWriters(t *testing.T) {
	m := newModel()
	m.put(Entity{Name: "A"}, "node-1", 1)
	m.put(Entity{Name: "A"}, "node-2", 1)
	if text := encoded(m.graph(nil), ""); !strings.Contains(text, `"observations":[]`) {
		t.Error(text)
	}
}
