// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/foreign"
)

// ReadLines reads a graph from the file of server-memory, one JSON object per line. bad
// lists by number the lines that it skips as malformed. The error is that of r.
func ReadLines(r io.Reader) (g Graph, bad []string, err error) {
	text, err := io.ReadAll(r)
	for number, line := range foreign.Lines(text) {
		if fault := g.add(line); fault != nil {
			bad = append(bad, fmt.Sprintf("line %d: %v", number, fault))
		}
	}
	return g, bad, err
}

// entityLine is an entity in the file, of which only the name is needed.
type entityLine struct {
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType,omitempty"`
	Observations []string `json:"observations,omitempty"`
}

// The schemas of lines.
var (
	entitySchema   = schemaOf[entityLine](false)
	relationSchema = schemaOf[Relation](false)
)

// add reads one line, whose values may have another type than server-memory writes.
func (g *Graph) add(text []byte) error {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(text, &fields) != nil {
		return fmt.Errorf("not a JSON object")
	}
	switch string(fields["type"]) {
	case `"entity"`:
		l, err := arguments[entityLine](entitySchema, text)
		if err != nil && len(fields["observations"]) > 0 { // what is no list is one observation
			fields["observations"] = slices.Concat([]byte("["), fields["observations"], []byte("]"))
			single, _ := json.Marshal(fields) // they were JSON
			if loose, bad := arguments[entityLine](entitySchema, single); bad == nil {
				l, err = loose, nil
			}
		}
		if err != nil {
			return err
		}
		g.Entities = append(g.Entities, Entity{l.Name, l.EntityType, append([]string{}, l.Observations...)})
	case `"relation"`:
		r, err := arguments[Relation](relationSchema, text)
		if err != nil {
			return err
		}
		g.Relations = append(g.Relations, r)
	default:
		return fmt.Errorf("neither an entity nor a relation")
	}
	return nil
}

// asLine returns a headline in the format of that file.
func (h *headline) asLine() []byte {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if r, isRelation := h.key.(Relation); isRelation {
		_ = to.Encode(struct { // texts always encode
			Type string `json:"type"`
			Relation
		}{"relation", r})
	} else {
		_ = to.Encode(struct {
			Type string `json:"type"`
			Entity
		}{"entity", h.entity})
	}
	return b.Bytes()
}
