// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// lossy is a place whose requests and answers get lost.
type lossy struct {
	place.Place
	rand *rand.Rand
	lost int
}

var errLost = errors.New("nobody answers")

func (l *lossy) lose() error {
	if l.rand.IntN(20) == 0 {
		l.lost++
		return errLost
	}
	return nil
}

func (l *lossy) Get(ctx context.Context, name string) ([]byte, string, error) {
	if err := l.lose(); err != nil {
		return nil, "", err
	}
	return l.Place.Get(ctx, name)
}

func (l *lossy) Put(ctx context.Context, name, tag string, data []byte) error {
	if err := l.lose(); err != nil {
		return err
	}
	if err := l.Place.Put(ctx, name, tag, data); err != nil {
		return err
	}
	return l.lose() // it is done, and nobody knows
}

// at is a place as a machine sees it.
func (a *machine) at(p place.Place, passphrase string) *place.Remote {
	a.t.Helper()
	sources, release, err := a.m.Histories().Take(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	defer release()
	r := &place.Remote{Place: p, Memex: sources[0].First, Machine: place.NewMachine(a.name), Now: time.Now}
	if r.Key, err = place.Join(a.t.Context(), p, r.Memex, passphrase == "", passphrase); err != nil {
		a.t.Fatal(err)
	}
	if r.State, err = vfs.Sub(a.m.Histories().State, "remotes/there"); err != nil {
		a.t.Fatal(err)
	}
	return r
}

func (a *machine) push(r *place.Remote) (place.Pushed, error) {
	sources, release, err := a.m.Histories().Take(a.t.Context())
	if err != nil {
		return place.Pushed{}, err
	}
	defer release()
	return r.Push(a.t.Context(), sources)
}

// exchange pulls, merges and pushes.
func (a *machine) exchange(r *place.Remote) error {
	others, err := r.Pull(a.t.Context())
	if err != nil {
		return err
	}
	for _, o := range others {
		if o.Problem != nil && !errors.Is(o.Problem, errLost) {
			return o.Problem
		}
		if !o.New || len(o.Scopes) == 0 {
			continue
		}
		if _, _, _, err := mergeStore(a.t.Context(), a.m, o.In, nil); err != nil {
			return err
		}
		if err := r.Merged(o.Machine); err != nil {
			return err
		}
	}
	_, err = a.push(r)
	return err
}

func openPlace(t *testing.T) (place.Place, string) {
	t.Helper()
	dir := t.TempDir()
	p, err := place.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p, dir
}

// TestRemotesMeet: machines that write at the same time, over a place that loses requests and
// answers, all have in the end what each of them wrote.
func TestRemotesMeet(t *testing.T) {
	p, _ := openPlace(t)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	machines := []*machine{a}
	for i := range 3 {
		machines = append(machines, a.copy(string(rune('b'+i))))
	}
	random := rand.New(rand.NewPCG(1, 2))
	var remotes []*place.Remote
	for _, m := range machines {
		remotes = append(remotes, m.at(p, ""))
		remotes[len(remotes)-1].Place = &lossy{Place: p, rand: random}
	}
	wrote := map[string]string{}
	for step := range 60 {
		i := random.IntN(len(machines))
		name, text := fmt.Sprintf("n%d.org", step), fmt.Sprintf("* Note %d of %s\n", step, machines[i].name)
		machines[i].write(name, text)
		wrote[name] = text
		if random.IntN(3) > 0 {
			if err := machines[i].exchange(remotes[i]); err != nil && !errors.Is(err, errLost) {
				t.Fatal(err)
			}
		}
	}
	lost := 0
	for i, r := range remotes {
		lost += r.Place.(*lossy).lost
		remotes[i].Place = p
	}
	for range 3 {
		for i, m := range machines {
			if err := m.exchange(remotes[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, m := range machines {
		m.whole(t)
		if m.m.View().Root() != a.m.View().Root() {
			t.Errorf("%s has another root than a", m.name)
		}
		for name, text := range wrote {
			if got := filesOf(m.m.View())[name]; got != text {
				t.Errorf("%s has %q in %s, want %q", m.name, got, name, text)
			}
		}
	}
	if lost < 10 {
		t.Errorf("only %d requests were lost", lost)
	}
	if done, err := a.push(remotes[0]); err != nil || done.Bytes > 0 {
		t.Errorf("with nothing new %d bytes were pushed, %v", done.Bytes, err)
	}
}

// TestRemoteKeepsFewPacks: however many pushes there were, a log has few packs, and readers that
// come late or in between get all of it. A push of one edit is small.
func TestRemoteKeepsFewPacks(t *testing.T) {
	p, _ := openPlace(t)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b, c := a.copy("b"), a.copy("c")
	counted := &timed{Place: p}
	ours, early, late := a.at(counted, ""), b.at(p, ""), c.at(p, "")
	const pushes, most = 200, 16 << 10
	packs, all := int64(0), 0
	for i := range pushes {
		a.write("a.org", fmt.Sprintf("* %d\n", i))
		counted.bytes = 0
		done, err := a.push(ours)
		if err != nil {
			t.Fatal(err)
		}
		packs, all = packs+done.Bytes, all+counted.bytes
		if !done.Joined && counted.bytes > most {
			t.Errorf("push %d of one edit wrote %d bytes, more than %d", i, counted.bytes, most)
		}
		if i%50 == 7 {
			if err := b.exchange(early); err != nil {
				t.Fatal(err)
			}
		}
	}
	names, err := p.List(t.Context(), "packs/")
	if err != nil || len(names) > 2*place.MaxPacks {
		t.Errorf("%d packs, %v", len(names), err)
	}
	for m, r := range map[*machine]*place.Remote{b: early, c: late} {
		if err := m.exchange(r); err != nil {
			t.Fatal(err)
		}
		if m.m.View().Root() != a.m.View().Root() {
			t.Errorf("%s has not all", m.name)
		}
	}
	if all > pushes*most {
		t.Errorf("on average a push of one edit wrote %d bytes, more than %d", all/pushes, most)
	}
	t.Logf("%d bytes written in %d pushes, %d of them packs", all, pushes, packs)
}

// TestRemoteArrivesLate: a sync program brings files in any order; what is not there yet is
// said, nothing is merged from it, and later it is.
func TestRemoteArrivesLate(t *testing.T) {
	p, _ := openPlace(t)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b := a.copy("b")
	ours, theirs := a.at(p, ""), b.at(p, "")
	a.write("a.org", "* New\n")
	if _, err := a.push(ours); err != nil {
		t.Fatal(err)
	}
	names, err := p.List(t.Context(), "packs/")
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	pack, _, err := p.Get(t.Context(), names[0])
	if err != nil {
		t.Fatal(err)
	}
	before := b.m.View().Root()
	for _, part := range [][]byte{nil, {}, pack[:len(pack)/2], append(bytes.Clone(pack[:len(pack)-1]), ^pack[len(pack)-1])} {
		if err := p.Remove(t.Context(), names[0]); err != nil {
			t.Fatal(err)
		}
		if part != nil {
			if err := p.Put(t.Context(), names[0], "", part); err != nil {
				t.Fatal(err)
			}
		}
		others, err := theirs.Pull(t.Context())
		if err != nil || len(others) != 1 || !errors.Is(others[0].Problem, place.ErrNone) && !errors.Is(others[0].Problem, place.ErrDamaged) {
			t.Fatalf("%d bytes have arrived: %v, %v", len(part), others, err)
		}
		if b.m.View().Root() != before {
			t.Error("something was merged")
		}
	}
	if err := p.Remove(t.Context(), names[0]); err != nil {
		t.Fatal(err)
	}
	if err := p.Put(t.Context(), names[0], "", pack); err != nil {
		t.Fatal(err)
	}
	if err := p.Put(t.Context(), "heads/a.sync-conflict-20261124", "", []byte("half a hea")); err != nil {
		t.Fatal(err)
	}
	if err := b.exchange(theirs); err != nil {
		t.Fatal(err)
	}
	if b.m.View().Root() != a.m.View().Root() {
		t.Error("what arrived was not merged")
	}
}

// TestRemoteRefuses: a log that went back, one of another memory, bytes that nobody wrote, a wrong
// passphrase: each is an error of its own, and changes nothing.
func TestRemoteRefuses(t *testing.T) {
	p, _ := openPlace(t)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b := a.copy("b")
	const secret = "correct horse"
	ours, theirs := a.at(p, secret), b.at(p, secret)
	a.write("a.org", "* One\n")
	if _, err := a.push(ours); err != nil {
		t.Fatal(err)
	}
	head := "heads/" + ours.Machine
	old, _, err := p.Get(t.Context(), head)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(old, []byte("packs")) || !bytes.HasPrefix(old, []byte(place.SealPrefix)) {
		t.Error("the head of a sealed place can be read")
	}
	a.write("a.org", "* Two\n")
	if _, err := a.push(ours); err != nil {
		t.Fatal(err)
	}
	if err := b.exchange(theirs); err != nil {
		t.Fatal(err)
	}
	root := b.m.View().Root()
	for what, data := range map[string][]byte{"older": old, "plain": []byte(`{"fovea_head":1}`), "none": {}, "cut": old[:len(old)-3]} {
		_, tag, err := p.Get(t.Context(), head)
		if err == nil {
			err = p.Put(t.Context(), head, tag, data)
		}
		if err != nil {
			t.Fatal(err)
		}
		others, err := theirs.Pull(t.Context())
		if err != nil || len(others) != 1 || others[0].Problem == nil || what == "older" && !errors.Is(others[0].Problem, place.ErrBack) {
			t.Errorf("%s: %v, %v", what, others, err)
		}
		if b.m.View().Root() != root {
			t.Errorf("%s: the memory changed", what)
		}
	}
	if _, err := place.Unlock(t.Context(), p, "wrong"); !errors.Is(err, place.ErrPassphrase) {
		t.Errorf("a wrong passphrase: %v", err)
	}
	if _, err := place.Unlock(t.Context(), p, ""); !errors.Is(err, place.ErrLocked) {
		t.Errorf("no passphrase: %v", err)
	}
	other := newMachine(t, map[string]string{"x.org": "* Of another memory\n"})
	sources, release, err := other.m.Histories().Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := place.Join(t.Context(), p, sources[0].First, true, ""); !errors.Is(err, place.ErrOther) {
		t.Errorf("another memory: %v", err)
	}
}

// TestRemoteOfACopiedState: two copies of one state folder push under names of their own, and
// neither takes away what the other wrote.
func TestRemoteOfACopiedState(t *testing.T) {
	p, _ := openPlace(t)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	ours := a.at(p, "")
	if _, err := a.push(ours); err != nil {
		t.Fatal(err)
	}
	b := a.copy("b")
	theirs := b.at(p, "")
	theirs.Machine = ours.Machine
	a.write("a.org", "* Of a\n")
	b.write("b.org", "* Of b\n")
	for range 3 {
		if err := a.exchange(ours); err != nil {
			t.Fatal(err)
		}
		if err := b.exchange(theirs); err != nil {
			t.Fatal(err)
		}
	}
	if ours.Machine == theirs.Machine || a.m.View().Root() != b.m.View().Root() {
		t.Errorf("%s and %s: roots %s and %s", ours.Machine, theirs.Machine, a.m.View().Root(), b.m.View().Root())
	}
}

// TestRemotePurged: what is purged here goes from this machine's log, and from the copies that
// others made of it.
func TestRemotePurged(t *testing.T) {
	p, _ := openPlace(t)
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b := a.copy("b")
	ours, theirs := a.at(p, ""), b.at(p, "")
	a.write("a.org", "* A secret password\n")
	if _, err := a.push(ours); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	holds := func() (n int) {
		names, err := p.List(t.Context(), "packs/")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, _, err := p.Get(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			n += bytes.Count(data, []byte("secret password"))
		}
		return n
	}
	if holds() == 0 || !inStore(b.d.state, "secret password") {
		t.Fatal("the test has no secret")
	}
	a.write("a.org", "* Nothing\n")
	if _, _, err := a.m.Mending().Purge(t.Context(), nil, "secret password", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.push(ours); err != nil {
		t.Fatal(err)
	}
	if n := holds(); n > 0 {
		t.Errorf("the place still has it %d times", n)
	}
	if _, err := theirs.Pull(t.Context()); err != nil {
		t.Fatal(err)
	}
	if inStore(b.d.state, "secret password") {
		t.Error("the copy of another machine still has it")
	}
}

// inStore reports whether a file of a state folder has a text.
func inStore(in *faultfs.FS, text string) bool {
	var walk func(dir string) bool
	walk = func(dir string) bool {
		entries, _ := in.ReadDir(dir)
		for _, e := range entries {
			name := strings.TrimPrefix(dir+"/"+e.Name(), "./")
			if e.IsDir() && walk(name) {
				return true
			}
			if data, err := in.ReadFile(name); err == nil && bytes.Contains(data, []byte(text)) {
				return true
			}
		}
		return false
	}
	return walk(".")
}

// TestRemoteOverAPipe: the place at the other end of a pipe is that place, with its errors.
func TestRemoteOverAPipe(t *testing.T) {
	there, _ := openPlace(t)
	toThere, fromHere := io.Pipe()
	toHere, fromThere := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- place.Serve(t.Context(), there, toThere, fromThere) }()
	p := place.Pipe(toHere, fromHere, func() error { return <-ended })
	a := newMachine(t, map[string]string{"start.org": "* Start\n"})
	b := a.copy("b")
	ours, theirs := a.at(p, ""), b.at(there, "")
	a.write("a.org", "* Over a pipe\n"+lines(300_000))
	if err := a.exchange(ours); err != nil {
		t.Fatal(err)
	}
	if err := b.exchange(theirs); err != nil {
		t.Fatal(err)
	}
	if a.m.View().Root() != b.m.View().Root() {
		t.Error("not all came over")
	}
	if _, _, err := p.Get(t.Context(), "heads/none"); !errors.Is(err, place.ErrNone) {
		t.Errorf("an object that is not there: %v", err)
	}
	if err := p.Put(t.Context(), "heads/"+ours.Machine, "", nil); !errors.Is(err, place.ErrChanged) {
		t.Errorf("an object that is there: %v", err)
	}
	for _, name := range []string{"../x", "/etc/passwd", "a/b/c", ".hidden", ""} {
		if _, _, err := p.Get(t.Context(), name); err == nil || errors.Is(err, place.ErrNone) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
