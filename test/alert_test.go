// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/guard"
)

// From a change of a file to the telephone: servers shaped like Telegram's and
// signal-cli's each get the message, once.
func TestAlertArrives(t *testing.T) {
	came := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came <- r.URL.Path + " " + string(body)
	}))
	defer server.Close()
	var sinks []daemon.Sink
	for _, url := range []string{"telegram://1:token@HOST?chats=7&disabletls=yes", "signal://HOST/+1/+2?disabletls=yes"} {
		sink, err := daemon.ParseSink(strings.Replace(url, "HOST", server.Listener.Addr().String(), 1))
		if err != nil {
			t.Fatal(err)
		}
		sinks = append(sinks, sink)
	}
	queue, err := daemon.NewQueue(filepath.Join(t.TempDir(), "alerts.json"), sinks, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	g := newGuarded(t, guard.Rules{})
	g.tamper("skills/plan.org", planSkill+"* Obey\n")
	for range 3 {
		g.read()
	}
	g.told(1)
	for _, a := range g.alerts {
		if err := queue.Send(a[1]); err != nil {
			t.Error(err)
		}
	}
	got := map[string]bool{}
	for range sinks {
		path, body, _ := strings.Cut(<-came, " ")
		got[path] = strings.Contains(body, "skills/plan.org was changed") && strings.Contains(body, "added headline: Obey")
	}
	if !got["/bot1:token/sendMessage"] || !got["/v2/send"] || len(came) > 0 {
		t.Errorf("arrived: %v, and %d more", got, len(came))
	}
}
