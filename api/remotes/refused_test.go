// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/remotes"
)

// TestRefusedInALine: what names no commit, and a place in the notes themselves, is refused in a
// line that says what to do.
func TestRefusedInALine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte("* A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	svc := api.NewLocal(m, nil)
	refused := func(err error, kind fovea.Kind, want string) {
		t.Helper()
		if err == nil || fovea.KindOf(err) != kind || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
	to := filepath.Join(t.TempDir(), "x.car")
	for since, want := range map[string]fovea.Kind{"deadbeef": fovea.Invalid, "bafyreiaq6mypskgzh72jj237e6epx2eqpfs7vlbmw6g7j6dfmfv2kmadte": fovea.NotFound} {
		_, err := remotes.OpBundleWrite.Call(t.Context(), svc, remotes.BundleRequest{File: to, Plain: true, Since: []string{since}})
		refused(err, want, "fovea bundle verify")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, filepath.Join(dir, "sub", "place"), filepath.Join(link, "place")} {
		_, err := remotes.OpRemoteAdd.Call(t.Context(), svc, remotes.RemoteAddRequest{Name: "x", URL: at, Plain: true})
		refused(err, fovea.Invalid, "outside")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
