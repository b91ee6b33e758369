// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// counted passes the connections to an address on, and counts the bytes of both ways.
func counted(t *testing.T, to string) (address string, bytes *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	bytes = &atomic.Int64{}
	pass := func(out, in net.Conn) {
		defer out.Close()
		_, _ = io.Copy(io.MultiWriter(out, counter{bytes}), in)
	}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go pass(far, near)
			go pass(near, far)
		}
	}()
	return l.Addr().String(), bytes
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return len(b), nil
}

// TestWire prints what an edit of one note moves on the connection of each of two machines that are live
// in step over three servers, with the packs that are joined meanwhile, and how soon it is readable there. It fails where an edit
// moves far more than it did, see decision 0276.
func TestWire(t *testing.T) {
	const edits = 40
	s := placetest.StartServers(t, 3, "")
	how := func(o *daemon.Options) {
		o.Config.Sync = config.SyncAlways
		o.Local.Places = place.Openers{"nats": hosted.ClusterOpener()}
	}
	a := begun(t, how)
	b := a.twin()
	var moved []*atomic.Int64
	for _, h := range []*house{a, b} {
		h.start(how)
		near, n := counted(t, s.Host(0))
		moved = append(moved, n)
		_, err := ops.OpRemoteAdd.Call(t.Context(), h.far.Service, ops.RemoteAddRequest{Name: "team", URL: "nats://" + near + "/team", Passphrase: "geheim"})
		h.check(err)
	}
	var took []time.Duration
	for i := -5; i < edits; i++ {
		if i == 0 {
			for _, n := range moved {
				n.Store(0)
			}
		}
		title := fmt.Sprintf("Note %d", i)
		begun := time.Now()
		_, err := api.OpRemember.Call(t.Context(), a.far.Service, api.RememberRequest{Title: title})
		a.check(err)
		b.await(title)
		if i >= 0 {
			took = append(took, time.Since(begun))
		}
	}
	slices.Sort(took)
	t.Logf("readable there: p50 %v, p95 %v; an edit moves %d bytes at its machine, %d at the other",
		took[edits/2], took[edits*95/100], moved[0].Load()/edits, moved[1].Load()/edits)
	for i, n := range moved {
		if each := n.Load() / edits; each > []int64{6000, 8000}[i] {
			t.Errorf("machine %d moves %d bytes an edit", i, each)
		}
	}
}

// await waits until the file of what is remembered has a text.
func (h *house) await(text string) {
	h.t.Helper()
	over := time.After(time.Minute)
	for {
		if data, _ := os.ReadFile(filepath.Join(h.memex, "inbox.org")); strings.Contains(string(data), "* "+text+"\n") {
			return
		}
		select {
		case <-over:
			h.t.Fatalf("%s did not come", text)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// inCluster is a daemon that reaches servers of NATS.
func inCluster(t *testing.T, sync string) *house {
	t.Helper()
	how := func(o *daemon.Options) {
		o.Config.Sync = sync
		o.Local.Places = place.Openers{"nats": hosted.ClusterOpener()}
	}
	h := begun(t, how)
	h.start(how)
	return h
}

// TestScrubAfterAnotherLeader: bytes that the servers have changed are written again once another one leads, without anybody
// asking.
func TestScrubAfterAnotherLeader(t *testing.T) {
	s := placetest.StartServers(t, 3, "")
	h := inCluster(t, config.SyncAlways)
	url := s.URL("team", "own=true")
	until(t, "a stream that answers", func() bool {
		_, err := ops.OpRemoteAdd.Call(t.Context(), h.far.Service, ops.RemoteAddRequest{Name: "team", URL: url, Plain: true})
		return err == nil
	})
	p, err := hosted.OpenCluster(t.Context(), url, false)
	h.check(err)
	defer p.Close()
	client, err := nats.Connect(s.Host(0))
	h.check(err)
	defer client.Close()
	streams, err := jetstream.New(client)
	h.check(err)
	var packs []string
	until(t, "a push and a watch", func() bool {
		stream, err := streams.Stream(t.Context(), "FOVEA-OWN-team")
		if err == nil {
			packs, err = p.List(t.Context(), "packs/")
		}
		return err == nil && len(packs) > 0 && stream.CachedInfo().State.Consumers > 0
	})
	data, tag, err := p.Get(t.Context(), packs[0])
	h.check(err)
	data[len(data)/2] ^= 1
	h.check(p.Put(t.Context(), packs[0], tag, data))
	s.Kill(s.Leader("FOVEA-OWN-team"))
	until(t, "a scrub", func() bool {
		text, err := os.ReadFile(filepath.Join(h.config.StateDir, "serve.log"))
		return err == nil && strings.Contains(string(text), `"damaged there"=1`)
	})
	if lost, _, err := placetest.Lost(t.Context(), p); err != nil || len(lost) > 0 {
		t.Error(lost, err)
	}
}

// TestScrubOfChunks: a piece whose message with the number of its chunks is lost, and whose chunks are there, is written again.
func TestScrubOfChunks(t *testing.T) {
	s := placetest.StartServers(t, 1, "")
	h := inCluster(t, config.SyncOff)
	url := s.URL("team", "own=true")
	_, err := ops.OpRemoteAdd.Call(t.Context(), h.far.Service, ops.RemoteAddRequest{Name: "team", URL: url, Plain: true})
	h.check(err)
	for range 4 {
		lines := make([]string, 8000)
		for i := range lines {
			lines[i] = rand.Text()
		}
		_, err = api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: "Large", Body: strings.Join(lines, "\n")})
		h.check(err)
	}
	_, err = ops.OpPush.Call(t.Context(), h.far.Service, ops.SyncRequest{})
	h.check(err)
	conn, err := nats.Connect("nats://" + s.Host(0))
	h.check(err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	h.check(err)
	stream, err := js.Stream(t.Context(), "FOVEA-OWN-team")
	h.check(err)
	h.check(stream.Purge(t.Context(), jetstream.WithPurgeSubject("fovea.own.team.packs.*.=.o")))
	p, err := hosted.OpenCluster(t.Context(), url, false)
	h.check(err)
	defer p.Close()
	for i := range 2 {
		lost, _, err := placetest.Lost(t.Context(), p)
		h.check(err)
		if left, err := p.List(t.Context(), "packs/"); len(lost) == 0 != (i == 1) || len(left) == 0 {
			t.Fatalf("scrub %d: lost %q of %q, %v", i, lost, left, err)
		}
		_, err = ops.OpScrub.Call(t.Context(), h.far.Service, ops.SyncRequest{})
		h.check(err)
	}
}

// until waits until something is so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	over := time.After(time.Minute)
	for !is() {
		select {
		case <-over:
			t.Fatalf("%s did not come", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
