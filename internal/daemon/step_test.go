// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// twin returns a memex that has the history of another one, as a clone on another machine has it.
func (h *house) twin() *house {
	t := h.t
	t.Helper()
	dir := t.TempDir()
	other := &house{t: t, memex: filepath.Join(dir, "memex")}
	other.config = config.Config{Memex: other.memex, StateDir: filepath.Join(dir, "state")}
	h.check(os.CopyFS(other.memex, os.DirFS(h.memex)))
	h.check(os.CopyFS(other.config.StateDir, os.DirFS(h.config.StateDir)))
	m, err := fovea.Open(t.Context(), other.memex, &fovea.Options{StateDir: other.config.StateDir, Adopt: true})
	h.check(err)
	h.check(m.Close())
	return other
}

// begun returns a memex with a first commit, which no daemon serves now.
func begun(t *testing.T, how func(*daemon.Options)) *house {
	t.Helper()
	h := serve(t, how, "a.org")
	_, err := api.OpIngest.Call(t.Context(), h.far.Service, api.IngestRequest{})
	h.check(err)
	h.check(h.stop())
	return h
}

// TestInStep: what is committed on one machine is read on the other without anybody asking, both
// ways, and both end with one root; off is off.
func TestInStep(t *testing.T) {
	meeting := placetest.NewMemory()
	of := func(when string) func(*daemon.Options) {
		return func(o *daemon.Options) {
			o.Config.Sync = when
			o.Local.Places = place.Openers{"mem": func(context.Context, string, bool) (place.Place, error) { return meeting, nil }}
		}
	}
	a := begun(t, of(config.SyncAlways))
	b, c := a.twin(), a.twin()
	a.start(of(config.SyncAlways))
	b.start(of(config.SyncAlways))
	c.start(of(config.SyncOff))
	for _, h := range []*house{a, b, c} {
		_, err := ops.OpRemoteAdd.Call(t.Context(), h.far.Service, ops.RemoteAddRequest{Name: "team", URL: "mem://x", Plain: true})
		h.check(err)
	}
	for _, h := range []*house{a, b} {
		_, err := api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: "Of " + filepath.Base(filepath.Dir(h.memex))})
		h.check(err)
	}
	deadline := time.After(time.Minute)
	for {
		ra, rb := a.root(), b.root()
		if text := a.read("inbox.org"); ra == rb && strings.Count(text, "* Of ") == 2 {
			break
		}
		select {
		case <-deadline:
			t.Fatalf("%s and %s\n%s", ra, rb, a.read("inbox.org"))
		case <-time.After(50 * time.Millisecond):
		}
	}
	if c.root() == a.root() {
		t.Error("what is off is in step")
	}
	all, err := ops.OpRemotes.Call(t.Context(), a.far.Service, api.None{})
	a.check(err)
	if len(all) != 1 || all[0].Synced.IsZero() {
		t.Errorf("the list says %+v", all)
	}
}

func (h *house) root() string {
	h.t.Helper()
	st, err := api.OpStatus.Call(h.t.Context(), h.far.Service, api.StatusRequest{})
	h.check(err)
	return st.Root
}

func (h *house) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(h.memex, name))
	return string(text)
}

// TestScrub: what a place has lost, or has of other bytes, is found and written again, so that
// another machine gets all.
func TestScrub(t *testing.T) {
	meeting := placetest.NewMemory()
	how := func(o *daemon.Options) {
		o.Config.Sync = config.SyncOff
		o.Local.Places = place.Openers{"mem": func(context.Context, string, bool) (place.Place, error) { return meeting, nil }}
	}
	a := begun(t, how)
	b := a.twin()
	a.start(how)
	b.start(how)
	svc := func(h *house) api.Service { return h.far.Service }
	for _, h := range []*house{a, b} {
		_, err := ops.OpRemoteAdd.Call(t.Context(), svc(h), ops.RemoteAddRequest{Name: "team", URL: "mem://x", Plain: true})
		h.check(err)
	}
	for _, title := range []string{"One", "Two", "Three"} {
		_, err := api.OpRemember.Call(t.Context(), svc(a), api.RememberRequest{Title: title})
		a.check(err)
		_, err = ops.OpPush.Call(t.Context(), svc(a), ops.SyncRequest{})
		a.check(err)
	}
	for i, damage := range []func(name string){
		func(string) {},
		func(name string) { a.check(meeting.Remove(t.Context(), name)) },
		func(name string) {
			data, tag, err := meeting.Get(t.Context(), name)
			a.check(err)
			data[len(data)/2] ^= 1
			a.check(meeting.Put(t.Context(), name, tag, data))
		},
	} {
		packs, err := meeting.List(t.Context(), "packs/")
		a.check(err)
		name := packs[len(packs)-1]
		damage(name)
		done, err := ops.OpScrub.Call(t.Context(), svc(a), ops.SyncRequest{})
		a.check(err)
		if found := slices.Contains(done.Damaged, name); found != (i > 0) || (done.Pushed > 0) != (i > 0) {
			t.Errorf("damage %d: %+v, %d commits written again", i, done, done.Pushed)
		}
	}
	_, err := ops.OpSync.Call(t.Context(), svc(b), ops.SyncRequest{})
	b.check(err)
	if a.root() != b.root() {
		t.Errorf("%s and %s", a.root(), b.root())
	}
}

// TestBlocked: a log that cannot be merged here keeps neither what this machine did from the remote nor what others did
// from here; the daemon says so once, alerts the owner, and says once that it is over.
func TestBlocked(t *testing.T) {
	meeting := placetest.NewMemory()
	alerts := make(chan string, 8)
	of := func(when string) func(*daemon.Options) {
		return func(o *daemon.Options) {
			o.Config.Sync = when
			o.Alert = func(text string) error {
				alerts <- text
				return nil
			}
			o.Local.Places = place.Openers{"mem": func(context.Context, string, bool) (place.Place, error) { return meeting, nil }}
		}
	}
	a := begun(t, of(config.SyncOff))
	b, c := a.twin(), a.twin()
	remember := func(h *house, title, under string) {
		t.Helper()
		_, err := api.OpRemember.Call(t.Context(), h.far.Service, api.RememberRequest{Title: title, Under: under})
		h.check(err)
	}
	for _, h := range []*house{a, c, b} {
		h.start(of(config.SyncOff))
		_, err := ops.OpRemoteAdd.Call(t.Context(), h.far.Service, ops.RemoteAddRequest{Name: "team", URL: "mem://x", Plain: true})
		h.check(err)
	}
	remember(a, "Of A", "x.org")
	remember(c, "Of C", "c.org")
	for _, h := range []*house{a, c} {
		_, err := ops.OpPush.Call(t.Context(), h.far.Service, ops.SyncRequest{})
		h.check(err)
	}
	b.check(os.Mkdir(filepath.Join(b.memex, "x.org"), 0o700))
	remember(b, "Of B", "")
	done, err := ops.OpSync.Call(t.Context(), b.far.Service, ops.SyncRequest{})
	b.check(err)
	problems := 0
	for _, m := range done.Machines {
		if m.Problem != "" {
			problems++
		}
	}
	if problems != 1 || len(done.Machines) != 2 || done.Pushed == 0 || !strings.Contains(b.read("c.org"), "Of C") {
		t.Fatalf("%+v, %q", done, b.read("c.org"))
	}
	b.check(b.stop())
	b.start(of(config.SyncAlways))
	log := func() string {
		text, _ := os.ReadFile(filepath.Join(b.config.StateDir, "serve.log"))
		return string(text)
	}
	until(t, "a warning", func() bool { return strings.Contains(log(), "may not be touched") })
	b.check(os.Remove(filepath.Join(b.memex, "x.org")))
	remember(a, "More of A", "x.org")
	_, err = ops.OpPush.Call(t.Context(), a.far.Service, ops.SyncRequest{})
	a.check(err)
	until(t, "the end of it", func() bool {
		return strings.Contains(log(), "none any longer") && strings.Contains(b.read("x.org"), "More of A")
	})
	if n := strings.Count(log(), "may not be touched"); n != 1 {
		t.Errorf("told %d times:\n%s", n, log())
	}
	b.check(b.stop())
	b.check(os.Mkdir(filepath.Join(b.memex, "y.org"), 0o700))
	remember(a, "Again of A", "y.org")
	_, err = ops.OpPush.Call(t.Context(), a.far.Service, ops.SyncRequest{})
	a.check(err)
	for range 2 { // another daemon reports nothing twice
		begun := time.Now()
		b.start(of(config.SyncAlways))
		until(t, "an exchange", func() bool {
			all, err := ops.OpRemotes.Call(t.Context(), b.far.Service, api.None{})
			return err == nil && len(all) == 1 && all[0].Synced.After(begun) && strings.Count(log(), "may not be touched") == 2
		})
		b.check(b.stop())
	}
	for _, n := range []int{1, 0} {
		if text := <-alerts; len(alerts) != n || !strings.Contains(text, "may not be touched") || !strings.HasSuffix(text, "\nThen: fovea pull team\n") {
			t.Errorf("alerted %q and %d times more", text, len(alerts))
		}
	}
}

// late is a place where pieces arrive after the logs that name them.
type late struct {
	place.Place
	isLate *atomic.Bool
}

func (l late) Get(ctx context.Context, name string) ([]byte, string, error) {
	if l.isLate.Load() && strings.HasPrefix(name, "packs/") {
		return nil, "", place.ErrNone
	}
	return l.Place.Get(ctx, name)
}

// TestLateIsNoAlert: a machine whose pieces are not there yet is in the log, and no reason to call the owner.
func TestLateIsNoAlert(t *testing.T) {
	meeting := late{placetest.NewMemory(), &atomic.Bool{}}
	of := func(when string) func(*daemon.Options) {
		return func(o *daemon.Options) {
			o.Config.Sync = when
			o.Alert = func(text string) error {
				t.Errorf("alerted %q", text)
				return nil
			}
			o.Local.Places = place.Openers{"mem": func(context.Context, string, bool) (place.Place, error) { return meeting, nil }}
		}
	}
	a := begun(t, of(config.SyncOff))
	b := a.twin()
	for _, h := range []*house{a, b} {
		h.start(of(config.SyncOff))
		_, err := ops.OpRemoteAdd.Call(t.Context(), h.far.Service, ops.RemoteAddRequest{Name: "team", URL: "mem://x", Plain: true})
		h.check(err)
	}
	_, err := api.OpRemember.Call(t.Context(), a.far.Service, api.RememberRequest{Title: "Of A"})
	a.check(err)
	_, err = ops.OpPush.Call(t.Context(), a.far.Service, ops.SyncRequest{})
	a.check(err)
	meeting.isLate.Store(true)
	b.check(b.stop())
	b.start(of(config.SyncAlways))
	until(t, "a line of the log", func() bool {
		text, _ := os.ReadFile(filepath.Join(b.config.StateDir, "serve.log"))
		return strings.Contains(string(text), "not all of it has arrived yet")
	})
	b.check(b.stop())
}
