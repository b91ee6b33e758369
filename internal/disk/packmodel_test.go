// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
)

// TestPackModel runs random operations against a plain list.
func TestPackModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := faultfs.New()
		seed := byte(0)
		s := mustOpen(t, in, small(seed))
		var d diary
		reopen := func() {
			seed++
			var found store.Recovery
			var err error
			if s, found, err = Open(in, small(seed)); err != nil || found.Corrupt != nil {
				r.Fatalf("open: %v, %+v", err, found.Corrupt)
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"append": func(r *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(r, "batches") {
					d.append(t, s)
				}
			},
			"again": func(r *rapid.T) {
				var blocks []string
				for _, rec := range d.records {
					if rec.Kind == store.Block {
						blocks = append(blocks, rec.Data)
					}
				}
				if len(blocks) > 0 {
					d.give(t, s, rapid.SliceOfN(rapid.SampledFrom(blocks), 1, 4).Draw(r, "blocks")...)
				}
			},
			"close": func(*rapid.T) { mustClose(t, s); reopen() },
			"crash": func(r *rapid.T) { in = in.Crash(rapid.Uint64().Draw(r, "seed")); reopen() },
			"image": func(*rapid.T) { d.image(t, s) },
			"pack":  func(*rapid.T) { mustPack(t, s) },
			"rewrite": func(r *rapid.T) {
				d.rewrite(t, s, rapid.ByteRange('a', 'f').Draw(r, "letter"), uint64(len(d.ends)))
			},
			"check": func(*rapid.T) { mustCheck(t, s) },
			"": func(r *rapid.T) {
				if err := d.differs(s); err != nil {
					r.Fatal(err)
				}
			},
		})
	})
}

// TestPackBesideOthers packs and rewrites while others append and read.
func TestPackBesideOthers(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	put := func(i int) {
		var b store.Batch
		b.Add(store.Block, fmt.Appendf(nil, "block %d", i))
		b.Add(store.Commit, fmt.Appendf(nil, "commit %d", i))
		if _, err := s.Append(t.Context(), &b); err != nil {
			t.Error(err)
		}
	}
	put(0)
	const batches = 400
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		defer close(done)
		for i := 1; i < batches; i++ {
			put(i)
			if i%16 == 0 {
				if err := s.WriteImage(imageOf(uint64(i), s.End())); err != nil {
					t.Error(err)
				}
			}
		}
	})
	running := func() bool {
		select {
		case <-done:
			return false
		default:
			return true
		}
	}
	wg.Go(func() {
		for i := 0; running(); i++ {
			var err error
			if i%3 == 2 {
				err = s.Rewrite(t.Context(), nil)
			} else {
				err = s.Pack(t.Context())
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 {
		wg.Go(func() {
			for running() {
				next := 0
				err := s.Replay(store.Pos{}, func(r store.Record) error {
					if r.Kind != store.Commit {
						return nil
					}
					if want := fmt.Sprintf("commit %d", next); string(r.Data) != want {
						return fmt.Errorf("%q instead of %s", r.Data, want)
					}
					next++
					return nil
				})
				if err != nil || next == 0 {
					t.Errorf("replay: %v after %d commits", err, next)
				}
				for _, i := range []int{0, next / 2, next - 1} {
					if _, err := s.Block(merkleOf(fmt.Sprintf("block %d", i))); err != nil {
						t.Error(err)
					}
				}
				err = s.Commits(t.Context(), store.Span{From: 1, To: uint64(next), Backward: true}, func(r store.Record) error {
					next--
					if want := fmt.Sprintf("commit %d", next); string(r.Data) != want {
						return fmt.Errorf("%q instead of %s", r.Data, want)
					}
					return nil
				})
				if err != nil || next != 0 {
					t.Errorf("backward: %v, %d commits left", err, next)
				}
			}
		})
	}
	wg.Wait()
	mustCheck(t, s)
	mustClose(t, s)
}

// asked is a context that calls a function when it is asked whether it has ended.
type asked struct {
	context.Context
	call func()
}

func (a asked) Err() error {
	a.call()
	return a.Context.Err()
}

// TestCloseEndsPack: Close does not wait for a long rewrite.
func TestCloseEndsPack(t *testing.T) {
	s := mustOpen(t, faultfs.New(), small(0))
	fillStore(t, s, 0, 40)
	begun, closed := make(chan struct{}), make(chan error)
	var once sync.Once
	go func() {
		<-begun
		closed <- s.Close()
	}()
	err := s.Rewrite(asked{t.Context(), func() {
		once.Do(func() {
			close(begun)
			<-s.packing.closing
		})
	}}, nil)
	if !errors.Is(err, store.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	packErr := s.Pack(t.Context())
	_, checkErr := s.Check(t.Context(), nil)
	for name, err := range map[string]error{
		"pack": packErr, "check": checkErr, "images": s.RemoveImages(1), "commits": s.Commits(t.Context(), store.Span{From: 1, To: 2}, nil),
	} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s after close: got %v, want ErrClosed", name, err)
		}
	}
}
