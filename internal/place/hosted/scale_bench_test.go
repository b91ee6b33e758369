// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hosted_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// BenchmarkHeads has 16 and then 64 machines write a head once a second each, while two read each head as soon as
// they are told of it. p50-ms and p95-ms are from the beginning of a write to the end of both readings; 64/16 is the
// ratio of the two p95.
func BenchmarkHeads(b *testing.B) {
	s := placetest.StartServers(b, 3, "")
	var p95 [2]float64
	for b.Loop() {
		for i, machines := range []int{16, 64} {
			took := headsWritten(b, s, machines, foveatest.Size(20, 2))
			p95[i] = took[len(took)*95/100]
			b.ReportMetric(took[len(took)/2], fmt.Sprintf("p50-ms-of-%d", machines))
			b.ReportMetric(p95[i], fmt.Sprintf("p95-ms-of-%d", machines))
		}
	}
	b.ReportMetric(p95[1]/p95[0], "64/16")
}

// headsWritten has machines write for some seconds, and returns how many milliseconds each head took, sorted.
func headsWritten(b *testing.B, s *placetest.Servers, machines, seconds int) (took []float64) {
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	url := s.URL(fmt.Sprint("heads", machines), "own=true")
	open := func() place.Place {
		p, err := hosted.OpenCluster(ctx, url, true)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { p.Close() })
		return p
	}
	type event struct {
		name, tag string
		at        time.Time
	}
	events := make(chan event, machines*seconds*8)
	var begun sync.Map
	var reading sync.WaitGroup
	for range 2 {
		p, ready := open(), make(chan bool, 1)
		reading.Go(func() {
			names := make(chan string, machines*seconds*4)
			go func() {
				_ = p.(place.Watcher).Watch(ctx, "heads/", func(name string) {
					if name == "heads/" {
						ready <- true
					} else if name != "" {
						names <- name
					}
				})
				close(names)
			}()
			for name := range names {
				if data, _, err := p.Get(ctx, name); err == nil {
					stamp, _, _ := strings.Cut(string(data), " ")
					events <- event{name, stamp, time.Now()}
				}
			}
		})
		<-ready
	}
	var writing sync.WaitGroup
	for i := range machines {
		p, name := open(), fmt.Sprintf("heads/m%d.0123456789ab", i)
		writing.Go(func() {
			<-time.After(time.Duration(i) * time.Second / time.Duration(machines))
			for tick, n, tag := time.NewTicker(time.Second), 0, ""; n < seconds; n++ {
				at := time.Now()
				begun.Store(name+fmt.Sprint(n), at)
				err := p.Put(ctx, name, tag, fmt.Appendf(nil, "%d %02000d", n, 0))
				if err == nil {
					_, tag, err = p.Get(ctx, name)
				}
				if err != nil && ctx.Err() == nil {
					b.Error(err)
					return
				}
				<-tick.C
			}
		})
	}
	writing.Wait()
	stop()
	reading.Wait()
	close(events)
	last := map[string]float64{}
	for e := range events {
		if at, ok := begun.Load(e.name + e.tag); ok {
			last[e.name+e.tag] = max(last[e.name+e.tag], float64(e.at.Sub(at.(time.Time)).Microseconds())/1000)
		}
	}
	for _, ms := range last {
		took = append(took, ms)
	}
	if slices.Sort(took); len(took) < machines*seconds*9/10 {
		b.Fatalf("of %d heads %d arrived", machines*seconds, len(took))
	}
	return took
}

// BenchmarkMemories makes 10,000 memories in 16 streams, then 300 with streams of their own, with two objects each, and
// removes some. kB are those on the disks of three servers, idle-% of a core is what these take while nobody asks.
func BenchmarkMemories(b *testing.B) {
	sizes := map[string]int{"shared": foveatest.Size(10_000, 50), "own": foveatest.Size(300, 3)}
	for name, parameters := range map[string]string{"shared": "", "own": "own=true"} {
		b.Run(name, func(b *testing.B) {
			memories := sizes[name]
			for b.Loop() {
				s := placetest.StartServers(b, 3, "")
				at, before := time.Now(), stored(b, s)
				names := make(chan int)
				var working sync.WaitGroup
				var opening atomic.Int64
				for range 8 {
					working.Go(func() {
						for i := range names {
							p, took := opened(b, s.URL(fmt.Sprint("memory", i), parameters))
							opening.Add(took.Microseconds())
							for _, name := range []string{"memex", "heads/m.0123456789ab"} {
								if err := p.Put(b.Context(), name, "", []byte(strings.Repeat("x", 500+rand.IntN(500)))); err != nil {
									b.Error(err)
								}
							}
							p.Close()
						}
					})
				}
				for i := range memories {
					names <- i
				}
				close(names)
				working.Wait()
				b.ReportMetric(time.Since(at).Seconds()*1000/float64(memories), "ms/memory")
				b.ReportMetric(float64(opening.Load())/1000/float64(memories), "open-ms")
				b.ReportMetric(float64(stored(b, s)-before)/1000/float64(memories), "kB/memory")
				b.ReportMetric(idle(b, s, foveatest.Size(20, 1)), "idle-%")
				p, _ := opened(b, s.URL("memory1", parameters))
				for _, name := range []string{"memex", "heads/m.0123456789ab"} {
					if err := p.Remove(b.Context(), name); err != nil {
						b.Error(err)
					}
				}
				left, err := p.List(b.Context(), "")
				if other, _ := opened(b, s.URL("memory2", parameters)); err == nil && len(left) == 0 {
					left, err = other.List(b.Context(), "")
				}
				if err != nil || len(left) != 2 {
					b.Errorf("%v, %v: the objects of one memory were to go", left, err)
				}
			}
		})
	}
}

// opened opens a place whose servers may be choosing who leads.
func opened(b *testing.B, url string) (place.Place, time.Duration) {
	for at := time.Now(); ; {
		p, err := hosted.OpenCluster(b.Context(), url, true)
		if err == nil {
			b.Cleanup(func() { p.Close() })
			return p, time.Since(at)
		}
		if !errors.Is(err, place.ErrNoAnswer) {
			b.Fatal(err)
		}
	}
}

// stored returns how many bytes are on the disks of the servers.
func stored(b *testing.B, s *placetest.Servers) (bytes int64) {
	for i := range 3 {
		_ = filepath.WalkDir(s.Store(i), func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if info, err := d.Info(); err == nil {
					bytes += info.Size()
				}
			}
			return nil // a file may have gone
		})
	}
	return bytes
}

// idle returns how much of a core the servers take together over some seconds, in percent; 0 where no /proc is.
func idle(b *testing.B, s *placetest.Servers, seconds int) float64 {
	if runtime.GOOS != "linux" {
		return 0
	}
	ticks := func() (n int) {
		for i := range 3 {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID(i)))
			if err != nil {
				b.Fatal(err)
			}
			for _, field := range strings.Fields(string(data))[13:15] {
				one, _ := strconv.Atoi(field)
				n += one
			}
		}
		return n
	}
	before := ticks()
	<-time.After(time.Duration(seconds) * time.Second)
	return float64(ticks()-before) / float64(seconds) // a tick is a hundredth of a second
}
