// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// TestNamesThatComeIn: a name that means somebody who is no agent lets nobody in, by
// socket and port, in any role, from a header or from a token of an older build. Nothing
// is written, and the answer says why.
func TestNamesThatComeIn(t *testing.T) {
	h := serve(t, func(*daemon.Options) {}, "a.org")
	owners, err := foveatest.Address[daemon.Address](h.config.StateDir)
	h.check(err)
	tokens, err := config.ReadTokens()
	h.check(err)
	secret, err := tokens.Add(config.Token{Name: "old", Agent: "mint", Role: "agent", Made: time.Now()})
	h.check(err)
	before, err := api.OpLog.Call(t.Context(), h.far.Service, api.LogRequest{})
	h.check(err)
	ask := func(agent, role, token string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", h.url+"/v1/remember", strings.NewReader(`{"title":"Taken over"}`))
		h.check(err)
		for name, value := range map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + token, api.HeaderAgent: agent,
			api.HeaderRole: role} {
			r.Header.Set(name, value)
		}
		a, err := http.DefaultTransport.RoundTrip(r)
		h.check(err)
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		h.check(err)
		return a.StatusCode, string(text)
	}
	names := []string{"person", "Person", "owner", "OWNER", "file", "fi1e", "fovea", "agent", "../person", "a/b", "0wner", "o-w-n-e-r", "Mint",
		"person\u200b", "реrson", "ﬁle"}
	for _, name := range names {
		for _, role := range []api.Role{"", api.Owner, api.Agent, api.Reader} {
			if got, text := ask(name, string(role), owners.Token); got != http.StatusUnauthorized || !strings.Contains(text, "agent") {
				t.Errorf("%q as %q by the port: %d %s", name, role, got, text)
			}
			if far, err := daemon.Connect(t.Context(), &h.config, &httpapi.ClientOptions{Agent: name, Role: role}); err == nil {
				_, err = api.OpRemember.Call(t.Context(), far.Service, api.RememberRequest{Title: "Taken over"})
				if err == nil {
					t.Errorf("%q as %q by the socket: done", name, role)
				}
				far.Close()
			}
		}
		old := tokens.All[0]
		old.Agent = name // as an older build made it
		text, err := json.Marshal([]config.Token{old})
		h.check(err)
		h.check(os.WriteFile(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "fovea", "tokens.json"), text, 0o600))
		if got, text := ask("", "", secret); got != http.StatusUnauthorized || !strings.Contains(text, "fovea token remove") {
			t.Errorf("a token of %q: %d %s", name, got, text)
		}
	}
	after, err := api.OpLog.Call(t.Context(), h.far.Service, api.LogRequest{})
	if err != nil || len(after) != len(before) {
		t.Errorf("%d commits, were %d: %v", len(after), len(before), err)
	}
}
