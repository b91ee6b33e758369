// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// TestAFullDisk: when the disk was full once, each way in says what to do: the write, a
// read beside its answer, the status, and who asks whether the daemon is ready. After
// that was done it writes again, and nothing that was told as kept is lost.
func TestAFullDisk(t *testing.T) {
	h := build(t, "a.org")
	full := faultfs.New()
	h.store = full
	h.check(os.MkdirAll(h.config.StateDir, 0o700)) // the socket and the log are there
	h.start(nil)
	_, err := api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: "Before"})
	h.check(err)
	full.SetFree(0)
	var refused error
	for range 200 { // what is allocated ahead takes the first
		if _, refused = api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: "Long", Body: strings.Repeat("text ", 1<<16)}); refused != nil {
			break
		}
	}
	full.SetFree(-1) // there is room again, which alone does not help
	const next = "run fovea serve --stop"
	advised := func(what, text string) {
		t.Helper()
		if strings.Count(text, next) != 1 {
			t.Errorf("%s does not say once what to do: %s", what, text)
		}
	}
	_, again := api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: "Again"})
	for what, err := range map[string]error{"the first write": refused, "a later one": again} {
		if fovea.KindOf(err) != fovea.ReadOnly {
			t.Fatalf("%s: %v", what, err)
		}
		advised(what, err.Error())
	}
	st, err := api.OpStatus.Call(t.Context(), h.far.Service, api.StatusRequest{})
	h.check(err)
	advised("the status", st.ReadOnly)
	h.write("b.org", "* Saved since\n")
	var warned []string
	near, err := daemon.Connect(t.Context(), &h.config, &httpapi.ClientOptions{Warn: func(err error) { warned = append(warned, err.Error()) }})
	h.check(err)
	_, err = api.OpQuery.Call(t.Context(), near.Service, api.QueryRequest{})
	h.check(err)
	near.Close()
	advised("a read", strings.Join(warned, "\n"))
	status, text := h.get("/readyz")
	if advised("readyz", text); status != http.StatusServiceUnavailable || strings.Contains(text, h.config.StateDir) ||
		!strings.Contains(text, `"title":"read-only"`) {
		t.Errorf("readyz: %d %s", status, text)
	}
	if status, _ := h.get("/healthz"); status != http.StatusOK {
		t.Errorf("healthz: %d", status)
	}
	h.check(h.stop())
	h.start(nil)
	if _, err := api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: "After"}); err != nil {
		t.Errorf("started again: %v", err)
	}
	for _, title := range []string{"Before", "After", "Saved since"} {
		if !strings.Contains(strings.Join(h.allTitles(), "\n"), title) {
			t.Errorf("%s is lost", title)
		}
	}
}

// get asks as anybody.
func (h *house) get(path string) (int, string) {
	h.t.Helper()
	a, err := http.Get(h.url + path)
	h.check(err)
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	h.check(err)
	return a.StatusCode, string(text)
}

// allTitles lists the headlines of every level.
func (h *house) allTitles() []string {
	h.t.Helper()
	list, err := api.OpQuery.Call(h.t.Context(), h.far.Service, api.QueryRequest{})
	h.check(err)
	titles := []string{}
	for _, n := range list {
		titles = append(titles, n.Title)
	}
	return titles
}
