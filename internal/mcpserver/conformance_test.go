// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// notOurs are the scenarios of extensions that Fovea does not declare, and why.
var notOurs = map[string]string{
	"sep-2640-skills-directory":    "skills are Org documents, read at fovea://skill/NAME; the extension is about folders of Markdown",
	"sep-2640-skills-enumeration":  "as above",
	"sep-2640-skills-manifest":     "as above",
	"tasks-lifecycle":              "no tool takes so long that it would be a task to ask after",
	"tasks-capability-negotiation": "as above",
	"tasks-wire-fields":            "as above",
	"tasks-request-state-removal":  "as above",
	"tasks-mrtr-input":             "as above",
	"tasks-request-headers":        "as above",
	"tasks-dispatch-and-envelope":  "as above",
	"tasks-status-notifications":   "as above",
	"tasks-required-task-error":    "as above",
	"tasks-mrtr-composition":       "as above",
}

// TestConformance runs every scenario of the protocol's own conformance suite, in every
// revision that it knows, against the server behind all that the daemon puts before it.
// Most scenarios call tools, prompts and resources that the suite names: the server has
// those beside the memory's own. A warning of the suite is a failure, and so is an entry
// of testdata/conformance.yaml that passes.
func TestConformance(t *testing.T) {
	suite := foveatest.Part(t, "conformance")
	expected, err := filepath.Abs("testdata/conformance.yaml")
	if err != nil {
		t.Fatal(err)
	}
	svc, _ := memory(t)
	url := likeTheDaemon(t, svc, addFixtures)
	seen := map[string]bool{}
	for name := range notOurs {
		seen[name] = true
	}
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			dir := t.TempDir()
			c := exec.CommandContext(t.Context(), suite, "server", "--url", url, "--suite", "all", "--spec-version", revision, "--expected-failures", expected,
				"-o", "out")
			c.Dir = dir
			said, err := c.CombinedOutput()
			for name, checks := range verdicts(t, filepath.Join(dir, "out")) {
				seen[name] = true
				t.Run(name, func(t *testing.T) { judge(t, checks) })
			}
			if _, summary, ended := strings.Cut(string(said), "=== SUMMARY ==="); err != nil || !ended {
				t.Errorf("%v\n%s", err, cmp.Or(summary, string(said)))
			}
		})
	}
	said, err := exec.CommandContext(t.Context(), suite, "list", "--server").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  - (\S+)`).FindAllSubmatch(said, -1) {
		all[string(m[1])] = true
	}
	if d := gocmp.Diff(slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(seen))); d != "" {
		t.Errorf("scenarios of the suite that nobody ran, and the other way round:\n%s", d)
	}
}

// check is one finding of a scenario.
type check struct{ ID, Status, Description, ErrorMessage string }

// verdicts reads what the suite found, by scenario.
func verdicts(t *testing.T, dir string) map[string][]check {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "server-*", "checks.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("the suite left no results: %v", err)
	}
	all := map[string][]check{}
	named := regexp.MustCompile(`^server-(.+)-20\d\d-\d\d-\d\dT.*$`)
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []check
		if err := json.Unmarshal(text, &checks); err != nil {
			t.Fatal(err)
		}
		all[named.ReplaceAllString(filepath.Base(filepath.Dir(file)), "$1")] = checks
	}
	return all
}

// judge fails a scenario for what it complains of, and where it tested nothing.
func judge(t *testing.T, checks []check) {
	proved := 0
	for _, c := range checks {
		switch {
		case c.Status == "FAILURE", c.Status == "WARNING":
			t.Errorf("%s: %s: %s", c.ID, c.Description, c.ErrorMessage)
		case c.Status == "SUCCESS" && c.ID != "wire-schema-valid":
			proved++
		}
	}
	if proved == 0 {
		t.Error("nothing was proved")
	}
}

// likeTheDaemon serves a memory at a port of this machine, behind the checks of the
// daemon, to the agent suite; who asks sends no token, so it is put in on the way. It
// returns the address of MCP.
func likeTheDaemon(t *testing.T, svc api.Service, with func(*mcpserver.Server)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	checked := httpapi.Loopback(listener.Addr().(*net.TCPAddr).Port, behindTheDaemon(svc, with, func(r *http.Request) (api.Grant, error) {
		if r.Header.Get("Authorization") != "Bearer suite" {
			return api.Grant{}, os.ErrPermission
		}
		return api.Grant{Agent: "suite", Role: api.Agent}, nil
	}))
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer suite")
		checked.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(listener) }() // ends with Close
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String() + "/mcp"
}

// behindTheDaemon is what the daemon serves, to whom admit lets in.
func behindTheDaemon(svc api.Service, with func(*mcpserver.Server), admit httpapi.Admission) http.Handler {
	web := func(svc api.Service) http.Handler {
		return mcpserver.NewWeb(func(r *http.Request) mcpserver.Caller {
			g := author.GrantOf(r.Context())
			return mcpserver.Caller{Key: g.Agent, Bearer: api.BearerOf(g), Open: func() *mcpserver.Server {
				s := mcpserver.New(svc, &mcpserver.Options{Version: "1", Acting: func(ctx context.Context, _ string) context.Context { return author.WithGrant(ctx, g) }})
				with(s)
				return s
			}}
		})
	}
	return httpapi.New(httpapi.Options{Service: svc, Hello: func() api.Hello { return api.Hello{} }, Feed: &api.Feed{}, MCP: web}).Handler(admit)
}
