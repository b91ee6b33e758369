// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestASilentStreamEndsWithItsToken: a stream over which nothing comes ends soon after
// the token that opened it was taken away, with sessions and without, and no earlier.
func TestASilentStreamEndsWithItsToken(t *testing.T) {
	const listen = `{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["fovea://status"]},"_meta":{
	  "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},
	  "io.modelcontextprotocol/clientCapabilities":{}}}}`
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithTimeout(t.Context(), 24*time.Hour) // as who looks on would
				defer stop()
				var taken atomic.Bool
				svc := api.Service(func(context.Context, api.Call) (any, error) { return &api.Status{}, nil })
				site := behindTheDaemon(svc, func(*mcpserver.Server) {}, func(*http.Request) (api.Grant, error) {
					if taken.Load() {
						return api.Grant{}, errors.New("no such token")
					}
					return api.Grant{Agent: "ada", Role: api.Agent}, nil
				})
				ask := func(method, body, session string) *httptest.ResponseRecorder {
					r := httptest.NewRequestWithContext(ctx, method, "/mcp", strings.NewReader(body))
					for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
						"Mcp-Protocol-Version": revision, "Mcp-Session-Id": session, "Mcp-Method": "subscriptions/listen"} {
						if value != "" {
							r.Header.Set(name, value)
						}
					}
					w := httptest.NewRecorder()
					site.ServeHTTP(w, r)
					return w
				}
				open := func() *httptest.ResponseRecorder { return ask(http.MethodPost, listen, "") }
				if revision < "2026" {
					w := ask(http.MethodPost, strings.Replace(hello, "%s", revision, 1), "")
					session := w.Header().Get("Mcp-Session-Id")
					ask(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session)
					open = func() *httptest.ResponseRecorder { return ask(http.MethodGet, "", session) }
					defer func() {
						taken.Store(false)
						ctx = t.Context()
						ask(http.MethodDelete, "", session)
					}()
				}
				began := time.Now()
				time.AfterFunc(time.Hour, func() { taken.Store(true) })
				w := open()
				if lasted := time.Since(began); w.Code != http.StatusOK || lasted < time.Hour || lasted > time.Hour+time.Minute {
					t.Errorf("%d after %v: %s", w.Code, lasted, w.Body)
				}
			})
		})
	}
}
