// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// ReadLines reads a graph from the text of server-memory's file, one JSON object per line. bad
// lists by number the lines that it skips as malformed.
func ReadLines(text []byte) (g Graph, bad []string) {
	for number, line := range foreign.Lines(text) {
		if err := g.add(line); err != nil {
			bad = append(bad, fmt.Sprintf("line %d: %v", number, err))
		}
	}
	return g, bad
}

// lineSchemas are the schemas of lines by type.
var lineSchemas = map[string]*jsonschema.Schema{
	`"entity"`: entitySchema(), `"relation"`: schemaOf[Relation]("from to relationType"),
}

// entitySchema is that of an entity, of which only the name is needed.
func entitySchema() *jsonschema.Schema {
	s := schemaOf[Entity]("name entityType observations")
	s.Required = []string{"name"}
	return s
}

// add reads one line, whose values may have another type than server-memory writes.
func (g *Graph) add(text []byte) error {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(text, &fields) != nil {
		return fmt.Errorf("not a JSON object")
	}
	schema := lineSchemas[string(fields["type"])]
	if schema == nil {
		return fmt.Errorf("neither an entity nor a relation")
	}
	fitting, err := mcpserver.Arguments(schema, text)
	if err != nil && len(fields["observations"]) > 0 { // what is no list is one observation
		fields["observations"] = slices.Concat([]byte("["), fields["observations"], []byte("]"))
		single, _ := json.Marshal(fields) // they were JSON
		if loose, bad := mcpserver.Arguments(schema, single); bad == nil {
			fitting, err = loose, nil
		}
	}
	if err != nil {
		return err
	}
	// Keys of the other type may hold anything.
	r, e := Relation{}, Entity{Observations: []string{}}
	if string(fields["type"]) == `"relation"` {
		if err = json.Unmarshal(fitting, &r); err == nil {
			g.Relations = append(g.Relations, r)
		}
	} else if err = json.Unmarshal(fitting, &e); err == nil {
		g.Entities = append(g.Entities, e)
	}
	return err
}

// line returns a headline in the format of that file.
func (h *headline) line() string {
	line := struct {
		Type string `json:"type"`
		*Entity
		*Relation
	}{"entity", &h.entity, nil}
	if r, isRelation := h.key.(Relation); isRelation {
		line.Type, line.Entity, line.Relation = "relation", nil, &r
	}
	return encoded(line, "") + "\n"
}
