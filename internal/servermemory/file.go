// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/mcpserver"
	"github.com/fovea-memory/fovea/internal/vfs"
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
	`"entity"`: schemaOf[Entity]("name entityType? observations?"), `"relation"`: schemaOf[Relation]("from to relationType"),
}

// add reads one line. Its values may have other types than server-memory writes.
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
	if err != nil && len(fields["observations"]) > 0 { // a value that is not a list is one observation
		fields["observations"] = slices.Concat([]byte("["), fields["observations"], []byte("]"))
		single, _ := json.Marshal(fields) // they were JSON
		if loose, bad := mcpserver.Arguments(schema, single); bad == nil {
			fitting, err = loose, nil
		}
	}
	if err != nil {
		return err
	}
	line := headline{Entity: &Entity{Observations: []string{}}, Relation: &Relation{}}
	_ = json.Unmarshal(fitting, &line) // keys of the other type may hold anything
	if string(fields["type"]) == `"relation"` {
		g.Relations = append(g.Relations, *line.Relation)
	} else {
		g.Entities = append(g.Entities, *line.Entity)
	}
	return nil
}

// adopt imports the file if the graph is empty. Before the file is overwritten, it saves a copy of
// content that the graph lacks.
func (c *change) adopt() (t Taken, err error) {
	if c.file == "" {
		return t, nil
	}
	text, err := os.ReadFile(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	g, bad := ReadLines(text)
	isNew := len(c.model.all) == 0
	if err == nil && (len(bad) > 0 || !isNew && !c.model.holds(g)) {
		err = os.WriteFile(fmt.Sprintf("%s.before-fovea-%.4x", c.file, sha256.Sum256(text)), text, 0o600)
	}
	if err == nil && isNew {
		return c.take(g)
	}
	return t, err
}

// mirror updates the file of server-memory from the graph, for its other readers and for a return to
// that server: it appends added items, or replaces the file if another process has written it or
// anything else has changed. The memory is authoritative.
func (s *Store) mirror() error {
	m := s.model
	if s.file == "" || m.mirrored == len(m.all) {
		return nil
	}
	now, err := os.Stat(s.file)
	if err != nil || s.left == nil || !os.SameFile(now, s.left) || now.Size() != s.left.Size() || !now.ModTime().Equal(s.left.ModTime()) {
		m.mirrored = -1
	}
	var text strings.Builder
	for _, h := range m.all[max(m.mirrored, 0):] {
		text.WriteString(encoded(h, "") + "\n")
	}
	if m.mirrored >= 0 {
		err = appendTo(s.file, text.String())
	} else {
		err = vfs.WriteFile(s.file, []byte(text.String()), 0o600)
	}
	if err == nil {
		s.left, err = os.Stat(s.file)
	}
	if err != nil {
		return fmt.Errorf("the memory has it, but its copy in %s could not be written: %w", s.file, err)
	}
	m.mirrored = len(m.all)
	return nil
}

// appendTo appends to a file in one write.
func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
