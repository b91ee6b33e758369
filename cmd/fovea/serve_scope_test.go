// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScopesThroughTheDaemon: what a verb says of a project and a session is the same
// with a daemon and without, before and after it.
func TestScopesThroughTheDaemon(t *testing.T) {
	s := newServed(t)
	tree := filepath.Join(t.TempDir(), "draft.json")
	settings := filepath.Join(filepath.Dir(s.state), "config", "fovea", "config.toml")
	for name, text := range map[string]string{
		filepath.Join(s.memex, "home.org"): "* At home\n",
		filepath.Join(s.memex, "boat.org"): "* Rivets\n",
		tree:                               `{"type":"headline","properties":{"ID":"draft","TITLE":"Draft"},"raw-content":"* Draft\n"}`,
		settings:                           "[projects]\nboat = [\"boat.org\"]\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	scoped := func(words ...string) []string { return append(words, "--project", "boat", "--session", "s1") }
	all := func() string {
		var said strings.Builder
		for _, words := range [][]string{
			{"query", "type:headline"}, {"show", "draft"}, {"search", "rivets"}, {"log"}, {"context", "--focus", "draft", "--fresh"},
		} {
			said.WriteString(s.run(scoped(append(words, "--json")...)...))
		}
		return regexp.MustCompile(`"synced":"[^"]*"`).ReplaceAllString(said.String(), "")
	}
	s.run("ingest")
	daemon := s.serve()
	s.run(scoped("ingest", "--ast", tree)...)
	s.run(scoped("edit", "Rivets", "--todo", "TODO")...)
	through := all()
	for _, want := range []string{`"title":"At home"`, `"title":"Rivets"`, `"title":"Draft"`, `"scope":"session/s1"`} {
		if !strings.Contains(through, want) {
			t.Errorf("no %s in\n%s", want, through)
		}
	}
	if got := s.run("query", "type:headline", "--json"); strings.Contains(got, "Draft") || strings.Contains(got, "Rivets") {
		t.Errorf("without a scope: %s", got)
	}
	s.run("serve", "--stop")
	if err := daemon.Wait(); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(through, all()); d != "" {
		t.Errorf("(-daemon +local):\n%s", d)
	}
}
