// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
)

// machine is a memory with its files on disk.
type machine struct {
	t     *testing.T
	kubo  *foveatest.Kubo // nil for none
	m     *fovea.Memory
	svc   api.Service
	dir   string
	state string
}

// newPlace opens a memory that knows a daemon of IPFS.
func newPlace(t *testing.T, k *foveatest.Kubo, key place.Identity, files map[string]string, opts ...func(*fovea.Options)) *machine {
	t.Helper()
	return placeAt(t, t.TempDir(), k, key, files, opts...)
}

func placeAt(t *testing.T, dir string, k *foveatest.Kubo, key place.Identity, files map[string]string, opts ...func(*fovea.Options)) *machine {
	t.Helper()
	p := &machine{t: t, kubo: k, dir: dir, state: filepath.Join(t.TempDir(), "state")}
	for name, text := range files {
		p.write(name, text)
	}
	o := &fovea.Options{StateDir: p.state}
	for _, set := range opts {
		set(o)
	}
	var err error
	if p.m, err = fovea.Open(t.Context(), p.dir, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.m.Close() })
	p.serve(k, func(local *api.LocalOptions) {
		if key == nil {
			return
		}
		local.Seals = func() (api.Seals, error) {
			return api.Seals{For: []place.Recipient{recipient(t, key)}, Own: key}, nil
		}
	})
	return p
}

// serve makes the service of an open memory.
func (p *machine) serve(k *foveatest.Kubo, set func(*api.LocalOptions)) {
	local := &api.LocalOptions{IPFS: ops.IPFS(true, func() (string, error) { return ipfs.ParseAddress(k.Address, false) })}
	if set != nil {
		set(local)
	}
	p.svc = api.NewLocal(p.m, local)
}

func recipient(t *testing.T, key place.Identity) place.Recipient {
	t.Helper()
	k, ok := key.(interface{ String() string })
	if !ok {
		t.Fatal("no key")
	}
	parsed, err := place.ParseKey(k.String())
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Recipient()
}

func (p *machine) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// files reads all files of the folder.
func (p *machine) files() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, p.dir+"/")] = string(text)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

func (p *machine) checkpoint(req api.CheckpointRequest) *api.Checkpoint {
	p.t.Helper()
	c, err := api.OpCheckpoint.Call(p.t.Context(), p.svc, req)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func newKey(t *testing.T) place.Identity {
	t.Helper()
	key, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestChaosScenarioA is contracts P20 and P29: without the daemon, or with one that does nothing,
// a checkpoint ends within the deadline with a standard error, and its local part stands.
func TestChaosScenarioA(t *testing.T) {
	k := foveatest.StartKubo(t, false)
	p := newPlace(t, k, nil, map[string]string{"a.org": "* One\n"})
	for _, tc := range []struct {
		name string
		harm func()
		want error
	}{
		{"stopped", func() { k.Signal(syscall.SIGSTOP) }, ipfs.ErrSlow},
		{"killed", k.Kill, ipfs.ErrDown},
	} {
		tc.harm()
		begin := time.Now()
		c := p.checkpoint(api.CheckpointRequest{Name: tc.name, To: api.PlaceIPFS})
		if took := time.Since(begin); took > 4*ipfs.Deadline {
			t.Errorf("%s: it took %v", tc.name, took)
		}
		if c.CID != "" || len(c.Errors) != 1 || !strings.Contains(c.Errors[0], tc.want.Error()) || c.Failed() == nil {
			t.Errorf("%s: %+v", tc.name, c)
		}
		if _, err := os.Stat(c.Image); err != nil {
			t.Errorf("%s: the local part: %v", tc.name, err)
		}
		if _, err := ops.OpPush.Call(t.Context(), p.svc, ops.SyncRequest{Name: ops.IPFSPrefix}); fovea.KindOf(err) != fovea.Unreachable {
			t.Errorf("%s: a push: %v, of the kind %v", tc.name, err, fovea.KindOf(err))
		}
		p.write("a.org", "* Changed\n")
		if _, err := api.OpRestore.Call(t.Context(), p.svc, api.RestoreRequest{Name: tc.name}); err != nil || p.files()["a.org"] != "* One\n" {
			t.Errorf("%s: it cannot be restored: %v", tc.name, err)
		}
	}
	k.Start()
	if c := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS}); c.CID == "" || len(c.Errors) > 0 {
		t.Errorf("with a daemon again: %+v", c)
	}
}

// TestIPFSSeals is contract P18: what other machines could ask for is sealed unless the owner
// says plain.
func TestIPFSSeals(t *testing.T) {
	key := newKey(t)
	for _, tc := range []struct {
		name   string
		online bool
		req    api.CheckpointRequest
		sealed bool
	}{
		{"online", true, api.CheckpointRequest{}, true},
		{"online, plain", true, api.CheckpointRequest{Plain: true}, false},
		{"offline", false, api.CheckpointRequest{}, false},
		{"offline, sealed", false, api.CheckpointRequest{Seal: true}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := foveatest.StartKubo(t, tc.online)
			p := newPlace(t, k, key, map[string]string{"a.org": "* A secret title\n"})
			tc.req.To = api.PlaceIPFS
			c := p.checkpoint(tc.req)
			if len(c.Errors) > 0 || c.Sealed != tc.sealed {
				t.Fatalf("%+v", c)
			}
			head := p.m.View().Head()
			if want := map[bool]string{true: c.Archive, false: head.Digest.String()}[tc.sealed]; c.CID != want || c.Root != head.Root.String() {
				t.Errorf("cid %s and root %s, want %s and %s", c.CID, c.Root, want, head.Root)
			}
			found := false
			for cid := range strings.FieldsSeq(k.Run("refs", "local")) {
				c := ipfs.NewClient("http://" + k.Address)
				if d, err := ipfs.ParseCID(cid); err == nil {
					block, err := c.Block(t.Context(), d)
					found = found || err == nil && strings.Contains(string(block), "secret title")
				}
				found = found || strings.Contains(k.Run("block", "get", cid), "secret title")
			}
			if found == tc.sealed {
				t.Errorf("the text can be read: %v", found)
			}
		})
	}
	k := foveatest.StartKubo(t, true)
	p := newPlace(t, k, nil, map[string]string{"a.org": "* One\n"})
	if c := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS}); c.CID != "" || len(c.Errors) != 1 {
		t.Errorf("sealed for nobody: %+v", c)
	}
}

// TestRestoreFromIPFS is contracts P21 and P25: by the CID of a commit, of a root or of an archive
// the same files come back, in one commit that can be undone; what cannot be read changes nothing.
func TestRestoreFromIPFS(t *testing.T) {
	k, key := foveatest.StartKubo(t, false), newKey(t)
	files := map[string]string{"a.org": "* One\n* Two\r\nodd \xff byte\n", "sub/b.org": "no headline\n", "p/plan.org": "* Of a project\n"}
	project := func(o *fovea.Options) { o.Projects = map[string][]string{"plan": {"p/"}} }
	p := newPlace(t, k, key, files, project)
	plain := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS})
	sealed := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS, Seal: true})
	root := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS, StateOnly: true})
	if root.CID != root.Root {
		t.Errorf("without history: %+v", root)
	}
	alone := map[string]string{"a.org": files["a.org"], "sub/b.org": files["sub/b.org"]}
	for name, tc := range map[string]struct {
		cid  string
		want map[string]string
	}{"commit": {plain.CID, alone}, "archive": {plain.Archive, files}, "sealed": {sealed.CID, files}, "root": {root.CID, alone}} {
		t.Run(name, func(t *testing.T) {
			q := newPlace(t, k, key, map[string]string{"other.org": "* Other\n", "a.org": "* Stale\n"}, project)
			before := q.files()
			done, err := api.OpRestore.Call(t.Context(), q.svc, api.RestoreRequest{From: api.PlaceIPFS, CID: tc.cid})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, q.files()); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if done.Source != api.PlaceIPFS || done.Root != plain.Root || len(done.RestoredFiles) != len(tc.want) || q.m.View().Root().String() != plain.Root {
				t.Errorf("%+v", done)
			}
			if _, err := api.OpRollback.Call(t.Context(), q.svc, api.RollbackRequest{To: "0"}); err != nil {
				t.Fatal(err)
			}
			for path, text := range before {
				if q.files()[path] != text {
					t.Errorf("%s is not as it was", path)
				}
			}
		})
	}
	q := newPlace(t, k, newKey(t), map[string]string{"other.org": "* Other\n"})
	if err := q.m.Ingest(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		req  api.RestoreRequest
		kind fovea.Kind
	}{
		"no cid":        {api.RestoreRequest{From: api.PlaceIPFS}, fovea.Invalid},
		"a cid alone":   {api.RestoreRequest{CID: plain.CID}, fovea.Invalid},
		"and a name":    {api.RestoreRequest{From: api.PlaceIPFS, CID: plain.CID, Name: "x"}, fovea.Invalid},
		"no cid at all": {api.RestoreRequest{From: api.PlaceIPFS, CID: "#.(quit)"}, fovea.Invalid},
		"another key":   {api.RestoreRequest{From: api.PlaceIPFS, CID: sealed.CID}, fovea.Invalid},
		"nothing there": {api.RestoreRequest{From: api.PlaceIPFS, CID: "bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"}, fovea.NotFound},
	} {
		head := q.m.View().Head()
		if _, err := api.OpRestore.Call(t.Context(), q.svc, tc.req); fovea.KindOf(err) != tc.kind {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(map[string]string{"other.org": "* Other\n"}, q.files()); diff != "" || q.m.View().Head().Digest != head.Digest {
			t.Errorf("%s: something changed:\n%s", name, diff)
		}
		if _, err := os.Stat(filepath.Join(q.state, "incoming")); !os.IsNotExist(err) {
			t.Errorf("%s: what was fetched is still there", name)
		}
	}
}

// TestIPFSBetweenMachines is contract P7: what one machine pushes another one makes a memory of,
// and merges later.
func TestIPFSBetweenMachines(t *testing.T) {
	k, key := foveatest.StartKubo(t, false), newKey(t)
	p := newPlace(t, k, key, map[string]string{"a.org": "* One\n"})
	push := func() string {
		done, err := ops.OpPush.Call(t.Context(), p.svc, ops.SyncRequest{Name: ops.IPFSPrefix})
		if err != nil {
			t.Fatal(err)
		}
		return ops.IPFSPrefix + done.CID
	}
	first := push()
	other := newPlace(t, k, key, map[string]string{"x.org": "* Other\n"})
	if _, err := ops.OpPull.Call(t.Context(), other.svc, ops.SyncRequest{Name: first}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("another memory: %v", err)
	}
	if _, err := ops.OpRemoteAdd.Call(t.Context(), p.svc, ops.RemoteAddRequest{Name: "far", URL: first}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a remote on IPFS: %v", err)
	}
	q := newClone(t, k, key, first)
	p.write("a.org", "* One\nfrom here\n")
	q.write("b.org", "* Two\n")
	done, err := ops.OpPull.Call(t.Context(), q.svc, ops.SyncRequest{Name: push()})
	if err != nil || len(done.Machines) != 1 || len(done.Machines[0].Brought) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if diff := cmp.Diff(map[string]string{"a.org": "* One\nfrom here\n", "b.org": "* Two\n"}, q.files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	commit := p.checkpoint(api.CheckpointRequest{To: api.PlaceIPFS}).CID
	if _, err := ops.OpPull.Call(t.Context(), q.svc, ops.SyncRequest{Name: ops.IPFSPrefix + commit}); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a state without history: %v", err)
	}
}

// TestIPFSIsTheOwners: an agent keeps states here, and puts nothing elsewhere nor brings it back
// without a grant, by whatever name it asks.
func TestIPFSIsTheOwners(t *testing.T) {
	k := foveatest.StartKubo(t, false)
	p := newPlace(t, k, nil, map[string]string{"a.org": "* One\n"})
	as := func(g api.Grant) api.Service {
		return func(ctx context.Context, c api.Call) (any, error) {
			return ops.Hold(p.svc, g)(fovea.WithActor(ctx, author.Actor{Author: author.Named(g.Agent)}), c)
		}
	}
	ada := as(api.Grant{Agent: "ada", Role: api.Agent})
	if _, err := api.OpCheckpoint.Call(t.Context(), ada, api.CheckpointRequest{To: api.PlaceIPFS}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("to ipfs: %v", err)
	}
	before := k.Run("pin", "ls", "--type=recursive")
	c, err := api.OpCheckpoint.Call(t.Context(), ada, api.CheckpointRequest{To: api.PlaceAll})
	if err != nil || c.CID != "" || len(c.Errors) != 1 || !strings.Contains(c.Errors[0], "grant") {
		t.Errorf("to wherever: %+v, %v", c, err)
	}
	if pins := k.Run("pin", "ls", "--type=recursive"); pins != before {
		t.Errorf("it is there: %s", pins)
	}
	for _, op := range []error{
		second(api.OpRestore.Call(t.Context(), ada, api.RestoreRequest{From: api.PlaceIPFS, CID: c.Root})),
		second(ops.OpPush.Call(t.Context(), ada, ops.SyncRequest{Name: ops.IPFSPrefix})),
		second(ops.OpPull.Call(t.Context(), ada, ops.SyncRequest{Name: ops.IPFSPrefix + c.Root})),
	} {
		if fovea.KindOf(op) != fovea.Denied {
			t.Errorf("%v", op)
		}
	}
	granted := as(api.Grant{Agent: "ada", Role: api.Agent, Operations: []string{"checkpoint"}})
	if c, err := api.OpCheckpoint.Call(t.Context(), granted, api.CheckpointRequest{To: api.PlaceAll}); err != nil || c.CID == "" {
		t.Errorf("with a grant: %+v, %v", c, err)
	}
}

// TestRefusalNamesItsGrant: a checkpoint of an agent that would also go to IPFS stays on this
// machine, and names the line that lets it go on.
func TestRefusalNamesItsGrant(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte("* One\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := fovea.Open(t.Context(), dir, &fovea.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	nowhere := ops.IPFS(true, func() (string, error) { return "http://127.0.0.1:1", nil })
	g := api.Grant{Agent: "ada", Role: api.Agent, Operations: []string{"rollback"}}
	ada := ops.Hold(api.NewLocal(m, &api.LocalOptions{IPFS: nowhere}), g)
	ctx := fovea.WithActor(t.Context(), author.Actor{Author: author.Named("ada")})
	c, err := api.OpCheckpoint.Call(ctx, ada, api.CheckpointRequest{To: api.PlaceAll})
	const want = "ipfs: only the owner puts the memory there: checkpoint: agent ada may not; " +
		`the owner can grant it in the configuration: [grants.ada] operations = ["rollback","checkpoint"]`
	if err != nil || c.Root == "" || len(c.Errors) != 1 || c.Errors[0] != want {
		t.Errorf("%+v, %v", c, err)
	}
}

func second[A any](_ A, err error) error { return err }
