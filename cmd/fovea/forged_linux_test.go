// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/remotes"
	"github.com/fovea-memory/fovea/document"
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
		"never":    {map[string]forge.Document{"b.org": {Text: "* B\n"}, ".git/config": {Text: "[core]\n", Opaque: true}, ".envrc": {Text: "x", Opaque: true}}, true, ".git/config"},
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
			in, err := vfs.Dir(k.state)
			k.must(err)
			c := graph.Commit{Kind: graph.KindEdit, Time: time.Now().UnixMilli()}
			k.must(errors.Join(forge.Append(t.Context(), in, document.Formats{org.Format{}}, nil, c, tt.documents), in.Close()))
			k.sendUnread(remotes.OpPush.Operation, remotes.SyncRequest{})
			k.sendUnread(remotes.OpBundleWrite.Operation, remotes.BundleRequest{File: bundle, Plain: true})
			k.must(copied(k.state, filepath.Join(k.dir, "forged")))
			for i, words := range [][]string{
				{"clone", bundle}, {"clone", remote}, {"bundle", "read", bundle}, {"bundle", "read", bundle, "--replace"}, {"pull", "all"}, {"sync", "all"},
				{"merge", filepath.Join(k.dir, "forged")},
			} {
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
