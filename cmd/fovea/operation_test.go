// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api"
)

// withEcho is the value of asCommand for a command whose table has the operation echo.
const withEcho = "echo"

type echoRequest struct {
	Word  string `json:"word" jsonschema:"what to say" arg:"WORD"`
	Times int    `json:"times,omitempty" jsonschema:"how often to say it" flag:"N"`
}

type echoAnswer struct {
	Said  string `json:"said" jsonschema:"the words"`
	Calls int    `json:"calls" jsonschema:"how often this process has carried the operation out"`
}

// defineEcho adds an operation in the one place where operations are added.
func defineEcho() {
	calls := 0
	api.Define(api.Operation{Name: "echo", Summary: "Say a word again", Effect: api.Writes, Group: "write"},
		func(_ context.Context, _ *api.Local, req echoRequest) (*echoAnswer, error) {
			calls++
			return &echoAnswer{strings.TrimSpace(strings.Repeat(req.Word+" ", max(req.Times, 1))), calls}, nil
		})
}

// echo is a command of which the table has one operation more.
func (s *served) echo(words ...string) *exec.Cmd {
	c := s.command(words...)
	c.Env = append(c.Env, asCommand+"="+withEcho)
	return c
}

// posted sends an operation to the daemon at a URL and returns the status and the answer.
func posted(t *testing.T, url, operation, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url+"/v1/"+operation, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text)
}

// TestAnOperationIsAddedInOnePlace: an operation that is a row of the table, and nothing
// else, has a verb with help, a route, a description, and is refused to an agent without a
// grant; under a repeated key it is carried out once.
func TestAnOperationIsAddedInOnePlace(t *testing.T) {
	s := newServed(t)
	out := func(words ...string) string {
		t.Helper()
		text, err := s.echo(words...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v, %s", words, err, text)
		}
		return string(text)
	}
	if help := out("--help"); !strings.Contains(help, "  echo        Say a word again\n") {
		t.Errorf("fovea --help: %s", help)
	}
	if help := out("echo", "--help"); !strings.Contains(help, "fovea echo WORD") || !strings.Contains(help, "--times N   N: how often to say it") {
		t.Errorf("fovea echo --help: %s", help)
	}
	secret := strings.TrimSpace(s.run("token", "add", "owner-token", "--role", "owner"))
	agent := strings.TrimSpace(s.run("token", "add", "ada"))
	out("serve", "--detach", "--http")
	if text := out("echo", "river", "--times", "2"); text != `{"said":"river river","calls":1}`+"\n" {
		t.Errorf("over the socket: %s", text)
	}
	url, asOwner := servedAt(t, s), []string{"Authorization", "Bearer " + secret}
	status, text := posted(t, url, "echo", `{"word":"oak"}`, "Authorization", "Bearer "+agent)
	if status != http.StatusForbidden || !strings.Contains(text, "agent ada may not") {
		t.Errorf("an agent: %d %s", status, text)
	}
	var first string
	for range 2 {
		status, text := posted(t, url, "echo", `{"word":"oak"}`, append(asOwner, api.HeaderOp, "key-1")...)
		if first == "" {
			first = text
		}
		if status != http.StatusOK || text != first || text != `{"said":"oak","calls":2}`+"\n" {
			t.Errorf("under a key: %d %s", status, text)
		}
	}
	status, text = posted(t, url, "echo", `{"times":"two"}`, asOwner...)
	if status != http.StatusBadRequest || !strings.Contains(text, "it wants a whole number") {
		t.Errorf("another request than the schema has: %d %s", status, text)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/v1/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := withToken(secret).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	var document struct {
		Paths map[string]struct {
			Post struct{ Summary string }
		}
	}
	if err := json.NewDecoder(a.Body).Decode(&document); err != nil || document.Paths["/v1/echo"].Post.Summary != "Say a word again" {
		t.Errorf("the description has no echo: %v", err)
	}
}
