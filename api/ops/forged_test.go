// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/foveatest/forge"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/org"
)

// carrier brings what one memory has to another, by the operations that people use.
type carrier struct {
	name string
	send func(t *testing.T, from *machine) string
	take func(t *testing.T, to *machine, at string) error
}

// do carries out an operation without reading the folder first, in which forged files are not.
func do[Req, Res any](t *testing.T, p *machine, op api.Op[Req, Res], req Req) (Res, error) {
	answer, err := p.svc(t.Context(), api.Call{Op: op.Operation, Request: req, Sync: api.SyncNone})
	done, _ := answer.(Res)
	return done, err
}

func carriers(t *testing.T, bucket func() string) []carrier {
	file := func(t *testing.T, from *machine) string {
		at := filepath.Join(t.TempDir(), "x.fovea")
		if _, err := do(t, from, ops.OpBundleWrite, ops.BundleRequest{File: at, Plain: true}); err != nil {
			t.Fatal(err)
		}
		return at
	}
	remoteAt := func(address func() string) (send func(*testing.T, *machine) string, take func(*testing.T, *machine, string) error) {
		send = func(t *testing.T, from *machine) string {
			at := address()
			_, err := do(t, from, ops.OpRemoteAdd, ops.RemoteAddRequest{Name: "there", URL: at, Plain: true})
			if err == nil {
				_, err = do(t, from, ops.OpPush, ops.SyncRequest{})
			}
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		take = func(t *testing.T, to *machine, at string) error {
			if _, err := do(t, to, ops.OpRemoteAdd, ops.RemoteAddRequest{Name: "there", URL: at, Plain: true}); err != nil {
				t.Fatal(err)
			}
			done, err := do(t, to, ops.OpSync, ops.SyncRequest{})
			if err == nil && len(done.Machines) == 1 && done.Machines[0].Problem != "" { // what others write there comes all the same
				if problem := done.Machines[0].Problem; !strings.Contains(problem, corpus.ErrNever.Error()) {
					return errors.New(problem)
				}
				return corpus.ErrNever
			}
			return err
		}
		return send, take
	}
	all := []carrier{
		{"bundle", file, func(t *testing.T, to *machine, at string) error {
			_, err := do(t, to, ops.OpBundleRead, ops.BundleReadRequest{File: at})
			return err
		}},
		{"bundle that replaces", file, func(t *testing.T, to *machine, at string) error {
			_, err := do(t, to, ops.OpBundleRead, ops.BundleReadRequest{File: at, Replace: true})
			return err
		}},
	}
	send, take := remoteAt(t.TempDir)
	all = append(all, carrier{"folder", send, take})
	if bucket != nil {
		send, take = remoteAt(bucket)
		all = append(all, carrier{"bucket", send, take})
	}
	return all
}

// TestCampaignOfForgedCarriers hands forged states over by each real carrier: no file comes that a
// fresh scan does not list, and a path that no memex may have refuses the whole.
func TestCampaignOfForgedCarriers(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	for _, c := range carriers(t, nil) {
		t.Run(c.name, func(t *testing.T) { carried(t, campaign, c, nil) })
	}
	t.Run("bucket", func(t *testing.T) {
		g := foveatest.StartGateways(t, 1)
		n := 0
		reached := func(o *api.LocalOptions) {
			o.Places = place.Openers{"s3": hosted.BucketOpener(func(string) (hosted.BucketSettings, error) {
				return hosted.BucketSettings{Credentials: func(context.Context) (hosted.Credentials, error) {
					return hosted.Credentials{KeyID: g.KeyID, Secret: g.Secret}, nil
				}}, nil
			})}
		}
		all := carriers(t, func() string {
			n++
			return "s3://" + g.Bucket + "/forged" + string(rune('a'+n%26)) + time.Now().Format("150405.000000000") + "?endpoint=" + g.URLs[0]
		})
		carried(t, campaign, all[len(all)-1], reached)
	})
	t.Run("ipfs", func(t *testing.T) {
		k := foveatest.StartKubo(t, false)
		carried(t, campaign, carrier{"ipfs", func(t *testing.T, from *machine) string {
			done, err := do(t, from, api.OpCheckpoint, api.CheckpointRequest{To: api.PlaceIPFS, Plain: true})
			if err != nil || len(done.Errors) > 0 {
				t.Fatal(err, done)
			}
			return done.Archive
		}, func(t *testing.T, to *machine, at string) error {
			_, err := do(t, to, api.OpRestore, api.RestoreRequest{From: api.PlaceIPFS, CID: at})
			return err
		}}, nil, k)
	})
}

// TestCampaignOfArmedFolders hands over states with files that git, direnv and Emacs would run, to a
// folder in which they do: nothing runs. With git alone it shows that a file that came would have.
func TestCampaignOfArmedFolders(t *testing.T) {
	git, emacs, direnv := foveatest.Part(t, "git"), foveatest.Part(t, "emacs"), foveatest.Part(t, "direnv")
	campaign := foveatest.NewCampaign(t)
	mark := filepath.Join(t.TempDir(), "PWNED")
	armed := map[string]string{
		".git/config":                  "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = \"touch " + mark + "; false\"\n",
		".dir-locals.el":               "((nil . ((eval . (write-region \"\" nil \"" + mark + "\")))))\n",
		".envrc":                       "touch " + mark + "\n",
		"run.sh":                       "touch " + mark + "\n",
		".git/hooks/post-index-change": "#!/bin/sh\ntouch " + mark + "\n",
	}
	work := func(dir string) {
		for _, args := range [][]string{
			{git, "-C", dir, "status"}, {git, "-C", dir, "add", "-A"}, {direnv, "allow", dir}, {direnv, "exec", dir, "true"},
			{emacs, "-Q", "--batch", "--eval", "(setq enable-local-variables :all enable-local-eval t)", "--visit", filepath.Join(dir, "a.org")},
		} {
			_ = exec.CommandContext(t.Context(), args[0], args[1:]...).Run() // there may be no repository, or nothing to allow
		}
	}
	ran := func() bool {
		_, err := os.Stat(mark)
		return err == nil
	}
	c := carriers(t, nil)[campaign.Rand.IntN(2)]
	for range campaign.Length(3, 50) {
		from := newPlace(t, nil, nil, forge.Start)
		if _, err := api.OpStatus.Call(t.Context(), from.svc, api.StatusRequest{}); err != nil {
			t.Fatal(err)
		}
		to := copied(t, from, nil, nil)
		if campaign.Rand.IntN(2) == 0 {
			_ = exec.CommandContext(t.Context(), git, "init", "-q", to.dir).Run()
		}
		documents := map[string]forge.Document{"a.org": {Text: "* A\nchanged\n"}}
		for _, name := range slices.Sorted(maps.Keys(armed)) {
			if campaign.Rand.IntN(2) == 0 {
				documents[name] = forge.Document{Text: armed[name], Opaque: true}
			}
		}
		from.forge(t, documents, nil)
		_ = c.take(t, to, c.send(t, from))
		if work(to.dir); ran() {
			t.Fatalf("%q: a command ran", slices.Sorted(maps.Keys(documents)))
		}
		_, _ = from.m.Close(), to.m.Close()
	}
	for name, text := range armed {
		dir := t.TempDir()
		_ = exec.CommandContext(t.Context(), git, "init", "-q", dir).Run()
		for name, text := range map[string]string{name: text, "a.org": "* A\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if work(dir); !ran() && name != "run.sh" {
			t.Errorf("%s does nothing here, so the test shows nothing", name)
		}
		_ = os.Remove(mark)
	}
}

func carried(t *testing.T, campaign *foveatest.Campaign, c carrier, set func(*api.LocalOptions), kubo ...*foveatest.Kubo) {
	t.Helper()
	var k *foveatest.Kubo
	if len(kubo) > 0 {
		k = kubo[0]
	}
	refused, taken := 0, 0
	for i := range campaign.Length(12, 200) {
		documents := map[string]forge.Document{}
		never := forge.Draw(campaign.Rand, documents)
		names := slices.Sorted(maps.Keys(documents))
		from := newPlace(t, k, nil, forge.Start)
		if _, err := api.OpStatus.Call(t.Context(), from.svc, api.StatusRequest{}); err != nil {
			t.Fatal(err)
		}
		to := copied(t, from, k, set)
		from.forge(t, documents, set)
		before := to.files()
		err := c.take(t, to, c.send(t, from))
		after := to.files()
		switch {
		case never != errors.Is(err, corpus.ErrNever):
			t.Fatalf("case %d, %q: %v", i, names, err)
		case err != nil && fovea.KindOf(err) != fovea.Other && fovea.KindOf(err) != fovea.Denied && fovea.KindOf(err) != fovea.Conflict:
			t.Fatalf("case %d, %q: %v", i, names, err)
		case err != nil:
			refused++
			if diff := cmp.Diff(before, after); diff != "" {
				t.Fatalf("case %d, %q: refused, and changed\n%s", i, names, diff)
			}
		default:
			taken++
			to.listed(t, before, after)
		}
		_, _ = from.m.Close(), to.m.Close()
	}
	if taken == 0 {
		t.Errorf("%d refused, %d taken in", refused, taken)
	}
	t.Logf("%d refused, %d taken in", refused, taken)
}

// copied makes another machine with all that one has.
func copied(t *testing.T, from *machine, k *foveatest.Kubo, set func(*api.LocalOptions)) *machine {
	t.Helper()
	at := filepath.Join(t.TempDir(), "x.fovea")
	if _, err := ops.OpBundleWrite.Call(t.Context(), from.svc, ops.BundleRequest{File: at, Plain: true}); err != nil {
		t.Fatal(err)
	}
	to := &machine{t: t, dir: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	for name, text := range from.files() {
		to.write(name, text)
	}
	if err := place.Unpack(to.state, func(in vfs.FS) error {
		f, err := vfs.OpenPlain(at, 0, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = place.ReadInto(t.Context(), in, f, to.dir)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	to.reopen(t, k, set)
	if _, err := api.OpStatus.Call(t.Context(), to.svc, api.StatusRequest{}); err != nil {
		t.Fatal(err)
	}
	return to
}

func (p *machine) reopen(t *testing.T, k *foveatest.Kubo, set func(*api.LocalOptions)) {
	t.Helper()
	var err error
	if p.m, err = fovea.Open(t.Context(), p.dir, &fovea.Options{StateDir: p.state}); err != nil {
		t.Fatal(err)
	}
	opened := &machine{t: t, m: p.m, dir: p.dir, state: p.state}
	opened.serve(k, set)
	p.svc = opened.svc
}

// forge adds a forged commit to the history of a machine.
func (p *machine) forge(t *testing.T, documents map[string]forge.Document, set func(*api.LocalOptions)) {
	t.Helper()
	if err := p.m.Close(); err != nil {
		t.Fatal(err)
	}
	in, err := vfs.Dir(p.state)
	if err == nil {
		c := graph.Commit{Kind: graph.KindEdit, Time: time.Now().UnixMilli()}
		err = errors.Join(forge.Append(t.Context(), in, document.Formats{org.Format{}}, nil, c, documents), in.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	p.reopen(t, p.kubo, set)
}

// listed fails the test if a file came or changed that a fresh scan does not list.
func (p *machine) listed(t *testing.T, before, after map[string]string) {
	t.Helper()
	root, err := corpus.Open(p.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if unlisted, err := forge.Unlisted(t.Context(), root, before, after); err != nil || len(unlisted) > 0 {
		t.Errorf("%q were written, which a scan does not list: %v", unlisted, err)
	}
}
