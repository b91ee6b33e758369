// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"
)

// drawValue draws what a name, a type or an observation may be.
func drawValue() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[a-z ]{0,12}`), rapid.String(), rapid.SampledFrom([]string{
		"", `"`, `\`, "<b>&amp;", "a\nb\tc\r", "\x00\x01\x7f", "\b\f", "Übergröße", "\u2028 \u2029", "\xff\xfe", "\xe2\x80", "\ufffd", "𝄞", `\u003c`, "\u00a0",
	}))
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

// TestPrinted: graphs are written as encoding/json writes them, as data, as a text within
// a message, and as the lines of that server's file.
func TestPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		want, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(dataText(g))); d != "" {
			t.Errorf("data: %s", d)
		}
		text, err := indented(g)
		if err != nil {
			t.Fatal(err)
		}
		if want, err = json.Marshal(text); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(shownText(g))); d != "" {
			t.Errorf("text: %s", d)
		}
		if d := cmp.Diff(encodedLines(t, g), string(asLines(g))); d != "" {
			t.Errorf("lines: %s", d)
		}
	})
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

// written is what somebody reads.
type written struct{ bytes.Buffer }

func (*written) Close() error { return nil }

// TestAside: messages whose answers were kept aside are, byte for byte, what the SDK
// sends of the answers themselves, alone and in a batch; and nothing stays kept.
func TestAside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var got written
		h := &host{answers: newAside(&got)}
		var want, batch []byte
		for i := range rapid.IntRange(1, 3).Draw(t, "answers") {
			g := drawGraph(t)
			text, err := indented(g)
			if err != nil {
				t.Fatal(err)
			}
			want = append(append(want, message(t, i, text, g)...), '\n')
			data, text, err := h.result(answer{g, g})
			if err != nil {
				t.Fatal(err)
			}
			batch = append(append(batch, message(t, i, text, data)...), '\n')
		}
		if n, err := h.answers.Write(batch); n != len(batch) || err != nil {
			t.Fatalf("%d of %d, %v", n, len(batch), err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Error(d)
		}
		if len(h.answers.kept) > 0 {
			t.Errorf("%d are kept yet", len(h.answers.kept))
		}
	})
}

// message is an answer of a tool as the SDK sends it.
func message(t *rapid.T, id int, text string, data any) []byte {
	result, err := json.Marshal(&mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: data})
	if err != nil {
		t.Fatal(err)
	}
	number, err := jsonrpc.MakeID(float64(id))
	if err != nil {
		t.Fatal(err)
	}
	m, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: number, Result: result})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
