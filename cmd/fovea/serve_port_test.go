// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAPortThatIsNotThere: who asks for a port beside a daemon that has none is told so,
// and how to get one; the daemon goes on. Beside one that has it all is well.
func TestAPortThatIsNotThere(t *testing.T) {
	s := newServed(t)
	s.run("serve", "--detach")
	for _, words := range [][]string{{"serve", "--detach", "--http"}, {"serve", "--http"}} {
		said, err := s.command(words...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitConflict || !strings.Contains(string(said), "without a port; stop it with fovea serve --stop") {
			t.Errorf("%q: %v, %s", words, err, said)
		}
	}
	s.run("status")
	s.run("serve", "--stop")
	s.run("serve", "--detach", "--http")
	s.run("serve", "--detach", "--http")
	s.run("serve", "--detach")
	servedAt(t, s)
}

// TestAServerThatCannotStartSaysWhy: whatever keeps fovea mcp from serving is the answer
// to the first call of its client, with what to do, and said on standard error too.
func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	nowhere := func(s *served) error { return os.Remove(s.memex) }
	for _, tc := range []struct {
		name    string
		prepare func(*served) error
		more    []string
		want    string
	}{
		{"no such folder", nowhere, nil, "no such folder; create it"},
		{"no such folder, alone", nowhere, []string{"--no-daemon"}, "no such folder; create it"},
		{"no such folder, as server-memory", nowhere, []string{"--compat", "server-memory"}, "no such folder; create it"},
		{"a file where the state is to be", func(s *served) error { return os.WriteFile(s.state, nil, 0o600) }, nil, "state"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newServed(t)
			if err := tc.prepare(s); err != nil {
				t.Fatal(err)
			}
			c := s.command(append([]string{"mcp"}, tc.more...)...)
			var said bytes.Buffer
			c.Stderr = &said
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.StdoutPipe()
			if err == nil {
				err = c.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			for _, method := range []string{"server/discover", "initialize"} {
				if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`+"\n"); err != nil {
					t.Fatal(err)
				}
				var a struct {
					Error struct{ Message string }
				}
				if !lines.Scan() || json.Unmarshal(lines.Bytes(), &a) != nil || !strings.Contains(a.Error.Message, tc.want) ||
					!strings.Contains(a.Error.Message, "Next: ") {
					t.Errorf("%s is answered with %q, %q", method, lines.Text(), said.String())
				}
			}
			_ = in.Close()
			if err := c.Wait(); err == nil || !strings.Contains(said.String(), tc.want) {
				t.Errorf("the end: %v, %s", err, said.String())
			}
		})
	}
}
