// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Format is the format number of doc/format/ipfs.md.
const Format = 1

// Limits of doc/format/ipfs.md.
const (
	// MaxPacks is how many packs an archive names at most; from half of it on a push joins some.
	MaxPacks = 64
	// MaxSize bounds the bytes of a pack.
	MaxSize = 1 << 36
	// MaxPieces bounds the pieces of a pack.
	MaxPieces = 1 << 24
	// PieceSize is the size of the pieces of a sealed pack, in bytes.
	PieceSize = 1 << 20
	// ListLinks is how many links a list of pieces has at most.
	ListLinks = 1024
)

// kindArchive is what a manifest says that it is.
const kindArchive = "archive"

// Manifest says what an archive holds.
type Manifest struct {
	Sealed bool          `json:"sealed"`
	Memex  merkle.Digest `json:"memex"` // the first commit: which memory it is
	Scopes []Head        `json:"scopes"`
	Packs  []Pack        `json:"packs"` // in the order in which they are read
	// States are lists of the other blocks that the newest states have; a sealed archive has none.
	States []merkle.Digest `json:"states,omitempty"`
}

// Head is where the history of a scope ends.
type Head struct {
	Scope string        `json:"scope"`
	Seq   uint64        `json:"seq"`
	Head  merkle.Digest `json:"head"`
	Root  merkle.Digest `json:"root"`
}

// Pack is a bundle in pieces.
type Pack struct {
	List   merkle.Digest `json:"list"` // of its pieces
	Size   uint64        `json:"size"` // bytes of all pieces
	Scopes []Span        `json:"scopes"`
}

// Span says which commits of a scope a pack brings.
type Span struct {
	Scope    string        `json:"scope"`
	SinceSeq uint64        `json:"since_seq,omitempty"`
	Seq      uint64        `json:"seq"`
	Head     merkle.Digest `json:"head"`
	// End is where its last batch ends in the store of this machine; no manifest has it.
	End store.Pos `json:"end,omitzero"`
}

// roots are those of the bundle of a pack.
func (p Pack) roots() (roots []merkle.Digest) {
	for _, s := range p.Scopes {
		if !slices.Contains(roots, s.Head) {
			roots = append(roots, s.Head)
		}
	}
	return roots
}

// at returns where packs leave a scope.
func at(packs []Pack, scope string) (s Span, ok bool) {
	for _, p := range packs {
		for _, span := range p.Scopes {
			if span.Scope == scope {
				s, ok = span, true
			}
		}
	}
	return s, ok
}

// body is what a seal hides: all but the links that the daemon follows.
func (m *Manifest) body() []byte {
	b := merkle.AppendLink(merkle.AppendList(nil, 3), m.Memex)
	b = merkle.AppendList(b, len(m.Scopes))
	for _, s := range m.Scopes {
		b = merkle.AppendUint(merkle.AppendText(merkle.AppendList(b, 4), s.Scope), s.Seq)
		b = merkle.AppendLink(merkle.AppendLink(b, s.Head), s.Root)
	}
	b = merkle.AppendList(b, len(m.Packs))
	for _, p := range m.Packs {
		b = merkle.AppendUint(merkle.AppendList(b, 2), p.Size)
		b = merkle.AppendList(b, len(p.Scopes))
		for _, s := range p.Scopes {
			b = merkle.AppendUint(merkle.AppendText(merkle.AppendList(b, 4), s.Scope), s.SinceSeq)
			b = merkle.AppendLink(merkle.AppendUint(b, s.Seq), s.Head)
		}
	}
	return b
}

// encode returns the block of a manifest, its body sealed for those whom the archive is for.
func (m *Manifest) encode(to []place.Recipient) ([]byte, error) {
	body := m.body()
	if m.Sealed {
		var err error
		if body, err = place.SealBytes(body, to...); err != nil {
			return nil, err
		}
	}
	b := merkle.AppendUint(merkle.AppendText(merkle.AppendMap(nil, 6), "f"), Format)
	b = merkle.AppendBytes(merkle.AppendText(b, "body"), body)
	b = merkle.AppendText(merkle.AppendText(b, "fovea"), kindArchive)
	b = merkle.AppendList(merkle.AppendText(b, "packs"), len(m.Packs))
	for _, p := range m.Packs {
		b = merkle.AppendLink(b, p.List)
	}
	b = merkle.AppendBool(merkle.AppendText(b, "sealed"), m.Sealed)
	b = merkle.AppendList(merkle.AppendText(b, "states"), len(m.States))
	for _, d := range m.States {
		b = merkle.AppendLink(b, d)
	}
	return b, nil
}

// outer is a manifest whose body is not open yet.
type outer struct {
	Manifest
	body []byte
}

// isManifest reports whether a block says that it is a manifest.
func isManifest(block []byte) bool {
	r := merkle.NewReader(block)
	r.FixedMap(6)
	r.Key("f")
	r.Uint()
	r.Key("body")
	r.Bytes()
	r.Key("fovea")
	return r.Text() == kindArchive && r.Err() == nil
}

// decodeOuter reads the block of a manifest.
func decodeOuter(block []byte) (o outer, err error) {
	r := merkle.NewReader(block)
	r.FixedMap(6)
	r.Key("f")
	format := r.Uint()
	r.Key("body")
	o.body = r.Bytes()
	r.Key("fovea")
	kind := r.Text()
	r.Key("packs")
	for n := r.List(); len(o.Packs) < n && r.Err() == nil; {
		o.Packs = append(o.Packs, Pack{List: r.Link()})
	}
	r.Key("sealed")
	o.Sealed = r.Bool()
	r.Key("states")
	for n := r.List(); len(o.States) < n && r.Err() == nil; {
		o.States = append(o.States, r.Link())
	}
	switch {
	case r.Done() != nil:
		return o, fmt.Errorf("manifest: %w: %w", ErrOther, r.Err())
	case format != Format || kind != kindArchive:
		return o, fmt.Errorf("manifest: format %d: %w", format, ErrOther)
	case len(o.Packs) == 0 || len(o.Packs) > MaxPacks || len(o.States) > MaxPacks:
		return o, fmt.Errorf("manifest: %d packs: %w", len(o.Packs), ErrOther)
	}
	return o, nil
}

// open reads the body, with a key if it is sealed.
func (o *outer) open(key place.Identity) (Manifest, error) {
	body := o.body
	if o.Sealed {
		if key == nil {
			return o.Manifest, place.ErrNoKey
		}
		in, err := place.Unseal(bytes.NewReader(body), key)
		if err == nil {
			body, err = io.ReadAll(io.LimitReader(in, place.MaxBlock))
		}
		if err != nil {
			return o.Manifest, err
		}
	}
	m := o.Manifest
	if err := m.decodeBody(body); err != nil {
		return m, err
	}
	return m, m.check()
}

func (m *Manifest) decodeBody(body []byte) error {
	r := merkle.NewReader(body)
	r.FixedList(3)
	m.Memex = r.Link()
	for n := r.List(); len(m.Scopes) < n && r.Err() == nil; {
		r.FixedList(4)
		m.Scopes = append(m.Scopes, Head{r.Text(), r.Uint(), r.Link(), r.Link()})
	}
	packs := r.List()
	for i := 0; i < packs && i < len(m.Packs) && r.Err() == nil; i++ {
		p := &m.Packs[i]
		r.FixedList(2)
		p.Size = r.Uint()
		for n := r.List(); len(p.Scopes) < n && r.Err() == nil; {
			r.FixedList(4)
			p.Scopes = append(p.Scopes, Span{Scope: r.Text(), SinceSeq: r.Uint(), Seq: r.Uint(), Head: r.Link()})
		}
	}
	if err := r.Done(); err != nil || packs != len(m.Packs) {
		return fmt.Errorf("manifest: its body: %w", ErrOther)
	}
	return nil
}

// check refuses what no version of Fovea has written.
func (m *Manifest) check() error {
	if len(m.Scopes) == 0 || len(m.Scopes) > place.MaxScopes {
		return fmt.Errorf("manifest: %d scopes: %w", len(m.Scopes), ErrOther)
	}
	for _, p := range m.Packs {
		if p.Size == 0 || p.Size > MaxSize || len(p.Scopes) == 0 || len(p.Scopes) > place.MaxScopes {
			return fmt.Errorf("manifest: a pack of %d bytes and %d scopes: %w", p.Size, len(p.Scopes), ErrOther)
		}
	}
	for _, s := range m.Scopes {
		if last, ok := at(m.Packs, s.Scope); !ok || last.Head != s.Head || last.Seq != s.Seq {
			return fmt.Errorf("manifest: its packs do not end with commit %d of %s: %w", s.Seq, s.Scope, ErrOther)
		}
	}
	return nil
}
