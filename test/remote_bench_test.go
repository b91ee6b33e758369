// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// timed is a place that says how long it took, and how many bytes came.
type timed struct {
	place.Place
	took  time.Duration
	bytes int
}

func (p *timed) since(start time.Time) { p.took += time.Since(start) }

func (p *timed) Get(ctx context.Context, name string) ([]byte, string, error) {
	defer p.since(time.Now())
	return p.Place.Get(ctx, name)
}

func (p *timed) Put(ctx context.Context, name, tag string, data []byte) error {
	defer p.since(time.Now())
	p.bytes += len(data)
	return p.Place.Put(ctx, name, tag, data)
}

func (p *timed) Remove(ctx context.Context, name string) error {
	defer p.since(time.Now())
	return p.Place.Remove(ctx, name)
}

// BenchmarkPush pushes one edit among 10,000 nodes to a folder and to a bucket, plain and sealed.
// own-ms is what it takes beyond the time of the place, kB what is written there; both are means,
// over the pushes that join packs, too.
func BenchmarkPush(b *testing.B) {
	w := generated(b, 910)
	w.ingest()
	places := map[string]func(b *testing.B) place.Place{
		"folder": func(b *testing.B) place.Place {
			p, err := place.OpenFolder(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			return p
		},
		"bucket": func(b *testing.B) place.Place {
			g := foveatest.StartGateways(b, 1)
			return bucketAt(b, g, g.URLs[0], "", nil)
		},
	}
	for _, kind := range []string{"folder", "bucket"} {
		for _, passphrase := range []string{"", "correct horse"} {
			b.Run(kind+map[bool]string{true: "/plain", false: "/sealed"}[passphrase == ""], func(b *testing.B) {
				p := &timed{Place: places[kind](b)}
				r := w.remote(p, fmt.Sprintf("%s%d", kind, len(passphrase)), passphrase)
				if _, err := w.push(r); err != nil {
					b.Fatal(err)
				}
				p.took, p.bytes = 0, 0
				i, took, commits := 0, time.Duration(0), uint64(0)
				for b.Loop() {
					b.StopTimer()
					i++
					id := fmt.Sprintf("node-%07d", i*37%9000)
					if _, err := w.m.Notes().Edit(b.Context(), id, nil, document.SetTitle{Title: fmt.Sprint("Title ", kind, passphrase, i)}); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					start := time.Now()
					done, err := w.push(r)
					if err != nil {
						b.Fatal(err)
					}
					took += time.Since(start)
					commits += done.Commits
				}
				b.ReportMetric(float64((took-p.took).Microseconds())/1000/float64(i), "own-ms/op")
				b.ReportMetric(float64(p.took.Microseconds())/1000/float64(i), "place-ms/op")
				b.ReportMetric(float64(p.bytes)/1000/float64(i), "kB/op")
				b.ReportMetric(float64(commits)/float64(i), "commits/op")
			})
		}
	}
}

// remote is the place as this world sees it.
func (w *world) remote(p place.Place, name, passphrase string) *place.Remote {
	w.t.Helper()
	sources, release, err := w.m.Histories().Take(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer release()
	r := &place.Remote{Place: p, Memex: sources[0].First, Machine: place.NewMachine("w"), Now: time.Now}
	if r.Key, err = place.Join(w.t.Context(), p, r.Memex, passphrase == "", passphrase); err == nil {
		r.State, err = vfs.Sub(w.m.Histories().State, "remotes/"+name)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) push(r *place.Remote) (place.Pushed, error) {
	sources, release, err := w.m.Histories().Take(w.t.Context())
	if err != nil {
		return place.Pushed{}, err
	}
	defer release()
	return r.Push(w.t.Context(), sources)
}
