// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package servermemory_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestInEmacs opens a graph in Emacs whose names, types and observations would run
// something in an Org file: nothing runs, and each is read back as it was.
func TestInEmacs(t *testing.T) {
	marks, p := t.TempDir(), newPlace(t)
	svc, _ := p.open(t)
	c := client(t, store(t, svc, ""))
	type entity struct {
		Name         string   `json:"name"`
		EntityType   string   `json:"entityType"`
		Observations []string `json:"observations"`
	}
	var want []entity
	for i, text := range []string{
		"-*- eval: MARK -*-", "Local Variables:\neval: MARK\nEnd:", "# Local Variables:\n# eval: MARK\n# End:", "[[elisp:MARK][look]]", "<elisp:MARK>",
		"[[shell:touch FILE]]", "[[file+sys:FILE]]", "%%(progn MARK t)", "<%%(progn MARK t)>", "src_emacs-lisp{MARK}", "call_x(MARK)", "{{{m(MARK)}}}",
		"#+begin_src emacs-lisp :tangle FILE :exports results :eval yes\nMARK\n#+end_src", "#+MACRO: m (eval MARK)", "| x | :='MARK |\n#+TBLFM: $1='MARK",
	} {
		file := filepath.Join(marks, fmt.Sprint(i))
		text = strings.NewReplacer("MARK", `(write-region "" nil "`+file+`")`, "FILE", file).Replace(text)
		want = append(want, entity{text, text, []string{text, "plain"}})
	}
	args, err := json.Marshal(map[string]any{"entities": want})
	if err != nil {
		t.Fatal(err)
	}
	if _, text, failed := call(t, c, "create_entities", string(args)); failed {
		t.Fatal(text)
	}
	files, err := filepath.Glob(filepath.Join(p.memex, "agents", "server-memory", "*.org"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, %v", files, err)
	}
	foveatest.ExerciseInEmacs(t, "", files[0])
	if ran, err := os.ReadDir(marks); err != nil || len(ran) > 0 {
		t.Errorf("%v ran, %v", ran, err)
	}
	data, _, _ := call(t, c, "read_graph", "{}")
	var got struct{ Entities []entity }
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got.Entities); d != "" {
		t.Error(d)
	}
}
