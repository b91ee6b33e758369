// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/merkle"
)

// bundled returns a bundle of a memory; since cuts it to what came after a commit.
func bundled(t rapid.TB, ctx context.Context, m *fovea.Memory, since ...merkle.Digest) []byte {
	t.Helper()
	sources, release, err := m.Histories().Take(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, d := range since {
		if err := sources[0].GoOn(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := place.WriteBundle(ctx, &out, sources); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// busy is a memory with some history: edits, a snapshot, a deletion, a purge, a merge.
func busy(t *testing.T) *machine {
	a := newMachine(t, map[string]string{"a.org": "* One\nfirst\n* Two\n", "b.org": "* Three\n", "long.org": "* Long\n" + lines(2000)})
	for i := range 5 {
		a.write("a.org", fmt.Sprintf("* One\nfirst, changed %d times\n* Two\nsecret number %d\n", i, i))
	}
	if _, err := a.m.History().Snapshot(t.Context(), "kept"); err != nil {
		t.Fatal(err)
	}
	b := a.copy("b")
	b.write("b.org", "* Three\nof another machine\n")
	a.write("a.org", "* One\nno secrets\n* Two\n")
	a.from(b)
	if _, _, err := a.m.Mending().Purge(t.Context(), nil, "secret number", nil); err != nil {
		t.Fatal(err)
	}
	a.write("c.org", "* Four\n")
	return a
}

func lines(n int) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// unpacked opens a memory that was made of bundles.
func unpacked(t *testing.T, a *machine, bundles ...[]byte) *machine {
	t.Helper()
	b := &machine{t: t, name: "a", d: disks{faultfs.New(), faultfs.New()}, hour: a.hour}
	for _, text := range bundles {
		if _, err := place.ReadInto(t.Context(), b.d.state, bytes.NewReader(text), "/memex"); err != nil {
			t.Fatal(err)
		}
	}
	b.d.write(t, a.d.files(t))
	b.open()
	return b
}

// TestBundleRoundTrip: what went through a bundle is the same memory: its root, its history, its
// snapshots, what was purged; and the bundle of it has the same bytes.
func TestBundleRoundTrip(t *testing.T) {
	a := busy(t)
	text := bundled(t, t.Context(), a.m)
	b := unpacked(t, a, text)
	if !bytes.Equal(text, bundled(t, t.Context(), b.m)) {
		t.Error("the bundle of what came out of a bundle has other bytes")
	}
	if a.m.View().Root() != b.m.View().Root() {
		t.Errorf("root %s, and it was %s", b.m.View().Root(), a.m.View().Root())
	}
	before, err := a.m.History().Log(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	after, err := b.m.History().Log(t.Context(), "", 0)
	if diff := cmp.Diff(before, after); err != nil || diff != "" {
		t.Errorf("history: %v\n%s", err, diff)
	}
	if diff := cmp.Diff(a.m.History().Snapshots(), b.m.History().Snapshots()); diff != "" {
		t.Errorf("snapshots:\n%s", diff)
	}
	for seq := uint64(1); seq <= a.m.View().Head().Seq; seq++ {
		ref := fmt.Sprintf("seq:%d", seq)
		was, wasErr := a.m.History().At(t.Context(), ref)
		is, err := b.m.History().At(t.Context(), ref)
		if (err == nil) != (wasErr == nil) || err == nil && was.Root() != is.Root() || err != nil && err.Error() != wasErr.Error() {
			t.Errorf("%s: %v, and it was %v", ref, err, wasErr)
		}
	}
	b.write("d.org", "* It goes on\n")
}

// TestBundleOfChanges: bundles of changes, read one behind the other, give the memory that one
// of everything gives; a bundle that begins earlier goes on where the store is.
func TestBundleOfChanges(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\n"})
	var parts, overlaps [][]byte
	var from place.Source
	heads := []merkle.Digest{{}}
	for i := range 5 {
		a.write("a.org", fmt.Sprintf("* One\n%d\n", i))
		sources, release, err := a.m.Histories().Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := sources[0]
		s.From, s.SinceSeq, s.Since = from.End, from.Seq, from.Head
		from = sources[0]
		var out bytes.Buffer
		if _, err := place.WriteBundle(t.Context(), &out, []place.Source{s}); err != nil {
			t.Fatal(err)
		}
		release()
		parts, heads = append(parts, out.Bytes()), append(heads, from.Head)
		overlaps = append(overlaps, bundled(t, t.Context(), a.m, heads[max(0, i-1):max(0, i-1)+min(1, max(0, i-1))]...))
	}
	b, c := unpacked(t, a, parts...), unpacked(t, a, overlaps...)
	b.whole(t)
	c.whole(t)
	if got, want := bundled(t, t.Context(), b.m), bundled(t, t.Context(), a.m); !bytes.Equal(got, want) {
		t.Error("the parts give another history than the whole")
	}
	if diff := cmp.Diff(a.m.History().Snapshots(), c.m.History().Snapshots()); diff != "" || c.m.View().Head().Digest != a.m.View().Head().Digest {
		t.Errorf("parts that overlap give another history than the whole:\n%s", diff)
	}
	x := newMachine(t, map[string]string{"x.org": "* X\n"})
	x.write("x.org", "* Y\n")
	other := bundled(t, t.Context(), x.m)
	for name, tc := range map[string]struct {
		first []byte
		part  int
		want  error
	}{
		"nothing before":    {nil, 4, place.ErrBehind},
		"another memory":    {other, 1, place.ErrFork},
		"not all of before": {parts[0], 4, place.ErrBehind},
	} {
		in := faultfs.New()
		if tc.first != nil {
			if _, err := place.ReadInto(t.Context(), in, bytes.NewReader(tc.first), ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := place.ReadInto(t.Context(), in, bytes.NewReader(parts[tc.part]), ""); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

// TestBundleDamaged: with any byte changed, or cut anywhere, a bundle is refused, and the error
// says where.
func TestBundleDamaged(t *testing.T) {
	a := newMachine(t, map[string]string{"a.org": "* One\nfirst\n"})
	for i := range 2 {
		a.write("a.org", fmt.Sprintf("* One\nchanged %d times\n", i))
	}
	text := bundled(t, t.Context(), a.m)
	read := func(r io.Reader) error {
		to := (&storetest.InMemory{}).Open()
		_, err := place.ReadBundle(t.Context(), r, func(place.Scope) (store.Store, error) { return to, nil })
		return err
	}
	if err := read(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	for i := range text {
		changed := bytes.Clone(text)
		changed[i] ^= 1 << (i % 8)
		if where, ok := errors.AsType[*place.Error](read(bytes.NewReader(changed))); !ok || where.Block > 1 && where.Offset > int64(i) {
			t.Fatalf("byte %d changed: %v", i, where)
		}
		if _, ok := errors.AsType[*place.Error](read(bytes.NewReader(text[:i]))); !ok {
			t.Fatalf("cut at %d: no error that says where", i)
		}
	}
	if err := read(bytes.NewReader(append(bytes.Clone(text), text[len(text)-80:]...))); err == nil {
		t.Error("a bundle that goes on behind its end is read")
	}
	if err := read(bytes.NewReader([]byte("#.(run-program \"rm\")"))); !errors.Is(err, place.ErrStream) && !errors.Is(err, place.ErrTooLarge) {
		t.Errorf("a Lisp image: %v", err)
	}
}
