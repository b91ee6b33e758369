// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest/forge"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/org"
)

// signing is a machine with a key.
type signing struct {
	*machine
	key    note.Signer
	public string
	seal   place.Identity
}

// as is what a list has of a machine.
func (s *signing) as(name string, agents ...string) ops.AdmitRequest {
	key, _ := place.ParseKey(fmt.Sprint(s.seal))
	return ops.AdmitRequest{Name: "there", Member: name, Key: s.public, Seal: key.Recipient().String(), Agents: agents}
}

func newSigning(t *testing.T, p *machine) *signing {
	t.Helper()
	secret, public, err := note.GenerateKey(rand.Reader, "fovea-test")
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	seal, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	s := &signing{p, key, public, seal}
	s.reopened(t)
	return s
}

func (s *signing) reopened(t *testing.T) {
	t.Helper()
	err := s.m.Close()
	if err != nil {
		t.Fatal(err)
	}
	if s.m, err = fovea.Open(t.Context(), s.dir, &fovea.Options{StateDir: s.state, Signer: s.key, PublicKey: s.public}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.m.Close() })
	s.serve(nil, func(local *api.LocalOptions) {
		local.Seals = func() (api.Seals, error) { return api.Seals{Own: s.seal}, nil }
	})
}

// wrote adds a commit to the history of a machine as its program would, or a forger of it.
func (s *signing) wrote(t *testing.T, c graph.Commit, path, text string) {
	t.Helper()
	_ = s.m.Close()
	in, err := vfs.Dir(s.state)
	if err != nil {
		t.Fatal(err)
	}
	c.Time = max(c.Time, time.Now().UnixMilli())
	if err := forge.Append(t.Context(), in, document.Formats{org.Format{}}, s.key, c, map[string]forge.Document{path: {Text: text}}); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	s.reopened(t)
}

// sync brings a machine in step as an agent, or as the owner without a name, and returns what it was answered of the logs.
func (s *signing) sync(t *testing.T, agent string) map[string]ops.Machine {
	t.Helper()
	ctx := t.Context()
	if agent != "" {
		ctx = author.WithGrant(ctx, api.Grant{Agent: agent, Role: api.Owner})
	}
	answer, err := s.svc(ctx, api.Call{Op: ops.OpSync.Operation, Request: ops.SyncRequest{}, Sync: api.SyncNone})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]ops.Machine{}
	for _, m := range answer.(*ops.SyncResponse).Machines {
		by[m.Name] = m
	}
	return by
}

// team returns the machines of one memory that meet in a folder, and the names of their logs. The first owns the list of
// the second, which acts for ada alone.
func team(t *testing.T, n int, sealed bool) (all []*signing, logs []string) {
	t.Helper()
	first := newPlace(t, nil, nil, forge.Start)
	if _, err := api.OpStatus.Call(t.Context(), first.svc, api.StatusRequest{}); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "place")
	for i := range n {
		p := first
		if i > 0 {
			p = copied(t, first, nil, nil)
		}
		all = append(all, &signing{machine: p})
	}
	for i := range all {
		all[i] = newSigning(t, all[i].machine)
		r, err := do(t, all[i].machine, ops.OpRemoteAdd,
			ops.RemoteAddRequest{Name: "there", URL: at, Plain: !sealed, Passphrase: map[bool]string{true: "pass"}[sealed]})
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, r.Machine)
		all[i].sync(t, "ada")
	}
	_, err := do(t, all[0].machine, ops.OpAdmit, all[1].as("box", "ada"))
	if err != nil {
		t.Fatal(err)
	}
	return all, logs
}

var ada = author.Named("ada")

// TestCloneKeepsTheList: a clone knows the list that it read, so none by another owner counts.
func TestCloneKeepsTheList(t *testing.T) {
	all, _ := team(t, 2, true)
	at, err := do(t, all[0].machine, ops.OpRemotes, api.None{})
	if err != nil || at[0].Synced.IsZero() {
		t.Fatal(at, err)
	}
	state := t.TempDir() + "/state"
	from := ops.Source{Name: at[0].URL, Memex: t.TempDir(), Passphrase: func() (string, error) { return "pass", nil },
		Seals: func() (api.Seals, error) { return api.Seals{Own: all[0].seal}, nil }}
	if err := place.Unpack(state, func(in vfs.FS) error { _, err := from.Clone(t.Context(), in); return err }); err != nil {
		t.Fatal(err)
	}
	in, err := vfs.Dir(state)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var list ops.Members
	if err := vfs.ReadJSON(in, "remotes/"+ops.Origin+"/members.json", &list); err != nil || list.Number != 1 || list.List[0].Key != all[0].public {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestListIsNoSync: who reads or changes the list has synced nothing, and is told if its key that opens new keys cannot be read.
func TestListIsNoSync(t *testing.T) {
	all, _ := team(t, 2, true)
	owner := all[0]
	in := filepath.Join(owner.state, "remotes", "there", "synced.json")
	if err := os.Remove(in); err != nil {
		t.Fatal(err)
	}
	_, err := do(t, owner.machine, ops.OpMembers, ops.RemoteRequest{Name: "there"})
	_, xerr := do(t, owner.machine, ops.OpExpel, ops.ExpelRequest{Name: "there", Member: "box"})
	_, perr := do(t, owner.machine, ops.OpPull, ops.SyncRequest{DryRun: true})
	if err := errors.Join(err, xerr, perr); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(in); err == nil {
		t.Error("it is noted as a sync")
	}
	broken := errors.New("the key is broken")
	owner.serve(nil, func(local *api.LocalOptions) { local.Seals = func() (api.Seals, error) { return api.Seals{}, broken } })
	if _, err := do(t, owner.machine, ops.OpPull, ops.SyncRequest{}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestMemberBeginsNoScope: nothing is made of a scope that a member with agents alone has.
func TestMemberBeginsNoScope(t *testing.T) {
	all, logs := team(t, 2, false)
	owner, box := all[0], all[1]
	const folder = "scopes/project-lake"
	if _, err := box.m.Scope(t.Context(), "project/lake"); err != nil {
		t.Fatal(err)
	}
	_ = box.m.Close()
	in, err := vfs.Dir(box.state)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := vfs.Sub(in, folder)
	if err != nil {
		t.Fatal(err)
	}
	c := graph.Commit{Kind: graph.KindEdit, Author: ada, Time: time.Now().UnixMilli()}
	err = forge.Append(t.Context(), sub, document.Formats{org.Format{}}, box.key, c, map[string]forge.Document{"l.org": {Text: "* Lake\n"}})
	if err := errors.Join(err, sub.Close(), in.Close()); err != nil {
		t.Fatal(err)
	}
	box.reopened(t)
	box.sync(t, "ada")
	if m := owner.sync(t, "")[logs[1]]; !strings.Contains(m.Problem, "cannot create a scope") {
		t.Errorf("%+v", m)
	}
	if _, err := os.Stat(filepath.Join(owner.state, folder)); err == nil {
		t.Error("the scope was made")
	}
}

// ending ends when it was asked some times.
type ending struct {
	context.Context
	left atomic.Int64
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return e.Context.Err()
}

// TestEndedIsNoForgery: a request that ends while a merge by Fovea is made again does not take it for one that a member forged.
func TestEndedIsNoForgery(t *testing.T) {
	all, logs := team(t, 2, false)
	owner, box := all[0], all[1]
	box.wrote(t, graph.Commit{Kind: graph.KindEdit, Author: ada}, "b.org", "* By Ada\n")
	owner.wrote(t, graph.Commit{Kind: graph.KindEdit, Author: author.Author{Kind: author.Owner}}, "c.org", "* By the owner\n")
	owner.sync(t, "")
	box.sync(t, "")
	for n := int64(0); ; n += 3 {
		ctx := &ending{Context: t.Context()}
		ctx.left.Store(n)
		got, err := ops.OpPull.Call(ctx, owner.svc, ops.SyncRequest{From: logs[1:]})
		if fovea.KindOf(err) == fovea.Denied || err == nil && got.Machines[0].Problem != "" {
			t.Fatalf("after %d: %+v, %v", n, got, err)
		}
		if err == nil {
			return
		}
		if !errors.Is(err, context.Canceled) || n > 1e5 {
			t.Fatalf("after %d: %v", n, err)
		}
	}
}

// TestMembers: what a member did is merged, also through a merge by Fovea; what another machine signed is not, and does
// not stop the others; who was expelled is merged no more.
func TestMembers(t *testing.T) {
	all, logs := team(t, 3, true)
	owner, box, stranger := all[0], all[1], all[2]
	box.wrote(t, graph.Commit{Kind: graph.KindEdit, Author: ada}, "b.org", "* By Ada\n")
	stranger.wrote(t, graph.Commit{Kind: graph.KindEdit, Author: ada}, "s.org", "* By a stranger\n")
	owner.write("c.org", "* By the owner\n")
	if _, err := api.OpStatus.Call(t.Context(), owner.svc, api.StatusRequest{}); err != nil {
		t.Fatal(err)
	}
	owner.sync(t, "")
	box.sync(t, "") // as its daemon does
	stranger.sync(t, "")
	got := owner.sync(t, "")
	if m := got[logs[1]]; m.Problem != "" || m.Member != "box" || len(m.Brought) != 1 {
		t.Errorf("of the member: %+v", m)
	}
	if m := got[logs[2]]; !strings.Contains(m.Problem, "no member") || len(m.Brought) > 0 {
		t.Errorf("of the stranger: %+v", m)
	}
	files := owner.files()
	if _, came := files["s.org"]; files["b.org"] != "* By Ada\n" || came {
		t.Errorf("%q", files)
	}
	list, err := do(t, stranger.machine, ops.OpMembers, ops.RemoteRequest{Name: "there"})
	if err != nil || list.Number != 1 || list.List[0].Key != owner.public {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := do(t, box.machine, ops.OpAdmit, stranger.as("pal")); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("a member admits another: %v", err)
	}
	box.wrote(t, graph.Commit{Kind: graph.KindEdit, Author: ada}, "late.org", "* Too late\n")
	box.sync(t, "ada")
	done, err := do(t, owner.machine, ops.OpExpel, ops.ExpelRequest{Name: "there", Member: "box"})
	if err != nil || done.Number != 2 || len(done.List) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if m := owner.sync(t, "")[logs[1]]; !strings.Contains(m.Problem, "no member") || len(m.Brought) > 0 {
		t.Errorf("of the one who was expelled: %+v", m)
	}
	owner.write("new.org", "* After it\n")
	_, err = do(t, owner.machine, ops.OpAdmit, stranger.as("late"))
	if _, serr := api.OpStatus.Call(t.Context(), owner.svc, api.StatusRequest{}); err != nil || serr != nil {
		t.Fatal(err, serr)
	}
	owner.sync(t, "")
	if _, err := do(t, box.machine, ops.OpSync, ops.SyncRequest{}); fovea.KindOf(err) != fovea.Denied || !strings.Contains(err.Error(), "expelled") {
		t.Errorf("the one who was expelled reads on: %v", err)
	}
	if stranger.sync(t, ""); stranger.files()["new.org"] != "* After it\n" {
		t.Errorf("one who came late reads %q", stranger.files())
	}
}

// TestMemberForges: what a member writes that acts for ada alone, in the name of the owner, of Fovea, of a file or of
// another agent, or for a time that has not come, is refused whole.
func TestMemberForges(t *testing.T) {
	for name, forged := range map[string]graph.Commit{
		"owner": {Kind: graph.KindEdit, Author: author.Author{Kind: author.Owner}}, "file": {Kind: graph.KindEdit, Author: author.Author{Kind: author.File}},
		"fovea": {Kind: graph.KindEdit, Author: author.Author{Kind: author.Fovea}}, "merge": {Kind: graph.KindMerge, Author: author.Author{Kind: author.Fovea}},
		"another agent": {Kind: graph.KindEdit, Author: author.Named("bob")}, "nobody": {Kind: graph.KindEdit},
		"time": {Kind: graph.KindEdit, Author: ada, Time: time.Now().Add(3 * time.Hour).UnixMilli()},
	} {
		t.Run(name, func(t *testing.T) {
			all, logs := team(t, 2, false)
			owner, box := all[0], all[1]
			owner.sync(t, "")
			before := owner.files()
			box.wrote(t, graph.Commit{Kind: graph.KindEdit, Author: ada}, "b.org", "* By Ada\n")
			box.wrote(t, forged, "a.org", "* Forged\n")
			box.wrote(t, graph.Commit{Kind: graph.KindEdit, Author: ada, Time: forged.Time}, "d.org", "* By Ada\n")
			box.sync(t, "ada")
			why := "acts for ada alone"
			if name == "time" {
				why = "not yet"
			}
			for range 2 {
				if m := owner.sync(t, "")[logs[1]]; !strings.Contains(m.Problem, why) || len(m.Brought) > 0 {
					t.Errorf("%+v", m)
				}
			}
			if diff := cmp.Diff(before, owner.files()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTwoMachinesWithOneKey: the list takes a key once, and logs that one key signed are named.
func TestTwoMachinesWithOneKey(t *testing.T) {
	all, logs := team(t, 3, false)
	owner, twin := all[0], all[2]
	_, err := do(t, owner.machine, ops.OpAdmit, all[1].as("twin"))
	if fovea.KindOf(err) != fovea.Invalid || !strings.Contains(err.Error(), "one key") {
		t.Errorf("%v", err)
	}
	twin.key, twin.public = all[1].key, all[1].public
	twin.reopened(t)
	all[1].sync(t, "ada")
	twin.sync(t, "ada")
	got := owner.sync(t, "")
	if one, other := got[logs[1]].Problem, got[logs[2]].Problem; !strings.Contains(one+other, "has the same key as the log of") {
		t.Errorf("%q, %q", one, other)
	}
}
