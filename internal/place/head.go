// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"sync"
	"time"

	"filippo.io/age"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// Names of objects, see doc/format/remote.md.
const (
	markerName = "fovea.json"
	keyName    = "key.age"
	HeadFolder = "heads/"
	packFolder = "packs/"
)

// Limits of doc/format/remote.md.
const (
	// PieceSize is the size of the pieces that a pack is cut into, in bytes.
	PieceSize = 8 << 20
	// MaxPacks is how many packs a head names at most; a push joins some before that.
	MaxPacks = 32
	// MaxSize bounds the bytes of a pack.
	MaxSize = 1 << 36
	// MaxPieces is how many pieces a pack has at most.
	MaxPieces = 1 << 14
	maxHead   = 8 << 20
)

// Format is the format number of doc/format/remote.md, in the marker; HeadFormat is the one of heads.
// Those of format 1 are JSON.
const Format, HeadFormat = 1, 2

// Marker names the memory that a place is for.
type Marker struct {
	Format int    `json:"fovea_remote"`
	Memex  string `json:"memex"` // the first commit
	Sealed bool   `json:"sealed"`
}

// Head is the log of one machine on a place.
type Head struct {
	Manifest
	Format  int       `json:"fovea_head"`
	Machine string    `json:"machine"`
	Count   uint64    `json:"count"` // one more each time
	Time    time.Time `json:"time"`
	Nonce   string    `json:"nonce"`            // makes the bytes of each version others
	Signed  string    `json:"signed,omitempty"` // all else, by the key of the machine
}

// object is the name of a piece on the place.
func (p Pack) object(piece Piece) string {
	return packFolder + p.Series + "-" + piece.Name
}

// names adds the objects of the packs of a head.
func (h *Head) names(to map[string]bool) {
	for _, p := range h.Packs {
		for _, piece := range p.Pieces {
			to[p.object(piece)] = true
		}
	}
}

// Piece is a part of a pack: its name is the SHA-256 of its bytes, and the end of its object's name.
type Piece struct {
	Name string `json:"name"`
	Size uint64 `json:"size"`
}

var seriesName = regexp.MustCompile(`^[0-9a-f]{12}-[0-9a-f]{16}$`)

// check refuses a head that no version of Fovea has written.
func (h *Head) check(memex merkle.Digest, machine string) error {
	switch {
	case h.Memex != memex:
		return ErrOther
	case h.Machine != machine || h.Count == 0 || len(h.Packs) > 4*MaxPacks:
		return ErrFormat
	}
	for _, p := range h.Packs {
		if len(p.Pieces) > MaxPieces || len(p.Scopes) > MaxScopes {
			return ErrFormat
		}
		if !seriesName.MatchString(p.Series) || !strings.HasPrefix(p.Series, ownPieces(machine)) {
			return fmt.Errorf("series %q: %w", p.Series, ErrFormat)
		}
		for _, piece := range p.Pieces {
			if sum, err := hex.DecodeString(piece.Name); err != nil || len(sum) != sha256.Size || piece.Size == 0 || piece.Size > MaxObject {
				return fmt.Errorf("piece %q: %w", piece.Name, ErrFormat)
			}
		}
	}
	return nil
}

// wordLog is the beginning of a head.
const wordLog = "fovea log"

// compressors keeps writers of zlib, since making one costs more than compressing a head.
var compressors = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// Object returns the object of a head, but for its seal. A head names the same scopes and series again and again: compressed,
// it has less than half the bytes.
func (h *Head) Object() []byte {
	var b bytes.Buffer
	w := compressors.Get().(*zlib.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	_, _ = w.Write(h.Encode()) // into memory
	_ = w.Close()
	return b.Bytes()
}

// Encode returns a head in the canonical encoding.
func (h *Head) Encode() []byte { return merkle.Encode(h.code) }

func (h *Head) code(c *merkle.Codec) {
	at, body := uint64(h.Time.UnixMilli()), h.Body()
	piece := func(p *Piece, c *merkle.Codec) { c.Record(&p.Name, &p.Size) }
	packs := merkle.ListTo(4*MaxPacks, &h.Packs, func(p *Pack, c *merkle.Codec) {
		c.Record(&p.Series, merkle.ListTo(MaxPieces, &p.Pieces, piece))
	})
	c.Record(wordLog, HeadFormat, &h.Machine, &h.Count, &at, &h.Nonce, &h.Signed, packs, &body)
	if c.In != nil && !c.Fail(nil) {
		h.Format, h.Time = HeadFormat, time.UnixMilli(int64(min(at, math.MaxInt64))).UTC()
		c.Fail(h.ReadBody(body))
	}
}

// zlibMark is the first byte of what zlib compressed; neither encoding of a head begins with it.
const zlibMark = 0x78

// DecodeHead reads what Object or Encode returned, or the JSON of format 1. Errors: ErrFormat.
func DecodeHead(data []byte) (h Head, err error) {
	if len(data) > 0 && data[0] == zlibMark {
		r, err := zlib.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(r, maxHead+1))
		}
		if err != nil {
			return h, fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	if len(data) > maxHead {
		return h, fmt.Errorf("%d bytes: %w", len(data), ErrFormat)
	}
	if len(data) > 0 && data[0] == '{' {
		if err = decodeJSON(data, &h); err == nil && h.Format != 1 {
			err = fmt.Errorf("format %d: %w", h.Format, ErrFormat)
		}
		return h, err
	}
	if err = merkle.Decode(data, h.code); err != nil {
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return h, err
}

// UnmarshalJSON reads a head from the state folder, and one of format 1: of that, nothing counts
// that this format had not, and its memex is empty where it was not written yet. Builds of before kept no
// size of a pack: it is the sum of its pieces.
func (h *Head) UnmarshalJSON(data []byte) error {
	type fields Head // without this method
	is := struct {
		*fields
		Memex string `json:"memex"` // instead of the one of the manifest
	}{fields: (*fields)(h)}
	err := json.Unmarshal(data, &is)
	if err == nil && is.Memex != "" {
		h.Memex, err = merkle.Parse(is.Memex)
	}
	if h.Format == 1 {
		h.Manifest = Manifest{Memex: h.Memex, Packs: h.Packs}
		for i, p := range h.Packs {
			h.Packs[i] = Pack{Series: p.Series, Pieces: p.Pieces, Scopes: p.Scopes}
			for j := range p.Scopes {
				p.Scopes[j].End = store.Pos{}
			}
		}
	}
	for i, p := range h.Packs {
		for _, piece := range p.Pieces {
			if p.Size == 0 {
				h.Packs[i].Size += piece.Size
			}
		}
	}
	return err
}

// decodeJSON reads JSON to its end.
func decodeJSON(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil
}

// seal encrypts an object for the key of the place; a plain place has none.
func seal(key *age.X25519Identity, data []byte) ([]byte, error) {
	return SealBytes(data, recipientsOf(key)...)
}

// recipientsOf returns for whom all is sealed on the place with a key.
func recipientsOf(key *age.X25519Identity) (to []Recipient) {
	if key != nil {
		to = append(to, key.Recipient())
	}
	return to
}

// open is the reverse of seal, by one of some keys. It refuses plain bytes on a sealed place.
func open(keys []Identity, data []byte) ([]byte, error) {
	if len(keys) > 0 {
		return OpenBytes(data, keys...)
	}
	if strings.HasPrefix(string(data), SealPrefix) {
		return nil, ErrLocked
	}
	return data, nil
}

// pieces writes the pieces of a stream as objects named by the digests of their bytes.
type pieces struct {
	ctx context.Context
	to  Place
	// pack has all pieces that were tried; one whose writing failed may still arrive.
	pack Pack
}

// put writes a piece. One that is there was written by an earlier attempt at the same push, and
// is replaced if it is damaged. It is never removed: a removal without an answer can
// arrive later, and remove something written after it.
func (p *pieces) put(data []byte) error {
	if len(p.pack.Pieces) >= MaxPieces {
		return fmt.Errorf("a pack of more than %d pieces: %w", MaxPieces, ErrTooLarge)
	}
	piece := Piece{tagOf(data), uint64(len(data))}
	p.pack.Pieces, p.pack.Size = append(p.pack.Pieces, piece), p.pack.Size+piece.Size
	name := p.pack.object(piece)
	err := p.to.Put(p.ctx, name, "", data)
	if err != nil { // no answer is not a failure, and one that is there may be this one
		there, tag, again := p.to.Get(p.ctx, name)
		switch {
		case again == nil && bytes.Equal(there, data):
			err = nil
		case again == nil && errors.Is(err, ErrChanged):
			err = p.to.Put(p.ctx, name, tag, data)
		}
	}
	return err
}

// stream returns the bundle of a pack, whose pieces are proved.
func (r *Remote) stream(ctx context.Context, p Pack) (io.Reader, error) {
	left := p.Pieces
	in := &Joined{Next: func() ([]byte, error) {
		if len(left) == 0 {
			return nil, io.EOF
		}
		piece, name := left[0], p.object(left[0])
		left = left[1:]
		data, _, err := r.Place.Get(ctx, name)
		if err == nil && (uint64(len(data)) != piece.Size || tagOf(data) != piece.Name) {
			err = fmt.Errorf("%s: %w", name, ErrDamaged)
		}
		return data, err
	}}
	if r.Key == nil {
		return in, nil
	}
	return Unseal(in, r.keys...)
}
