// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/rpcline"
)

// line is one line of the file of server-memory.
type line struct {
	Type         string    `json:"type"`
	Name         *string   `json:"name,omitempty"`
	EntityType   *string   `json:"entityType,omitempty"`
	Observations *[]string `json:"observations,omitempty"`
	From         *string   `json:"from,omitempty"`
	To           *string   `json:"to,omitempty"`
	RelationType *string   `json:"relationType,omitempty"`
}

// maxLine is the maximum length of a line, in bytes.
const maxLine = 16 << 20

// ReadLines reads a graph from the file of server-memory, one JSON object per line. bad
// lists by number the lines that it skips as malformed. The error is that of r.
func ReadLines(r io.Reader) (g Graph, bad []string, err error) {
	in := bufio.NewReader(r)
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		if number == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if text = bytes.TrimSpace(text); len(text) > maxLine {
			bad = append(bad, fmt.Sprintf("line %d: longer than %d bytes", number, maxLine))
		} else if len(text) > 0 {
			if fault := g.add(text); fault != "" {
				bad = append(bad, fmt.Sprintf("line %d: %s", number, fault))
			}
		}
		if err == io.EOF {
			return g, bad, nil
		}
		if err != nil {
			return g, bad, err
		}
	}
}

// add parses one line and returns what is wrong with it, or "".
func (g *Graph) add(text []byte) string {
	var l line
	if json.Unmarshal(text, &l) != nil {
		var err error
		if l, err = looseLine(text); err != nil {
			return err.Error()
		}
	}
	switch {
	case l.Type == "entity" && l.Name != nil:
		e := Entity{Name: *l.Name, Observations: []string{}}
		if l.EntityType != nil {
			e.EntityType = *l.EntityType
		}
		if l.Observations != nil {
			e.Observations = append(e.Observations, *l.Observations...)
		}
		g.Entities = append(g.Entities, e)
	case l.Type == "relation" && l.From != nil && l.To != nil && l.RelationType != nil:
		g.Relations = append(g.Relations, Relation{From: *l.From, To: *l.To, RelationType: *l.RelationType})
	default:
		return "neither an entity nor a relation"
	}
	return ""
}

// lineSchema is the schema of a line.
var lineSchema = schemaOf[line](false)

// looseLine reads a line whose values have another type than server-memory writes, as Arguments of
// package rpcline reads them; what is no list of observations is one observation.
func looseLine(text []byte) (l line, err error) {
	given, err := rpcline.Arguments(lineSchema, text)
	fields := map[string]json.RawMessage{}
	if err != nil && json.Unmarshal(text, &fields) == nil && len(fields["observations"]) > 0 {
		fields["observations"] = slices.Concat([]byte("["), fields["observations"], []byte("]"))
		if single, bad := json.Marshal(fields); bad == nil {
			if given, bad = rpcline.Arguments(lineSchema, single); bad == nil {
				err = nil
			}
		}
	}
	if errors.Is(err, rpcline.ErrNoObject) {
		err = errors.New("not a JSON object")
	}
	if err == nil {
		err = json.Unmarshal(given, &l)
	}
	return l, err
}

// asLines returns a graph in the format of that file.
func asLines(g Graph) []byte {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	for _, e := range g.Entities {
		if e.Observations == nil {
			e.Observations = []string{}
		}
		_ = to.Encode(line{Type: "entity", Name: &e.Name, EntityType: &e.EntityType, Observations: &e.Observations}) // texts always encode
	}
	for _, r := range g.Relations {
		_ = to.Encode(line{Type: "relation", From: &r.From, To: &r.To, RelationType: &r.RelationType})
	}
	return b.Bytes()
}
