// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// create opens a place and makes its stream.
func create(t *testing.T, url string) place.Place {
	t.Helper()
	p, err := hosted.OpenCluster(t.Context(), url, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestCluster: three servers keep what places promise, and an acknowledged head, while the server
// that leads is killed and comes back.
func TestCluster(t *testing.T) {
	s := placetest.StartServers(t, 3, "")
	for _, how := range []string{"", "own=true"} {
		placetest.Check(t, create(t, s.URL("team", how)))
	}
	p := create(t, s.URL("team", "own=true"))
	const name = "heads/a.0123456789ab"
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	seen := make(chan string, 1000)
	go func() { _ = p.(place.Watcher).Watch(watching, "heads/", func(name string) { seen <- name }) }()
	leader, tag := -1, ""
	for i := range 60 {
		switch i {
		case 20:
			leader = s.Leader("FOVEA-OWN-team")
			s.Kill(leader)
		case 40:
			s.Start(leader)
		}
		want := fmt.Appendf(nil, "version %d", i)
		for {
			err := p.Put(t.Context(), name, tag, want)
			there, now, again := p.Get(t.Context(), name)
			if again == nil && bytes.Equal(there, want) {
				tag = now
				break
			}
			if err == nil && again == nil {
				t.Fatalf("%d was acknowledged, and reads as %q", i, there)
			}
			if t.Context().Err() != nil {
				t.Fatal(err)
			}
		}
	}
	all := map[string]bool{}
	for len(all) < 3 { // that it watches, the head, and that another server leads
		select {
		case name := <-seen:
			all[name] = true
		case <-time.After(20 * time.Second):
			t.Fatalf("the watcher saw %v", all)
		}
	}
	if !all["heads/"] || !all[name] || !all[""] {
		t.Errorf("the watcher saw %v", all)
	}
}

// TestOpening: opening makes and alters no stream; one of another shape is refused.
func TestOpening(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	if _, err := hosted.OpenCluster(t.Context(), s.URL("team", "own=true"), false); !errors.Is(err, place.ErrAway) {
		t.Errorf("a stream that is not there: %v", err)
	}
	js := raw(t, s)
	theirs := jetstream.StreamConfig{Name: "FOVEA-OWN-team", Subjects: []string{"fovea.own.team.>"}, MaxAge: time.Hour, Replicas: 1}
	if _, err := js.CreateStream(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	_, err := hosted.OpenCluster(t.Context(), s.URL("team", "own=true"), true)
	if err == nil || !strings.Contains(err.Error(), "MaxMsgsPerSubject: -1 instead of 1") {
		t.Errorf("a stream of another shape: %v", err)
	}
	stream, err := js.Stream(t.Context(), "FOVEA-OWN-team")
	if err != nil || stream.CachedInfo().Config.MaxAge != time.Hour {
		t.Errorf("the stream was altered: %+v, %v", stream.CachedInfo().Config, err)
	}
	p := create(t, s.URL("other", "own=true"))
	again, err := hosted.OpenCluster(t.Context(), s.URL("other", "own=true"), false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := p.Put(t.Context(), "memex", "", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if data, _, err := again.Get(t.Context(), "memex"); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestChunks: the remains of a write of a large object are found and removed; two memories of one
// stream do not meet; a part that is missing or wrong is damage, and no absence.
func TestChunks(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	p, other := create(t, s.URL("team", "")), create(t, s.URL("team2", ""))
	large := make([]byte, 3<<20)
	_, _ = rand.Read(large)
	const name = "packs/a.b"
	if err := p.Put(t.Context(), name, "1", large); !errors.Is(err, place.ErrChanged) {
		t.Fatalf("a replacement of what is not there: %v", err)
	}
	if names, err := p.List(t.Context(), "packs/"); err != nil || !slices.Equal(names, []string{name}) {
		t.Errorf("of an unfinished write: %q, %v", names, err)
	}
	if _, _, err := p.Get(t.Context(), name); !errors.Is(err, place.ErrNone) {
		t.Errorf("an unfinished object: %v", err)
	}
	if names, err := other.List(t.Context(), "packs/"); err != nil || len(names) > 0 {
		t.Errorf("another memory sees %q, %v", names, err)
	}
	if err := p.Remove(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if names, err := p.List(t.Context(), "packs/"); err != nil || len(names) > 0 {
		t.Errorf("after it was removed: %q, %v", names, err)
	}
	if err := p.Put(t.Context(), name, "", large); err != nil {
		t.Fatal(err)
	}
	data, tag, err := p.Get(t.Context(), name)
	if err != nil || !bytes.Equal(data, large) {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	purge(t, s, tag)
	if _, _, err := p.Get(t.Context(), name); !errors.Is(err, place.ErrDamaged) {
		t.Errorf("without a chunk: %v", err)
	}
	if err := p.Put(t.Context(), name, tag, []byte("small")); err != nil {
		t.Fatal(err)
	}
	if left := subjects(t, s, ".packs."); left != 1 {
		t.Errorf("%d chunks of what was replaced are left", left-1)
	}
}

// purge removes a chunk of the object that has a tag.
func purge(t *testing.T, s *placetest.Servers, tag string) {
	t.Helper()
	js := raw(t, s)
	_, sum, _ := strings.Cut(tag, ".")
	for stream := range js.ListStreams(t.Context()).Info() {
		one, err := js.Stream(t.Context(), stream.Config.Name)
		if err == nil {
			err = one.Purge(t.Context(), jetstream.WithPurgeSubject("fovea.*.*.*.*.=."+sum+".1"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// raw is a connection to the servers.
func raw(t *testing.T, s *placetest.Servers) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(strings.Split(s.URL("x", ""), "/x")[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// subjects counts the subjects of all streams that have a word.
func subjects(t *testing.T, s *placetest.Servers, word string) (n int) {
	t.Helper()
	js := raw(t, s)
	for stream := range js.ListStreams(t.Context()).Info() {
		one, err := js.Stream(t.Context(), stream.Config.Name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := one.Info(t.Context(), jetstream.WithSubjectFilter(">"))
		if err != nil {
			t.Fatal(err)
		}
		for subject := range info.State.Subjects {
			if strings.Contains(subject, word) {
				n++
			}
		}
	}
	return n
}

// TestShared: places of one address that are open at once have one connection, and what one of them has read or
// written the others know, until something fails.
func TestShared(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	open, url := hosted.ClusterOpener(), s.URL("team", "")
	create(t, url)
	var all []place.Place
	for range 3 {
		p, err := open(t.Context(), url, false)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err := all[0].Put(t.Context(), "heads/a", "", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, p := range all[:2] {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	last := all[2]
	if data, tag, ok := last.(place.Keeper).Kept("heads/a"); !ok || string(data) != "x" || tag == "" {
		t.Errorf("kept is %q, %q", data, tag)
	}
	if data, _, err := last.Get(t.Context(), "heads/a"); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
	if err := last.Put(t.Context(), "heads/a", "", nil); !errors.Is(err, place.ErrChanged) {
		t.Errorf("a second creation: %v", err)
	}
	if _, _, ok := last.(place.Keeper).Kept("heads/a"); ok {
		t.Error("what was kept is not forgotten after a failure")
	}
	if err := last.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := last.Get(t.Context(), "heads/a"); !errors.Is(err, place.ErrNoAnswer) {
		t.Errorf("after all were closed: %v", err)
	}
	again, err := open(t.Context(), url, false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if data, _, err := again.Get(t.Context(), "heads/a"); err != nil || string(data) != "x" {
		t.Errorf("opened again: %q, %v", data, err)
	}
}

// lossy returns the address of a place whose replies are lost.
func lossy(t *testing.T, s *placetest.Servers, isLost func(reply []byte) bool) string {
	t.Helper()
	near, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	go func() {
		for {
			in, err := near.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", s.Host(0))
			if err != nil {
				in.Close()
				continue
			}
			go func() {
				defer out.Close()
				_, _ = io.Copy(out, in)
			}()
			go func() {
				defer in.Close()
				reply := make([]byte, 64<<10)
				for {
					n, err := out.Read(reply)
					if err != nil {
						return
					}
					if !isLost(reply[:n]) {
						_, _ = in.Write(reply[:n])
					}
				}
			}()
		}
	}()
	return "nats://" + near.Addr().String() + "/team?replicas=1"
}

// TestLostReply: a write whose reply is lost has no answer, and is there; the next one under the tag of before
// is refused.
func TestLostReply(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	create(t, s.URL("team", ""))
	var isLost atomic.Bool
	p, err := hosted.OpenCluster(t.Context(), lossy(t, s, func([]byte) bool { return isLost.Load() }), false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	isLost.Store(true)
	soon, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer stop()
	if err := p.Put(soon, "heads/a", "", []byte("x")); !errors.Is(err, place.ErrNoAnswer) {
		t.Errorf("without a reply: %v", err)
	}
	isLost.Store(false)
	if err := p.Put(t.Context(), "heads/a", "", []byte("y")); !errors.Is(err, place.ErrChanged) {
		t.Errorf("once more: %v", err)
	}
	if data, _, err := p.Get(t.Context(), "heads/a"); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestBadServers: each way in which servers refuse is reported for what it is.
func TestBadServers(t *testing.T) {
	account := func(settings string) string {
		return "accounts { A { " + settings + " } }\nno_auth_user: a"
	}
	for _, tc := range []struct {
		name, more string
		want       error
		says       string
	}{
		{"wrong credentials", "authorization { user: a, password: b }", place.ErrRight, "Authorization"},
		{"no JetStream", account("users: [ { user: a, password: b } ]"), place.ErrRight, "jetstream block"},
		{"no right to write", account("jetstream: enabled, users: [ { user: a, password: b, permissions: { publish: { deny: \"fovea.>\" } } } ]"),
			place.ErrRight, "fovea."},
		{"no room", account("jetstream { max_file: 1M }, users: [ { user: a, password: b } ]"), nil, "no room"},
		{"small messages", "max_payload: 16K", nil, "max_payload"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := placetest.StartServers(t, 1, tc.more)
			p, err := hosted.OpenCluster(t.Context(), s.URL("team", ""), true)
			if err == nil {
				defer p.Close()
				err = p.Put(t.Context(), "packs/a", "", make([]byte, 3<<20))
			}
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v, want %v with %q", err, tc.want, tc.says)
			}
		})
	}
	if _, err := hosted.OpenCluster(t.Context(), "nats://127.0.0.1:1/team", true); !errors.Is(err, place.ErrNoAnswer) {
		t.Errorf("nobody there: %v", err)
	}
}

// TestAddress: a bad address of a cluster is refused without quoting it.
func TestAddress(t *testing.T) {
	for _, url := range []string{"nats://", "nats://h", "nats:///x", "nats://h/a.b", "nats://u:geheim@h/x", "nats://h/x?replicas=9",
		"nats://h/x?creds=a", "nats://h/x?cert=/a", "nats://h/x?what=1", "nats://h/x?%zz", "nats://h,/x", "nats://h/x/y"} {
		if _, err := hosted.OpenCluster(t.Context(), url, true); !errors.Is(err, place.ErrURL) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestBrokenWatch: what is written while the connection of a watch is broken is told once it is back, also if nothing was
// told before, and the watch has its connection with those who come later, whoever came meanwhile.
func TestBrokenWatch(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	direct := create(t, s.URL("team", ""))
	ways, address := s.Ways(placetest.NewLinks(t, 1), "team", "")
	open := hosted.ClusterOpener()
	p, err := open(t.Context(), address, false)
	if err != nil {
		t.Fatal(err)
	}
	news := make(chan string, 100)
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _ = p.(place.Watcher).Watch(watching, "heads/", func(name string) { news <- name }) }()
	await := func(want string) {
		t.Helper()
		for over := time.After(30 * time.Second); ; {
			select {
			case name := <-news:
				if name == want {
					return
				}
			case <-over:
				t.Fatalf("the watch did not tell of %s", want)
			}
		}
	}
	await("heads/")
	for _, name := range []string{"heads/a", "heads/b"} {
		placetest.Cut(ways...)
		if q, err := open(t.Context(), address, false); err == nil {
			q.Close() // the end of the connection has not arrived yet
		}
		if err := direct.Put(t.Context(), name, "", []byte("x")); err != nil {
			t.Fatal(err)
		}
		ways[0].Heal()
		q, err := open(t.Context(), address, false)
		if err != nil {
			t.Fatal(err)
		}
		q.Close()
		await(name)
		if q, err = open(t.Context(), address, false); err != nil || q != p {
			t.Errorf("the connection of the watch is not shared after %s: %v", name, err)
		}
		q.Close()
	}
}

// TestDeadServers: servers that take a connection and say nothing keep nobody from others, and nobody longer than its
// context lasts.
func TestDeadServers(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	create(t, s.URL("team", ""))
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	places := place.Openers{"nats": hosted.ClusterOpener()}
	waiting, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := place.Open(waiting, "nats://"+dead.Addr().String()+"/x", places)
		ended <- err
	}()
	taken, err := dead.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	begun := time.Now()
	p, err := place.Open(t.Context(), s.URL("team", ""), places)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	stop()
	if err := <-ended; !errors.Is(err, place.ErrNoAnswer) || time.Since(begun) > 3*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

// TestRightOnce: a missing right is reported for the call that lacked it, and for no later one without an answer.
func TestRightOnce(t *testing.T) {
	s := placetest.StartServers(t, 1, "accounts { A { jetstream: enabled, users: [ { user: a, password: b, permissions: "+
		"{ publish: { deny: \"fovea.>\" } } } ] } }\nno_auth_user: a")
	create(t, s.URL("team", ""))
	var isLost atomic.Bool
	p, err := hosted.OpenCluster(t.Context(), lossy(t, s, func([]byte) bool { return isLost.Load() }), false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Put(t.Context(), "heads/a", "", []byte("x")); !errors.Is(err, place.ErrRight) {
		t.Errorf("without the right: %v", err)
	}
	isLost.Store(true)
	soon, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	if _, _, err := p.Get(soon, "heads/a"); !errors.Is(err, place.ErrNoAnswer) || errors.Is(err, place.ErrRight) {
		t.Errorf("without a reply: %v", err)
	}
}
