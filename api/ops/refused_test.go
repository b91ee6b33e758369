// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
)

// TestRefusedInALine: what names no commit, and a place in the notes themselves, is refused in a
// line that says what to do.
func TestRefusedInALine(t *testing.T) {
	dir := t.TempDir()
	svc := oneNote(t, dir)
	refused := func(err error, kind fovea.Kind, want string) {
		t.Helper()
		if err == nil || fovea.KindOf(err) != kind || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
	to := filepath.Join(t.TempDir(), "x.car")
	for since, want := range map[string]fovea.Kind{"deadbeef": fovea.Invalid, "bafyreiaq6mypskgzh72jj237e6epx2eqpfs7vlbmw6g7j6dfmfv2kmadte": fovea.NotFound} {
		_, err := ops.OpBundleWrite.Call(t.Context(), svc, ops.BundleRequest{File: to, Plain: true, Since: []string{since}})
		refused(err, want, "fovea bundle verify")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, filepath.Join(dir, "sub", "place"), filepath.Join(link, "place")} {
		_, err := ops.OpRemoteAdd.Call(t.Context(), svc, ops.RemoteAddRequest{Name: "x", URL: at, Plain: true})
		refused(err, fovea.Invalid, "outside")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// TestListNamesABadRemote: one remote of which what is known cannot be read is named, and hides no other.
func TestListNamesABadRemote(t *testing.T) {
	dir, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	svc := noteIn(t, dir, state)
	for _, name := range []string{"bad", "good", "worse"} {
		if _, err := ops.OpRemoteAdd.Call(t.Context(), svc, ops.RemoteAddRequest{Name: name, URL: t.TempDir(), Plain: true}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bad/pushed.json", "worse/remote.json"} {
		if err := os.WriteFile(filepath.Join(state, "remotes", name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := ops.OpRemotes.Call(t.Context(), svc, api.None{})
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for _, r := range all {
		if bad := r.Problem != ""; bad == (r.Name == "good") || bad == strings.HasSuffix(r.Lag(), " behind") {
			t.Errorf("%+v: %s", r, r.Lag())
		}
		if _, err := ops.OpRemoteRemove.Call(t.Context(), svc, ops.RemoteRequest{Name: r.Name}); err != nil {
			t.Errorf("%s is not forgotten: %v", r.Name, err)
		}
	}
}

// TestAddedAgain: a remote that is added again keeps the name under which this machine writes there, and the list has it.
func TestAddedAgain(t *testing.T) {
	at := t.TempDir()
	svc := oneNote(t, t.TempDir())
	var added [2]*ops.Remote
	for i := range added {
		var err error
		if added[i], err = ops.OpRemoteAdd.Call(t.Context(), svc, ops.RemoteAddRequest{Name: "x", URL: at, Plain: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := ops.OpPush.Call(t.Context(), svc, ops.SyncRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := os.ReadDir(filepath.Join(at, "heads"))
	all, listErr := ops.OpRemotes.Call(t.Context(), svc, api.None{})
	if err != nil || listErr != nil || len(logs) != 1 || added[1].Machine != logs[0].Name() || all[0].Machine != logs[0].Name() {
		t.Errorf("%v: added as %s, listed as %+v; %v, %v", logs, added[1].Machine, all, err, listErr)
	}
}

// oneNote returns the memory of a folder, in which it writes a note.
func oneNote(t *testing.T, dir string) api.Service {
	t.Helper()
	return noteIn(t, dir, filepath.Join(t.TempDir(), "state"))
}

// noteIn is oneNote with a state folder.
func noteIn(t *testing.T, dir, state string) api.Service {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte("* A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return api.NewLocal(m, nil)
}
