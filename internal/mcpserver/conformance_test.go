// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestConformance runs the scenarios of the protocol's own conformance suite that ask
// for nothing but what every server has. The others want a server that is made for
// them, with tools such as test_simple_text; the SDK runs those against itself.
func TestConformance(t *testing.T) {
	suite := foveatest.Part(t, "conformance")
	svc, _ := memory(t)
	s := mcpserver.New(svc, nil)
	web := httptest.NewServer(forAll(s))
	t.Cleanup(web.Close)
	for _, scenario := range []string{"server-initialize", "logging-set-level", "ping", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection"} {
		t.Run(scenario, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), suite, "server", "--url", web.URL, "--scenario", scenario)
			c.Dir = t.TempDir() // it writes its results where it runs
			if said, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}
