// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory_test

import (
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/servermemory"
)

// BenchmarkReadGraph reads a graph of 1,000 entities, 1.2 MB as an answer, through the
// protocol.
func BenchmarkReadGraph(b *testing.B) {
	var g servermemory.Graph
	for i := range 1000 {
		e := servermemory.Entity{Name: fmt.Sprint("n-", i), EntityType: "t"}
		for k := range 5 {
			e.Observations = append(e.Observations, fmt.Sprintf("observation %d of %d: lorem ipsum dolor sit amet consectetur adipiscing", k, i))
		}
		g.Entities = append(g.Entities, e)
	}
	svc, _ := newPlace(b).open(b)
	s := store(b, svc, "")
	if _, err := s.Take(b.Context(), g); err != nil {
		b.Fatal(err)
	}
	c := client(b, s)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.CallTool(b.Context(), &mcp.CallToolParams{Name: "read_graph"}); err != nil {
			b.Fatal(err)
		}
	}
}
