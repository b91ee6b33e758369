// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
)

// indexed derives a text that images keep, and counts how often it was made of a state alone.
type indexed struct {
	made *int
	err  error // of Encode
}

func (x indexed) Derive(m *chain.Moment, loaded any) any {
	if loaded != nil {
		return loaded
	}
	if m.State.Len() > 0 {
		*x.made++
	}
	return fmt.Sprint("words of ", m.State.Root())
}

func (x indexed) Follow(_ any, m *chain.Moment, _ *graph.Delta) any {
	return fmt.Sprint("words of ", m.State.Root())
}

func (x indexed) Encode(derived any) ([]byte, error) { return []byte(derived.(string)), x.err }

func (x indexed) Load(section []byte) any {
	if len(section) == 0 {
		return nil
	}
	return string(section)
}

// due is the length of journal behind an image that makes another due.
const due = 64 << 20

// loaded commits twice and returns the history and the chain, with an image of commit 1.
func loaded(t *testing.T) (*storetest.InMemory, fixture) {
	t.Helper()
	history := &storetest.InMemory{}
	f := open(t, history.Open(), signed(t))
	tx := f.Begin()
	defer tx.End()
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n", "b.org": long}, tallyMark(4), vowMark("w"))
	if err := tx.Images().Write(); err != nil {
		t.Fatal(err)
	}
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* two\n"})
	return history, f
}

// TestImageOrReplay: whatever is wrong with the sections of an image, an opening has the
// head that the journal has.
func TestImageOrReplay(t *testing.T) {
	history, f := loaded(t)
	want := f.Head()
	good, err := f.Store().LoadImage()
	if err != nil {
		t.Fatal(err)
	}
	same := func(t *testing.T, from store.Store) {
		t.Helper()
		got := open(t, from, signed(t))
		if h := got.Head(); h.Commit.Digest != want.Commit.Digest || h.State.Root() != want.State.Root() || h.Signed != want.Signed {
			t.Errorf("commit %d of root %s", h.Commit.Seq, h.State.Root())
		}
		if got.Head().Commit.Documents != 2 || got.vow.At(got.Head()).word != "w" || !slices.Equal(got.tally.At(got.Head()), []int64{4}) {
			t.Errorf("the ledgers have %+v and %d", got.vow.At(got.Head()), got.tally.At(got.Head()))
		}
	}
	t.Run("the image", func(t *testing.T) { same(t, history.Open()) })
	for _, section := range good.Sections {
		changes := map[string]func([]byte) []byte{}
		switch {
		case strings.HasPrefix(section.Name, "nodes."):
			changes["flipped"] = func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
			changes["cut"] = func(b []byte) []byte { return b[:len(b)-1] }
			changes["empty"] = func([]byte) []byte { return nil }
		case strings.HasPrefix(section.Name, "derived."):
			changes["cut"] = func(b []byte) []byte { return b[:len(b)/2] }
			changes["empty"] = func([]byte) []byte { return nil }
		case section.Name == "commit":
			changes["cut"] = func(b []byte) []byte { return b[:len(b)-1] }
			changes["another commit"] = func(b []byte) []byte { b[10] ^= 1; return b }
			changes["empty"] = func([]byte) []byte { return nil }
		case section.Name == "tally":
			changes["more"] = func(b []byte) []byte { return append(b, 0) }
		}
		for change, apply := range changes {
			t.Run(section.Name+" "+change, func(t *testing.T) {
				bad := *good
				bad.Sections = slices.Clone(good.Sections)
				for i, s := range bad.Sections {
					if s.Name == section.Name {
						bad.Sections[i].Data = apply(slices.Clone(s.Data))
					}
				}
				from := history.Open()
				if err := from.WriteImage(bad); err != nil {
					t.Fatal(err)
				}
				same(t, from)
			})
		}
	}
}

// TestOpeningsWarn: an opening warns of an image that is not used, and of nothing else.
func TestOpeningsWarn(t *testing.T) {
	var log strings.Builder
	warned := warnings(&log)
	history, f := loaded(t)
	open(t, (&storetest.InMemory{}).Open(), warned)
	open(t, history.Open(), warned)
	if log.Len() > 0 {
		t.Errorf("without damage: %s", log.String())
	}
	img, err := f.Store().LoadImage()
	if err != nil {
		t.Fatal(err)
	}
	img.Sections = nil
	if err := f.Store().WriteImage(*img); err != nil {
		t.Fatal(err)
	}
	open(t, history.Open(), warned)
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "no image verifies") {
		t.Errorf("of a damaged image: %s", log.String())
	}
}

// newer is a store whose images are of a later version.
type newer struct{ store.Store }

func (newer) LoadImage() (*store.Image, error) {
	return nil, fmt.Errorf("image: %w", store.ErrUnknownFormat)
}

// TestImageOfALaterVersion: it is not read around; the chain stays empty.
func TestImageOfALaterVersion(t *testing.T) {
	history, _ := loaded(t)
	f := newChain(newer{history.Open()}, nil)
	tx := f.Begin()
	defer tx.End()
	if _, err := tx.Load(); !errors.Is(err, store.ErrUnknownFormat) || f.Head().Commit.Seq != 0 {
		t.Errorf("commit %d: %v", f.Head().Commit.Seq, err)
	}
}

// TestDerivedComesFromTheImage: what is derived is read from an image where it has it, and
// follows the commits behind it.
func TestDerivedComesFromTheImage(t *testing.T) {
	history, made := &storetest.InMemory{}, 0
	options := func(o *chain.Options) { o.Deriver = indexed{made: &made} }
	f := open(t, history.Open(), options)
	tx := f.Begin()
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
	if err := tx.Images().Write(); err != nil {
		t.Fatal(err)
	}
	first := f.Head()
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* two\n"})
	tx.End()
	made = 0
	got := open(t, history.Open(), options)
	if got.Head().Derived != f.Head().Derived || made != 0 {
		t.Errorf("made %d times: %v", made, got.Head().Derived)
	}
	if at, err := got.Chain.At(t.Context(), 1); err != nil || at.Derived != first.Derived {
		t.Errorf("%v, %v", at, err)
	}
}

// TestImagesBeside: when one is due a commit has an image written in the background. After
// an error none is, until a write that is waited for succeeds.
func TestImagesBeside(t *testing.T) {
	history, made := &storetest.InMemory{}, 0
	x := &indexed{made: &made}
	var log strings.Builder
	f := open(t, history.Open(), func(o *chain.Options) {
		o.Deriver = x
		warnings(&log)(o)
	})
	tx := f.Begin()
	defer tx.End()
	n := 0
	commit := func() {
		n++
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d\n", n)})
	}
	images := tx.Images()
	newest := func(want uint64) {
		t.Helper()
		images.Wait()
		img, err := f.Store().LoadImage()
		if images.Newest() != want || want > 0 && (err != nil || img.Seq != want) || want == 0 && !errors.Is(err, store.ErrNoImage) {
			t.Fatalf("the newest image is %d, want %d: %v", images.Newest(), want, err)
		}
	}
	commit()
	newest(0)
	images.SetBehind(due)
	commit()
	newest(2)
	if images.Due() {
		t.Error("another is due at once")
	}
	commit()
	newest(2)

	if log.Len() > 0 {
		t.Errorf("warned of %q", log.String())
	}
	x.err = errors.New("no words")
	images.SetBehind(due)
	commit()
	newest(2)
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "no words") {
		t.Errorf("warned of %q", log.String())
	}
	x.err = nil
	commit()
	newest(2)
	if !images.Due() {
		t.Error("none is due after one that failed")
	}
	x.err = errors.New("no words")
	if err := images.Write(); !errors.Is(err, x.err) {
		t.Error(err)
	}
	x.err = nil
	if err := images.Write(); err != nil {
		t.Fatal(err)
	}
	newest(uint64(n))
	images.SetBehind(due)
	commit()
	newest(uint64(n))
}

// TestImagesBesideAreNoted: a commit notes that the image in the background is written.
func TestImagesBesideAreNoted(t *testing.T) {
	f := openChain(t, &storetest.InMemory{})
	tx := f.Begin()
	defer tx.End()
	tx.Images().SetBehind(due)
	for i := 0; tx.Images().Newest() == 0; i++ {
		if i == 10_000 {
			t.Fatal("no image is noted")
		}
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d\n", i)})
		runtime.Gosched()
	}
	if tx.Images().Newest() != 1 || tx.Images().Due() {
		t.Errorf("image %d, another is due: %v", tx.Images().Newest(), tx.Images().Due())
	}
}

// TestFinish: the end of a chain leaves an image if much of the journal lies behind the
// newest one, and none of a store that takes no writes.
func TestFinish(t *testing.T) {
	for _, tc := range []struct {
		behind int64
		stop   bool
		want   uint64
	}{{1<<20 - 1, false, 0}, {1 << 20, false, 1}, {1 << 20, true, 0}} {
		f := openChain(t, &storetest.InMemory{})
		tx := f.Begin()
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
		tx.Images().SetBehind(tc.behind)
		if tc.stop {
			f.Store().Stop(errors.New("full"))
		}
		if err := tx.Images().Finish(); err != nil || tx.Images().Newest() != tc.want {
			t.Errorf("%d bytes behind: image %d, %v", tc.behind, tx.Images().Newest(), err)
		}
		tx.End()
	}
}

// unpacked is a store that cannot pack.
type unpacked struct{ store.Store }

func (unpacked) Pack(context.Context) error {
	return errors.New("no room for a pack")
}
func (unpacked) Packed() bool { return false }

// TestImageWithoutPacks: an image counts though the journal could not be packed; that is a
// warning, and only that.
func TestImageWithoutPacks(t *testing.T) {
	for says, from := range map[string]store.Store{"": (&storetest.InMemory{}).Open(), "no room for a pack": unpacked{(&storetest.InMemory{}).Open()}} {
		var log strings.Builder
		f := open(t, from, warnings(&log))
		tx := f.Begin()
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
		if err := tx.Images().Write(); err != nil || tx.Images().Newest() != 1 {
			t.Error(err)
		}
		if (log.Len() > 0) != (says != "") || !strings.Contains(log.String(), says) {
			t.Errorf("warned of %q, want %q", log.String(), says)
		}
		tx.End()
	}
}

// TestFinishWaits: an image that is being written at the end is waited for, and is enough.
func TestFinishWaits(t *testing.T) {
	from := &breaking{Store: (&storetest.InMemory{}).Open(), left: -1}
	f := open(t, from, nil)
	tx := f.Begin()
	defer tx.End()
	tx.Images().SetBehind(due)
	from.left = 2
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
	if err := tx.Images().Finish(); err != nil || tx.Images().Newest() != 1 || from.left != 0 {
		t.Errorf("image %d, %d more changes: %v", tx.Images().Newest(), from.left, err)
	}
}

// TestBehindCountsTheJournal: the journal behind an image is what an opening replays and
// what is appended.
func TestBehindCountsTheJournal(t *testing.T) {
	history := &storetest.InMemory{}
	f := openChain(t, history)
	tx := f.Begin()
	large := strings.Repeat("0123456789abcdef", 1<<16) // closing after it is worth an image
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": large})
	tx.End()
	tx = openChain(t, history).Begin()
	if err := tx.Images().Finish(); err != nil || tx.Images().Newest() != 1 {
		t.Errorf("after an opening: image %d, %v", tx.Images().Newest(), err)
	}
	tx.End()
	f = openChain(t, history)
	tx = f.Begin()
	var b store.Batch
	b.Add(store.Block, []byte(large))
	if err := tx.AppendBatch(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	f.commit(t, tx, graph.Commit{}, map[string]string{"b.org": "* small\n"})
	if err := tx.Images().Finish(); err != nil || tx.Images().Newest() != 2 {
		t.Errorf("after a batch: image %d, %v", tx.Images().Newest(), err)
	}
	if err := tx.Images().Finish(); err != nil || tx.Images().Newest() != 2 {
		t.Errorf("an image makes the journal before it count: %v", err)
	}
}
