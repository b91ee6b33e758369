// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestEventsAreKept: what was sent after a number comes back; what is not there any more
// is an error and never a part; the oldest requests are given up first; a session that
// is closed leaves nothing.
func TestEventsAreKept(t *testing.T) {
	e := mcpserver.NewEvents()
	add := func(session, stream string, data ...string) {
		t.Helper()
		if err := e.Open(t.Context(), session, stream); err != nil {
			t.Fatal(err)
		}
		for _, d := range data {
			if err := e.Append(t.Context(), session, stream, []byte(d)); err != nil {
				t.Fatal(err)
			}
		}
	}
	after := func(session, stream string, number int) string {
		var out []string
		for data, err := range e.After(t.Context(), session, stream, number) {
			if err != nil {
				if len(out) > 0 || !errors.Is(err, mcp.ErrEventsPurged) {
					t.Errorf("after %q: %v", out, err)
				}
				return "gone"
			}
			out = append(out, string(data))
		}
		return strings.Join(out, " ")
	}
	add("s", "r", "a", "b", "c")
	add("s", "", "n")
	for i := range 150 {
		add("t", "", fmt.Sprint("n", i))
	}
	for name, tc := range map[string]struct{ got, want string }{
		"all":               {after("s", "r", -1), "a b c"},
		"the rest":          {after("s", "r", 0), "b c"},
		"nothing more":      {after("s", "r", 2), ""},
		"beyond the end":    {after("s", "r", 9), ""},
		"notices":           {after("s", "", -1), "n"},
		"an old notice":     {after("t", "", 48), "gone"},
		"a new notice":      {after("t", "", 148), "n149"},
		"an unknown stream": {after("s", "x", 0), "gone"},
		"another session's": {after("t", "r", 0), "gone"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", name, tc.got, tc.want)
		}
	}
	for i := range 10_000 {
		add("many", fmt.Sprint(i), strings.Repeat("x", 1000))
	}
	if after("s", "r", -1) != "gone" || after("s", "", -1) != "n" || after("many", "9999", -1) == "gone" || e.Bytes() > 5<<20 {
		t.Errorf("after many requests: %d bytes", e.Bytes())
	}
	if err := e.Append(t.Context(), "s", "r", nil); !errors.Is(err, mcp.ErrEventsPurged) {
		t.Errorf("a stream that was given up: %v", err)
	}
	add("large", "r", string(bytes.Repeat([]byte("x"), 9<<20)))
	for _, session := range []string{"s", "t", "many", "large"} {
		if err := e.SessionClosed(t.Context(), session); err != nil {
			t.Fatal(err)
		}
	}
	if e.Bytes() != 0 {
		t.Errorf("%d bytes of no session", e.Bytes())
	}
}
