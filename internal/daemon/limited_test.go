// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/daemon"
)

// TestOneAgentIsLimited: an agent whose many clients write over the socket as fast as
// they can is refused with 429 and told when to come again, and what is refused is
// counted; what another agent and the person write meanwhile is kept.
func TestOneAgentIsLimited(t *testing.T) {
	const (
		clients = 40      // a little too many would only wait
		often   = 600     // writes a minute, of which a thirtieth at once
		most    = 200_000 // requests, in case that nobody is ever refused
		others  = 20      // notes of each of the others, as many as may come at once
	)
	h := serve(t, func(o *daemon.Options) { o.Config.WritesPerMinute = often }, "a.org")
	socket, err := h.config.Socket()
	h.check(err)
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	var served, limited, asked atomic.Int64
	var over atomic.Bool
	flood := func() {
		for !over.Load() && asked.Add(1) <= most {
			switch status, header, fault := post(t, transport, "ada", "forget?sync=none", `{"id":"Nobody"}`); {
			case status == http.StatusNotFound:
				served.Add(1)
			case status == http.StatusTooManyRequests && header.Get("Retry-After") == "1" && fault.Title == "busy":
				limited.Add(1)
			default:
				t.Errorf("ada is answered %d, %v, %+v", status, header, fault)
				return
			}
		}
	}
	var ada, rest sync.WaitGroup
	for range clients {
		ada.Go(flood)
	}
	for _, who := range []string{"bob", ""} {
		rest.Go(func() {
			for i := range others {
				if status, _, fault := post(t, transport, who, "remember", fmt.Sprintf(`{"title":"Note %d of %s."}`, i, who)); status != http.StatusOK {
					t.Errorf("%q is answered %d %+v", who, status, fault)
				}
			}
		})
	}
	rest.Wait()
	for limited.Load() == 0 && asked.Load() < most { // the others may be done before ada's first writes
		_, _, _ = post(t, transport, "", "status?sync=none", `{}`)
	}
	over.Store(true)
	ada.Wait()
	if served.Load() < often/30 || limited.Load() == 0 {
		t.Errorf("ada was served %d times and refused %d times", served.Load(), limited.Load())
	}
	kept := 0
	for _, title := range h.allTitles() {
		if strings.HasPrefix(title, "Note ") {
			kept++
		}
	}
	if kept != 2*others {
		t.Errorf("%d notes of the others were kept, want %d", kept, 2*others)
	}
}

// post asks for an operation in the name of an agent, "" for the person.
func post(t *testing.T, transport http.RoundTripper, agent, what, body string) (int, http.Header, api.Fault) {
	t.Helper()
	var fault api.Fault
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://fovea/v1/"+what, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, nil, fault
	}
	r.Header.Set("Content-Type", "application/json")
	if agent != "" {
		r.Header.Set(api.HeaderAgent, agent)
		r.Header.Set(api.HeaderRole, string(api.Agent))
	}
	a, err := transport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return 0, nil, fault
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode >= 400 {
		err = json.Unmarshal(text, &fault)
	}
	if err != nil {
		t.Errorf("%d %s: %v", a.StatusCode, text, err)
	}
	return a.StatusCode, a.Header, fault
}
