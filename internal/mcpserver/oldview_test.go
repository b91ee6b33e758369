// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestOldViewIsTold: what the owner wrote since a client read a note is neither lost nor kept from
// it: a new body and a title are refused with those lines and then pass, an append goes through and
// its answer has them.
func TestOldViewIsTold(t *testing.T) {
	svc, dir := memory(t)
	c := attach(t, mcpserver.New(ops.Guarded(svc), &mcpserver.Options{Acting: granted("ada")}), nil, "")
	done := func(want, tool string, args map[string]any) {
		t.Helper()
		text, failed := call(t, c, tool, args)
		if failed != strings.HasPrefix(want, "refused ") || !strings.Contains(text, strings.TrimPrefix(want, "refused ")) {
			t.Errorf("%s %v: failed %v, want %q in\n%s", tool, args, failed, want, text)
		}
	}
	write := func(change func(text string) string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "agents/ada/*.org"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		text, err := os.ReadFile(files[0])
		if err == nil {
			err = os.WriteFile(files[0], []byte(change(string(text))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	editor := func(line string) {
		t.Helper()
		write(func(text string) string { return text + line + "\n" })
	}
	done("", "remember", map[string]any{"title": "Plan", "body": "one"})
	done("", "edit", map[string]any{"id": "Plan", "body": "two"}) // of her own text
	editor("Ben is ill")
	done("refused Ben is ill", "edit", map[string]any{"id": "Plan", "body": "three"})
	done("", "edit", map[string]any{"id": "Plan", "body": "three, and Ben is ill"}) // the refusal has shown it
	editor("Lea is back")
	done("+Lea is back", "edit", map[string]any{"id": "Plan", "append": "four"})
	done("", "edit", map[string]any{"id": "Plan", "body": "five, Lea is back"})
	editor("Ben is well")
	done("", "edit", map[string]any{"id": "Plan", "add_tags": []string{"p"}})
	editor("Lea is away")
	done("refused Lea is away", "edit", map[string]any{"id": "Plan", "title": "Plans"})
	long := strings.Repeat(strings.Repeat("long ", 4000)+"end\n", 7)
	done("", "edit", map[string]any{"id": "Plan", "body": long})
	write(func(text string) string { return strings.ReplaceAll(text, "long ", "") + "Lea is here\n" })
	done("refused Lea is here", "edit", map[string]any{"id": "Plan", "body": "six"}) // not cut off behind the lines that are gone
	write(func(text string) string {
		return text + strings.Repeat("a line of the owner\n", 10_000) + "the last one\n"
	})
	done("", "read", map[string]any{"id": "Plan", "offset": 190_000}) // which is not the whole
	done("refused others changed", "edit", map[string]any{"id": "Plan", "body": "seven"})
	first, _ := call(t, c, "read", map[string]any{"id": "Plan"})
	_, next, _ := strings.Cut(first, "Read on with offset ")
	offset, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(next), ".")))
	if err != nil {
		t.Fatalf("%.200s: %v", first, err)
	}
	done("the last one", "read", map[string]any{"id": "Plan", "offset": offset})
	done("", "edit", map[string]any{"id": "Plan", "body": "seven"})
}
