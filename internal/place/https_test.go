// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place_test

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// TestOverHTTPS: a repository behind git's own server for HTTP keeps what places promise, with the credentials that a
// helper of the person finds; without them, or with others, that is what the error is about.
func TestOverHTTPS(t *testing.T) {
	dir := bare(t)
	git(t, dir, "config", "http.receivepack", "true")
	libexec, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(libexec)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=me"},
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "geheim" {
			w.Header().Set("WWW-Authenticate", `Basic realm="notes"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	address := "git+" + server.URL + "/" + filepath.Base(dir)
	if _, err := place.OpenGit(t.Context(), address, true); !errors.Is(err, place.ErrNoAnswer) {
		t.Errorf("a server that nobody vouches for: %v", err)
	}
	t.Setenv("GIT_SSL_CAINFO", authority)
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "credential.helper")
	for _, password := range []string{"", "other", "geheim"} {
		t.Setenv("GIT_CONFIG_VALUE_0", "!f() { test -z '"+password+"' || echo username=me password="+password+" | tr ' ' '\\n'; }; f")
		_, err := place.OpenGit(t.Context(), address, true)
		if isRight := password == "geheim"; isRight != (err == nil) || !isRight && !errors.Is(err, place.ErrRight) {
			t.Errorf("the password %q: %v", password, err)
		}
	}
	placetest.CheckUpTo(t, open(t, address), 20)
}
