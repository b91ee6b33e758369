// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/merkle"
)

func digest(i int) merkle.Digest { return merkle.Sum([]byte{byte(i)}) }

// headOf is a head with two packs.
func headOf() Head {
	piece := func(text string) Piece { return Piece{tagOf([]byte(text)), uint64(len(text))} }
	return Head{
		Manifest: Manifest{
			Memex: digest(1), Scopes: []End{{"memex", 3, digest(2), digest(3)}},
			Packs: []Pack{
				{Series: "0123456789ab-0123456789abcdef", Pieces: []Piece{piece("one"), piece("two")}, Size: 6, Scopes: []Span{{Scope: "memex", Seq: 2, Head: digest(5)}}},
				{Series: "0123456789ab-fedcba9876543210", Pieces: []Piece{piece("three")}, Size: 5,
					Scopes: []Span{{Scope: "memex", SinceSeq: 2, Seq: 3, Head: digest(2)}}},
			},
		},
		Format: HeadFormat, Machine: "laptop.0123456789ab", Count: 7, Time: time.Date(2026, 11, 28, 1, 2, 3, 4e6, time.UTC), Nonce: "00", Signed: "signed",
	}
}

// TestHead: only a written head can be read.
func TestHead(t *testing.T) {
	want := headOf()
	data := want.Encode()
	got, err := DecodeHead(data)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := errors.Join(merkle.Check(data), got.check(digest(1), "laptop.0123456789ab")); err != nil {
		t.Error(err)
	}
	again, err := DecodeHead(want.Object())
	if diff := cmp.Diff(want, again); err != nil || diff != "" {
		t.Errorf("%v (-want +got of the object):\n%s", err, diff)
	}
	for _, whole := range [][]byte{data, want.Object()} {
		for i := range whole {
			if _, err := DecodeHead(whole[:i]); !errors.Is(err, ErrFormat) {
				t.Fatalf("cut at %d: %v", i, err)
			}
		}
	}
	var bomb bytes.Buffer
	w := zlib.NewWriter(&bomb)
	_, err = w.Write(make([]byte, 64<<20))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	refusedSoon(t, "zeros", bomb.Bytes(), ErrFormat, func(data []byte) error {
		_, err := DecodeHead(data)
		return err
	})
	for name, change := range map[string]func(*Head){
		"a pack of other machines": func(h *Head) { h.Packs[0].Series = "ba9876543210-0123456789abcdef" },
		"a piece without bytes":    func(h *Head) { h.Packs[0].Pieces[0].Size = 0 },
		"a piece of a short name":  func(h *Head) { h.Packs[0].Pieces[0].Name = "00" },
		"a piece that is too long": func(h *Head) { h.Packs[0].Pieces[0].Size = MaxObject + 1 },
		"another machine":          func(h *Head) { h.Machine = "other.0123456789ab" },
		"another end":              func(h *Head) { h.Scopes[0].Seq = 4 },
		"an empty pack":            func(h *Head) { h.Packs[1].Size = 0 },
		"no scopes":                func(h *Head) { h.Scopes = nil },
		"a count of none":          func(h *Head) { h.Count = 0 },
	} {
		h := headOf()
		change(&h)
		got, err := DecodeHead(h.Encode())
		if err == nil {
			err = got.check(digest(1), "laptop.0123456789ab")
		}
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHeadOfFormat1: heads that were JSON are read, and what is neither form is refused.
func TestHeadOfFormat1(t *testing.T) {
	const text = `{"fovea_head":1,"memex":"MEMEX","machine":"laptop.0123456789ab","count":7,"time":"2026-11-28T01:02:03.004Z",` +
		`"nonce":"00","signed":"signed","packs":[{"series":"0123456789ab-0123456789abcdef","pieces":[{"name":"NAME","size":3}],` +
		`"scopes":[{"scope":"memex","seq":2,"head":"HEAD"},{"scope":"project/x","since_seq":1,"since":"HEAD","seq":4,"head":"HEAD"}]}]}`
	data := []byte(strings.NewReplacer("MEMEX", digest(1).String(), "HEAD", digest(2).String(), "NAME", tagOf([]byte("one"))).Replace(text))
	want := headOf()
	want.Format, want.Scopes = 1, nil
	want.Packs = []Pack{{Series: "0123456789ab-0123456789abcdef", Pieces: []Piece{{tagOf([]byte("one")), 3}}, Size: 3,
		Scopes: []Span{{Scope: "memex", Seq: 2, Head: digest(2)}, {Scope: "project/x", SinceSeq: 1, Seq: 4, Head: digest(2)}}}}
	got, err := DecodeHead(data)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := got.check(digest(1), "laptop.0123456789ab"); err != nil {
		t.Error(err)
	}
	later := strings.NewReplacer(`"count"`, `"sealed":true,"states":["HEAD"],"scopes":[{"scope":"project/y","seq":9}],"count"`,
		`"pieces"`, `"size":77,"list":"HEAD","pieces"`, `"scope":"memex",`, `"scope":"memex","end":{"Segment":7},`).Replace(string(data))
	got, err = DecodeHead([]byte(strings.ReplaceAll(later, "HEAD", digest(2).String())))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("fields that format 1 has not: %v (-want +got):\n%s", err, diff)
	}
	for _, other := range []string{"", "{", "{}", "[]", `{"fovea_head":2}`, `{"fovea_head":3,"fovea_log":4}`, string(data) + "x"} {
		if _, err := DecodeHead([]byte(other)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", other, err)
		}
	}
}

// TestHeadIsNotWritten: a head that the others would refuse is not put on the place.
func TestHeadIsNotWritten(t *testing.T) {
	h := headOf()
	h.Packs[0].Size = 0
	to := faultfs.New()
	r := &Remote{Place: FolderIn(to), Memex: h.Memex, Machine: h.Machine, State: faultfs.New()}
	p := pushing{r: r, ctx: t.Context(), known: &pushed{Machine: h.Machine}}
	if err := p.replace(written{Head: h}); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if names, err := r.Place.List(t.Context(), HeadFolder); err != nil || len(names) > 0 {
		t.Errorf("%q are there, %v", names, err)
	}
	if err := p.replace(written{Head: headOf()}); err != nil {
		t.Error(err)
	}
}

// deaf is a place that carries requests out and loses the answer.
type deaf struct{ Place }

var errDeaf = errors.New("no answer")

func (d deaf) Put(ctx context.Context, name, tag string, data []byte) error {
	return errors.Join(d.Place.Put(ctx, name, tag, data), errDeaf)
}

// TestHeadWithoutAnswer: a head that is on the place counts as written, though no answer came.
func TestHeadWithoutAnswer(t *testing.T) {
	h := headOf()
	r := &Remote{Place: deaf{FolderIn(faultfs.New())}, Memex: h.Memex, Machine: h.Machine, State: faultfs.New()}
	p := pushing{r: r, ctx: t.Context(), known: &pushed{Machine: h.Machine}}
	if err := p.replace(written{Head: h}); err != nil || len(p.known.Unsure) > 0 {
		t.Errorf("%v, %d versions are unsure", err, len(p.known.Unsure))
	}
}

// TestHeadWithoutSizes: the state folder may have a head whose packs have no size yet.
func TestHeadWithoutSizes(t *testing.T) {
	want := headOf()
	h := headOf()
	h.Packs[0].Size, h.Packs[1].Size = 0, 0
	data, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var got Head
	err = json.Unmarshal(data, &got)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestListsAreBounded: of a list that is longer than its form allows, nothing is read.
func TestListsAreBounded(t *testing.T) {
	const many = 100_000
	for name, change := range map[string]func(*Head){
		"packs":           func(h *Head) { h.Packs = make([]Pack, many) },
		"pieces":          func(h *Head) { h.Packs[0].Pieces = make([]Piece, many) },
		"scopes":          func(h *Head) { h.Scopes = make([]End, many) },
		"scopes of packs": func(h *Head) { h.Packs[0].Scopes = make([]Span, many) },
	} {
		h := headOf()
		change(&h)
		refusedSoon(t, name, h.Encode(), ErrFormat, func(data []byte) error {
			_, err := DecodeHead(data)
			return err
		})
	}
	body := Manifest{Scopes: headOf().Scopes, Packs: make([]Pack, many)}
	refusedSoon(t, "packs of a body", body.Body(), ErrFormat, (&Manifest{Packs: make([]Pack, 1)}).ReadBody)
	refusedSoon(t, "scopes of a bundle", merkle.Encode((&Header{Scopes: make([]Scope, many)}).code), ErrTooLarge, func(data []byte) error {
		_, err := decodeHeader(data)
		return err
	})
}

// refusedSoon requires that data is refused by a few steps.
func refusedSoon(t *testing.T, name string, data []byte, want error, read func(data []byte) error) {
	t.Helper()
	if err := read(data); !errors.Is(err, want) {
		t.Errorf("%s: %v", name, err)
	}
	if n := testing.AllocsPerRun(1, func() { _ = read(data) }); n > 200 {
		t.Errorf("%s: %v allocations", name, n)
	}
}

// FuzzDecodeHead: an accepted head has one form before it is compressed.
func FuzzDecodeHead(f *testing.F) {
	h := headOf()
	f.Add(h.Encode())
	f.Add(h.Object())
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := DecodeHead(data)
		if err != nil || h.Format == 1 || h.check(h.Memex, h.Machine) != nil {
			return
		}
		if again := h.Encode(); !bytes.Equal(again, data) && data[0] != zlibMark {
			t.Errorf("%x became %x", data, again)
		}
	})
}
