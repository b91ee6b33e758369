// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// linked are two machines that are live in step over links to three servers, and alert nobody.
func linked(t *testing.T, s *placetest.Servers, links *placetest.Links) (all [2]*house, ways [2][]*placetest.Link) {
	t.Helper()
	how := func(o *daemon.Options) {
		o.Config.Sync = config.SyncAlways
		o.Local.Places = place.Openers{"nats": hosted.ClusterOpener()}
		o.Alert = func(text string) error {
			t.Errorf("alerted %q", text)
			return nil
		}
	}
	a := begun(t, how)
	all = [2]*house{a, a.twin()}
	for i, h := range all {
		h.start(how)
		var url string
		ways[i], url = s.Ways(links, "team", "own=true")
		until(t, "a stream that answers", func() bool {
			_, err := ops.OpRemoteAdd.Call(t.Context(), h.far.Service, ops.RemoteAddRequest{Name: "team", URL: url, Plain: true})
			return err == nil
		})
	}
	return all, ways
}

func (h *house) remember(title string) {
	h.t.Helper()
	_, err := api.OpRemember.Call(h.t.Context(), h.far.Service, api.RememberRequest{Title: title})
	h.check(err)
}

// TestInStepOverCutLinks: two machines that write while links are cut have all notes of both by themselves once the links are
// whole, and alerted nobody.
func TestInStepOverCutLinks(t *testing.T) {
	links := placetest.NewLinks(t, 1)
	s := placetest.StartLinked(t, 3, links)
	all, ways := linked(t, s, links)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	over := make(chan struct{}, 2)
	storm := func(groups ...[]*placetest.Link) {
		links.Storm(ctx, 4*time.Second, groups...)
		over <- struct{}{}
	}
	go storm(ways[:]...)
	go storm(s.LinksOf(0), s.LinksOf(1), s.LinksOf(2))
	var titles []string
	for i := 0; ctx.Err() == nil; i++ {
		title := fmt.Sprint("Note ", i)
		all[i%2].remember(title)
		titles = append(titles, title)
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
		}
	}
	<-over
	<-over
	begun := time.Now()
	for _, h := range all {
		for _, title := range titles {
			h.await(title)
		}
	}
	until(t, "one root", func() bool { return all[0].root() == all[1].root() })
	t.Logf("%d notes, %v; in step %v after that", len(titles), links.Cuts(), time.Since(begun).Round(time.Millisecond))
}
