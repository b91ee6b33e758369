// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
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
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/org"
)

// TestForgedOnTheCommandLine: every verb that takes in a history of another machine ends with one
// error that names the paths, and writes no file, where the history has paths that no memex may
// have (of several machines, the others are taken in); and where it has files that this machine does not take, it names them and writes the others.
func TestForgedOnTheCommandLine(t *testing.T) {
	for name, tt := range map[string]struct {
		documents map[string]forge.Document
		refused   bool
		named     string
	}{
		"never": {map[string]forge.Document{
			"b.org": {Text: "* B\n"}, ".git/config": {Text: "[core]\n", Opaque: true}, ".envrc": {Text: "x", Opaque: true},
		}, true, ".git/config"},
		"not here": {map[string]forge.Document{"b.org": {Text: "* B\n"}, "run.sh": {Text: "echo", Opaque: true}}, false, "run.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t)
			must := func(on *kept, words ...string) {
				t.Helper()
				if out, said, code := on.run(words...); code != 0 {
					t.Fatalf("%q: %d\n%s%s", words, code, out, said)
				}
			}
			remote, bundle, earlier := filepath.Join(k.dir, "remote"), filepath.Join(k.dir, "b.fovea"), filepath.Join(k.dir, "earlier.fovea")
			must(k, "remote", "add", "all", remote, "--plain")
			must(k, "push", "all")
			must(k, "bundle", "write", earlier, "--plain")
			k.forge(tt.documents)
			k.sendUnread(ops.OpPush.Operation, ops.SyncRequest{})
			k.sendUnread(ops.OpBundleWrite.Operation, ops.BundleRequest{File: bundle, Plain: true})
			k.must(copied(k.state, filepath.Join(k.dir, "forged")))
			for i, words := range [][]string{
				{"clone", bundle}, {"clone", remote}, {"bundle", "read", bundle}, {"bundle", "read", bundle, "--replace"}, {"pull", "all"}, {"sync", "all"},
				{"merge", filepath.Join(k.dir, "forged")},
			} {
				if foveatest.Thin(i, 3) {
					continue
				}
				at := *k
				at.memex, at.state = filepath.Join(k.dir, fmt.Sprint("memex", i)), filepath.Join(k.dir, fmt.Sprint("state", i))
				if words[0] == "clone" {
					words = append(words, at.memex)
				} else {
					must(&at, "clone", earlier, at.memex)
					must(&at, "remote", "add", "all", remote, "--plain")
				}
				out, said, code := at.run(append(words, "--json")...)
				if strings.Contains(said, "goroutine ") {
					t.Errorf("%q panics:\n%s", words, said)
				}
				refused := tt.refused && words[0] != "pull" && words[0] != "sync" // what other machines wrote there comes all the same
				if (code != 0) != refused || !strings.Contains(out+said, tt.named) {
					t.Errorf("%q ends with %d, and does not name %s:\n%s%s", words, code, tt.named, out, said)
				}
				for path := range tt.documents {
					_, err := os.Lstat(filepath.Join(at.memex, path))
					if wanted := !tt.refused && path == "b.org"; (err == nil) != wanted {
						t.Errorf("%q: %s is there: %t, want %t", words, path, err == nil, wanted)
					}
				}
			}
		})
	}
}

// sendUnread carries out an operation without reading the folder, in which forged files are not.
func (k *kept) sendUnread(op *api.Operation, request any) {
	k.t.Helper()
	m, err := fovea.Open(k.t.Context(), k.memex, &fovea.Options{StateDir: k.state})
	k.must(err)
	_, err = api.NewLocal(m, nil)(k.t.Context(), api.Call{Op: op, Request: request, Sync: api.SyncNone})
	k.must(errors.Join(err, m.Close()))
}

// TestCampaignOfForgedSSH hands forged states over by a real sshd: no file comes that a fresh scan
// does not list, and a path that no memex may have refuses what the machine wrote.
func TestCampaignOfForgedSSH(t *testing.T) {
	campaign := foveatest.NewCampaign(t)
	b := newSSHBox(t)
	t.Setenv("PATH", b.at("bin")+":"+os.Getenv("PATH"))
	refused, taken := 0, 0
	for i := range campaign.Length(3, 200) {
		documents := map[string]forge.Document{}
		never := forge.Draw(campaign.Rand, documents)
		k := &kept{t: t, dir: t.TempDir()}
		k.memex, k.state = filepath.Join(k.dir, "memex"), filepath.Join(k.dir, "state")
		for name, text := range forge.Start {
			k.put("memex/"+name, text)
		}
		to, url := fmt.Sprint("to", i), fmt.Sprint("ssh://box", b.at("remote"), i)
		if out, said, code := k.run("ingest"); code != 0 {
			t.Fatal(out, said)
		}
		k.sendUnread(ops.OpRemoteAdd.Operation, ops.RemoteAddRequest{Name: "there", URL: url, Plain: true})
		k.sendUnread(ops.OpPush.Operation, ops.SyncRequest{})
		if out, err := b.on(to, "clone", url, to+"/notes").CombinedOutput(); err != nil {
			t.Fatalf("clone: %v\n%s", err, out)
		}
		k.forge(documents)
		k.sendUnread(ops.OpPush.Operation, ops.SyncRequest{})
		before := files(t, b.at(to+"/notes"))
		said := b.does(to, "sync", "--json")
		after := files(t, b.at(to+"/notes"))
		switch {
		case never != strings.Contains(said, "no note can have this path"):
			t.Fatalf("case %d, %q: %s", i, slices.Sorted(maps.Keys(documents)), said)
		case never:
			refused++
			if diff := cmp.Diff(before, after); diff != "" {
				t.Fatalf("case %d: refused, and changed\n%s", i, diff)
			}
		default:
			taken++
			listed(t, b.at(to+"/notes"), before, after)
		}
	}
	if taken == 0 {
		t.Error("no state was taken in")
	}
	t.Logf("%d refused, %d taken in", refused, taken)
}

// forge adds a forged commit to the history.
func (k *kept) forge(documents map[string]forge.Document) {
	k.t.Helper()
	in, err := vfs.Dir(k.state)
	k.must(err)
	c := graph.Commit{Kind: graph.KindEdit, Time: time.Now().UnixMilli()}
	k.must(errors.Join(forge.Append(k.t.Context(), in, document.Formats{org.Format{}}, nil, c, documents), in.Close()))
}

// files returns the texts of all files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// listed fails the test if a file came or changed that a fresh scan does not list.
func listed(t *testing.T, dir string, before, after map[string]string) {
	t.Helper()
	root, err := corpus.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if unlisted, err := forge.Unlisted(t.Context(), root, before, after); err != nil || len(unlisted) > 0 {
		t.Errorf("%q were written, which a scan does not list: %v", unlisted, err)
	}
}
