// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// knownFile in the state folder describes the known content of the daemon.
const knownFile = "ipfs.json"

// known is the newest archive of this memory on the daemon.
type known struct {
	Address  string         `json:"address"`
	CID      merkle.Digest  `json:"cid,omitzero"` // of the manifest
	Manifest place.Manifest `json:"manifest"`
	Lists    lists          `json:"lists,omitzero"` // of its states
	Gone     int            `json:"gone"`           // number of purged blocks of the histories
	For      []string       `json:"for,omitempty"`  // recipients of the seal
	// States are the scopes whose newest state is there completely.
	States []string `json:"states,omitempty"`
	// Pending may be pinned: a push was interrupted.
	Pending merkle.Digest `json:"pending,omitzero"`
}

// Job is the input of a push to a daemon.
type Job struct {
	Client *Client
	// State is the folder that records the daemon's content.
	State vfs.FS
	// Sources are the histories with their states, the memex first.
	Sources []place.Source
	// To are the recipients of the seal; without any the archive is plain.
	To []place.Recipient
}

// Sent is the result of a push to a daemon.
type Sent struct {
	// CID is the CID to share: that of the newest commit, for a sealed archive that of the archive.
	CID merkle.Digest
	// Archive is the manifest, from which all histories can be read.
	Archive merkle.Digest
	Root    merkle.Digest // of the first source's state
	Carried
	// Stateless are scopes whose newest state lacks content: only the packs have them.
	Stateless []string
}

// Carried is how much was sent.
type Carried struct {
	Sealed  bool   `json:"sealed" jsonschema:"whether a key opens it"`
	Bytes   int64  `json:"-"` // 0 if there was nothing new
	Commits uint64 `json:"-"` // number of new commits
}

// Push writes histories to a daemon: what is new since the last push, or everything if the daemon no
// longer has that. After an error the previous archive is still pinned, and the next push repairs
// what is missing. Errors: place.ErrNothing, those of the stores, of Client.Import and
// Client.Pin.
func Push(ctx context.Context, job *Job) (Sent, error) {
	if len(job.Sources) == 0 {
		return Sent{}, place.ErrNothing
	}
	var k known
	if vfs.ReadJSON(job.State, knownFile, &k) != nil {
		k = known{} // send everything again
	}
	p := &pushing{Job: job, ctx: ctx, known: k, done: map[merkle.Digest]bool{}}
	sent, err := p.run()
	if errors.Is(err, ErrDaemon) && !k.CID.IsZero() { // it may have lost blocks
		p = &pushing{Job: job, ctx: ctx, known: known{Pending: p.known.Pending}, done: map[merkle.Digest]bool{}}
		sent, err = p.run()
	}
	if err != nil {
		return Sent{}, err
	}
	return sent, nil
}

// pushing is one push.
type pushing struct {
	*Job
	ctx   context.Context
	known known
	out   *place.Writer
	done  map[merkle.Digest]bool // blocks in the pack, and written ones
	there map[merkle.Digest]bool // pieces of joined packs that the daemon has
	fresh []merkle.Digest        // written blocks that only states have
	anew  bool                   // write whole states
	next  known
	sent  Sent
}

func (p *pushing) run() (Sent, error) {
	kept, err := p.prepare()
	if err != nil {
		return Sent{}, err
	}
	news, err := place.News(p.ctx, p.Sources, p.known.Manifest.Packs, len(kept))
	if err == nil {
		err = p.joined(p.known.Manifest.Packs[len(kept):])
	}
	if err != nil {
		return Sent{}, err
	}
	if len(news) == 0 {
		if there, err := p.Client.Pinned(p.ctx, p.known.CID); there || err != nil {
			p.next.CID, p.next.Manifest = p.known.CID, p.known.Manifest // nothing is saved
			return p.outcome(), err
		}
		return Sent{}, fmt.Errorf("%w: the previous archive is gone", ErrDaemon)
	}
	err = p.Client.Import(p.ctx, func(w io.Writer) (int, error) {
		err := p.write(w, kept, news)
		if err != nil {
			return 0, err
		}
		return p.out.Blocks(), nil
	})
	if err == nil {
		err = p.pin()
	}
	if p.out != nil { // the daemon took something
		p.sent.Bytes = p.out.Size()
	}
	return p.outcome(), err
}

// outcome returns the result of the push.
func (p *pushing) outcome() Sent {
	s := p.sent
	s.Archive, s.Sealed, s.Root = p.next.CID, p.next.Manifest.Sealed, p.Sources[0].Root
	if s.CID = p.Sources[0].Head; s.Sealed {
		s.CID = s.Archive
	}
	return s
}

// prepare decides which packs stay, and removes the pin of an interrupted push.
func (p *pushing) prepare() ([]place.Pack, error) {
	if d := p.known.Pending; !d.IsZero() && d != p.known.CID {
		if err := p.Client.Unpin(p.ctx, d); err != nil {
			return nil, err
		}
	}
	gone, err := place.Without(p.Sources)
	if err != nil {
		return nil, err
	}
	p.next = known{Address: p.Client.Address(), Gone: gone, For: namesOf(p.To), Manifest: place.ManifestOf(p.Sources, len(p.To) > 0)}
	k := &p.known
	if gone > k.Gone || k.Address != p.next.Address || k.Manifest.Memex != p.next.Manifest.Memex || !slices.Equal(k.For, p.next.For) {
		p.known = known{Pending: k.Pending} // remove purged data, and data sealed for others
	}
	packs, some, most := p.known.Manifest.Packs, joinPlain, keepPlain
	if p.next.Manifest.Sealed {
		some, most = joinSealed, keepSealed
	}
	n := place.Keep(packs, some, most)
	return packs[:n:n], nil
}

// namesOf returns names of recipients. A recipient without a name gets a unique one.
func namesOf(to []place.Recipient) (names []string) {
	for _, r := range to {
		name, ok := r.(fmt.Stringer)
		if !ok {
			return []string{fmt.Sprintf("%p", r)}
		}
		names = append(names, name.String())
	}
	slices.Sort(names)
	return names
}

// write writes a pack, the states and the manifest as one archive.
func (p *pushing) write(w io.Writer, kept []place.Pack, news []place.Source) (err error) {
	if p.out, err = place.NewWriter(w, p.Sources[0].Head); err != nil {
		return err
	}
	m := &p.next.Manifest
	pack, err := p.pack(news)
	if err != nil {
		return err
	}
	m.Packs = append(kept, pack)
	if !m.Sealed {
		if err := p.states(); err != nil {
			return err
		}
	}
	block, err := encode(m, p.To)
	if err != nil {
		return err
	}
	if p.next.CID, err = p.out.Put(block); err != nil {
		return err
	}
	if err := p.announce(); err != nil {
		return err
	}
	return p.out.Close()
}

// announce records the new archive before the daemon can have it. An archive that was recorded before
// is not pending: its CID may have been published, so its pin stays.
func (p *pushing) announce() error {
	fresh, err := record(p.State, p.next.CID)
	if err != nil {
		return err
	}
	if fresh {
		p.known.Pending = p.next.CID
	} else if p.known.Pending != p.next.CID {
		p.known.Pending = merkle.Digest{}
	}
	return vfs.WriteJSON(p.State, knownFile, &p.known)
}

// pack writes the pieces of a bundle, and their list.
func (p *pushing) pack(sources []place.Source) (pack place.Pack, err error) {
	pack = place.PackOf(sources)
	for _, s := range sources {
		last, _ := place.At(p.known.Manifest.Packs, s.Name)
		p.sent.Commits += s.Seq - min(s.Seq, last.Seq)
	}
	var pieces []merkle.Digest
	took := func(d merkle.Digest, piece []byte) {
		pieces, pack.Size = append(pieces, d), pack.Size+uint64(len(piece))
	}
	if len(p.To) > 0 {
		err = place.WritePieces(p.ctx, sources, p.To, PieceSize, func(piece []byte) error {
			d, err := p.out.PutRaw(piece)
			took(d, piece)
			return err
		})
	} else { // each block is a piece
		err = place.WriteBlocks(p.ctx, sources, func(block []byte) (merkle.Digest, error) {
			d, err := merkle.Sum(block), error(nil)
			if !p.done[d] && !p.there[d] {
				_, err = p.out.Put(block)
			}
			p.done[d] = true
			took(d, block)
			return d, err
		})
	}
	if err == nil && len(pieces) > MaxPieces {
		err = fmt.Errorf("%d pieces: %w", len(pieces), place.ErrTooLarge)
	}
	if err == nil {
		pack.List, err = writeList(p.out, pieces)
	}
	return pack, err
}

// pin pins the archive and records it as the known one.
func (p *pushing) pin() error {
	if err := p.Client.Pin(p.ctx, p.next.CID, p.known.CID); err != nil {
		return err
	}
	return vfs.WriteJSON(p.State, knownFile, &p.next)
}
