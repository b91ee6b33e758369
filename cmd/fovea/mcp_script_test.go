// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestCampaignOfServerMemoryScript runs the script that measures and stresses memory
// servers, which @modelcontextprotocol/server-memory loses writes to, against the
// stand-in: nothing is lost, nothing broken.
func TestCampaignOfServerMemoryScript(t *testing.T) {
	t.Parallel()
	script := filepath.Join(foveatest.Testdata(t), "tools", "mcp-memory.mjs")
	node := foveatest.Part(t, "node")
	s := newServed(t)
	work := filepath.Join(filepath.Dir(s.memex), "work")
	stand, err := filepath.Abs("../../examples/mcp/server-memory.mjs")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), node, script, stand, work, "200")
	like := s.command()
	for _, v := range like.Env {
		if !strings.HasPrefix(v, "MEMORY_SNAPSHOT_PATH=") { // one state folder is for one memex
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "FOVEA="+os.Args[0], "XDG_STATE_HOME="+s.state)
	t.Cleanup(func() { // the daemons that the servers started
		stopped(t, s.state, func() *exec.Cmd {
			stop := exec.Command("sh", "-c", `for m in "$1"/.*.memex; do "$FOVEA" serve --stop --memex "$m"; done`, "sh", work)
			stop.Env = c.Env
			return stop
		})
	})
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`errors 0, in file \{"e":200,"r":0,"b":0`,
		`two writers over 0 entities: 400 acknowledged, errors 0,0, in file 400 => lost 0`,
		`two writers over 2000 entities: 2400 acknowledged, errors 0,0, in file 2400 => lost 0`,
		`kill -9, 20 rounds: broken files 0, acknowledged entities lost 0, stray temp files 0`,
		`half a line: open_nodes ok; create ok; file \{"e":101,"r":0,"b":0`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("not said: %s", want)
		}
	}
	t.Logf("%s", out)
}
