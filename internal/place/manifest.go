// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"fmt"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Manifest lists the packs of a memory on a place. A pack is a bundle, cut into pieces.
type Manifest struct {
	Sealed bool          `json:"sealed,omitempty"`
	Memex  merkle.Digest `json:"memex"` // the first commit, which identifies the memory
	Scopes []End         `json:"scopes,omitempty"`
	Packs  []Pack        `json:"packs"` // in the order in which they are read
	// States are lists of the blocks of the newest states that are in no pack. Only IPFS has them.
	States []merkle.Digest `json:"states,omitempty"`
}

// End is the newest commit of a scope.
type End struct {
	Scope string        `json:"scope"`
	Seq   uint64        `json:"seq"`
	Head  merkle.Digest `json:"head"`
	Root  merkle.Digest `json:"root"`
}

// Pack is a bundle, cut into pieces.
type Pack struct {
	// Series is the first part of the names of its pieces on a place: the digits of its machine and
	// those of the push that wrote them.
	Series string        `json:"series,omitempty"`
	Pieces []Piece       `json:"pieces,omitempty"`
	List   merkle.Digest `json:"list,omitzero"`  // of its pieces; only on IPFS
	Size   uint64        `json:"size,omitempty"` // bytes of all pieces
	Scopes []Span        `json:"scopes"`
}

// Span is the range of a scope's commits in a pack.
type Span struct {
	Scope    string        `json:"scope"`
	SinceSeq uint64        `json:"since_seq,omitempty"`
	Seq      uint64        `json:"seq"`
	Head     merkle.Digest `json:"head"`
	// End is the end of its last batch in this machine's store. No manifest contains it.
	End store.Pos `json:"end,omitzero"`
}

// ManifestOf returns the manifest of some histories, without packs.
func ManifestOf(sources []Source, sealed bool) Manifest {
	m := Manifest{Sealed: sealed, Memex: sources[0].First}
	for _, s := range sources {
		m.Scopes = append(m.Scopes, End{s.Name, s.Seq, s.Head, s.Root})
	}
	return m
}

// PackOf returns a pack of some sources, without its pieces.
func PackOf(sources []Source) (p Pack) {
	for _, s := range sources {
		p.Scopes = append(p.Scopes, Span{s.Name, s.SinceSeq, s.Seq, s.Head, s.End})
	}
	return p
}

// At returns the last span of a scope in packs.
func At(packs []Pack, scope string) (s Span, ok bool) {
	for _, p := range packs {
		for _, span := range p.Scopes {
			if span.Scope == scope {
				s, ok = span, true
			}
		}
	}
	return s, ok
}

// Keep returns how many packs stay unchanged. If there are fewer than some, all stay. Otherwise those
// stay that are larger than all later ones together, up to most. The rest is joined, so that each
// record is written O(log history) times.
func Keep(packs []Pack, some, most int) int {
	if len(packs) < some {
		return len(packs)
	}
	keep, behind := len(packs), uint64(0)
	for i := len(packs) - 1; i >= 0; i-- {
		if packs[i].Size <= behind {
			keep = i
		}
		behind += packs[i].Size
	}
	return min(keep, most)
}

// News returns the sources with commits that the first stay packs lack, cut to those commits.
func News(ctx context.Context, sources []Source, packs []Pack, stay int) (news []Source, err error) {
	for _, s := range sources {
		last, there := At(packs[:stay], s.Name)
		if there && stay == len(packs) && last.End == s.End {
			continue
		}
		if there {
			if err := s.GoOn(ctx, last.Head); err != nil {
				return nil, err
			}
			s.From = last.End
		}
		news = append(news, s)
	}
	return news, nil
}

// Without returns the number of purged blocks of some histories, which a purge raises.
func Without(sources []Source) (n int, err error) {
	for _, s := range sources {
		gone, err := s.Store.Gone()
		if err != nil {
			return 0, err
		}
		n += len(gone)
	}
	return n, nil
}

// Body returns the encoding of a manifest without the pieces of its packs.
func (m *Manifest) Body() []byte { return merkle.Encode(m.body) }

func (m *Manifest) body(c *merkle.Codec) {
	ends := merkle.ListTo(MaxScopes, &m.Scopes, func(s *End, c *merkle.Codec) { c.Record(&s.Scope, &s.Seq, &s.Head, &s.Root) })
	span := func(s *Span, c *merkle.Codec) { c.Record(&s.Scope, &s.SinceSeq, &s.Seq, &s.Head) }
	c.Record(&m.Memex, ends, func(c *merkle.Codec) {
		c.Fixed(len(m.Packs))
		for i := range m.Packs {
			c.Record(&m.Packs[i].Size, merkle.ListTo(MaxScopes, &m.Packs[i].Scopes, span))
		}
	})
}

// ReadBody decodes what Body returned into a manifest that has its packs. Errors: ErrFormat for a body
// that no version of Fovea has written.
func (m *Manifest) ReadBody(body []byte) error {
	if err := merkle.Decode(body, m.body); err != nil {
		return fmt.Errorf("manifest: its body: %w: %w", ErrFormat, err)
	}
	return m.check()
}

func (m *Manifest) check() error {
	if len(m.Scopes) == 0 || len(m.Scopes) > MaxScopes {
		return fmt.Errorf("manifest: %d scopes: %w", len(m.Scopes), ErrFormat)
	}
	for _, p := range m.Packs {
		if p.Size == 0 || p.Size > MaxSize || len(p.Scopes) == 0 || len(p.Scopes) > MaxScopes {
			return fmt.Errorf("manifest: a pack of %d bytes and %d scopes: %w", p.Size, len(p.Scopes), ErrFormat)
		}
	}
	for _, s := range m.Scopes {
		if last, ok := At(m.Packs, s.Scope); !ok || last.Head != s.Head || last.Seq != s.Seq {
			return fmt.Errorf("manifest: its packs do not end with commit %d of %s: %w", s.Seq, s.Scope, ErrFormat)
		}
	}
	return nil
}

// Roots returns the roots of the pack's bundle.
func (p Pack) Roots() []merkle.Digest {
	return distinct(p.Scopes, func(s Span) merkle.Digest { return s.Head })
}
