// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// Pushed is the result of a push.
type Pushed struct {
	Bytes   int64 // written, 0 if there was nothing new
	Commits uint64
	Joined  bool // packs were joined, or all was written again
}

// maxTries is the number of attempts of an operation if a log changes meanwhile.
const maxTries = 3

// Push appends the commits since the last push to this machine's log. The next push
// repairs what an error left undone. Errors: those of the place, of the stores, ErrFormat, ErrAway, ErrOther, ErrReplaced.
func (r *Remote) Push(ctx context.Context, sources []Source) (done Pushed, err error) {
	if err = r.same(ctx); err == nil {
		done, err = r.push(ctx, sources)
	}
	for range maxTries - 1 { // another copy of this memory was faster, or an earlier write arrived late
		if errors.Is(err, ErrChanged) {
			done, err = r.push(ctx, sources)
		}
	}
	if err != nil {
		err = fmt.Errorf("push: %w", err)
	}
	return done, err
}

func (r *Remote) push(ctx context.Context, sources []Source) (Pushed, error) {
	var known pushed
	if err := vfs.ReadJSON(r.State, pushedFile, &known); err != nil {
		return Pushed{}, err
	}
	if known.Machine == "" {
		known.Machine = r.Machine
	}
	r.Machine = known.Machine
	tag, isKept, err := r.settle(ctx, &known)
	if err != nil {
		return Pushed{}, err
	}
	p := pushing{r: r, ctx: ctx, known: &known, tag: tag}
	if !isKept { // otherwise nothing has failed there since the last look
		if err := p.look(); err != nil {
			return Pushed{}, err
		}
	}
	return p.run(sources)
}

// pushing is one push.
type pushing struct {
	r      *Remote
	ctx    context.Context
	known  *pushed
	tag    string
	litter []string // pieces of this machine at the start that its log does not name
	lacks  bool     // a piece that its log names is missing
	before Head     // the replaced version
}

// look compares the log with the pieces on the place.
func (p *pushing) look() error {
	there, err := p.r.Place.List(p.ctx, packFolder+ownPieces(p.known.Machine))
	if err != nil {
		return err
	}
	named := map[string]bool{}
	p.known.Head.names(named)
	for _, name := range there {
		if !named[name] {
			p.litter = append(p.litter, name)
		}
		delete(named, name)
	}
	for name := range named { // a list can lag; a piece that is there after all proves that
		_, _, err := p.r.Place.Get(p.ctx, name)
		if p.lacks = errors.Is(err, ErrNone); err != nil && !p.lacks {
			return err
		}
		break
	}
	return nil
}

func (p *pushing) run(sources []Source) (Pushed, error) {
	gone, err := Without(sources)
	if err != nil {
		return Pushed{}, err
	}
	had := p.known.Head.Packs
	keep := Keep(had, MaxPacks, MaxPacks/2)
	if gone > p.known.Gone || p.lacks { // remove blocks there that were purged here
		keep = 0
	}
	packs := had[:keep:keep]
	news, err := News(p.ctx, sources, had, keep)
	if err != nil {
		return Pushed{}, err
	}
	signed, err := signNote(p.r.Signer, p.known.Head.signedText())
	if err != nil || len(news) == 0 && len(p.litter) == 0 && signed == p.known.Head.Signed {
		return Pushed{}, err
	}
	done := Pushed{Joined: keep < len(had)}
	if len(news) > 0 {
		pack, err := p.write(news)
		if err != nil {
			return Pushed{}, err
		}
		done.Bytes, packs = int64(pack.Size), append(packs, pack)
		for _, s := range news {
			done.Commits += s.Seq - s.SinceSeq
		}
	}
	next := written{Gone: gone, Head: Head{Manifest: ManifestOf(sources, p.r.Key != nil), Format: HeadFormat, Machine: p.known.Machine,
		Count: p.known.count() + 1, Time: p.r.Now().UTC(), Nonce: random(8)}}
	next.Head.Packs = packs
	if err := p.replace(next); err != nil {
		return Pushed{}, err
	}
	return done, p.drop(p.litterOf(next.Head))
}

// litterOf returns the pieces from before that the present head does not name. No other head can
// name one: each machine names only its own pieces, and another copy of this machine, with the same
// name, cannot replace a head that it has not read.
func (p *pushing) litterOf(h Head) (names []string) {
	all, named := map[string]bool{}, map[string]bool{}
	for _, name := range p.litter {
		all[name] = true
	}
	p.before.names(all)
	h.names(named)
	for name := range all {
		if !named[name] && strings.HasPrefix(name, packFolder+ownPieces(h.Machine)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// write writes a pack. After an error no head names its pieces, and the next push continues or
// removes them.
func (p *pushing) write(sources []Source) (Pack, error) {
	if p.known.Series == "" {
		p.known.Series = ownPieces(p.known.Machine) + random(8)
		if err := vfs.WriteJSON(p.r.State, pushedFile, p.known); err != nil {
			return Pack{}, err
		}
	}
	out := &pieces{ctx: p.ctx, to: p.r.Place, pack: PackOf(sources)}
	out.pack.Series = p.known.Series
	err := WritePieces(p.ctx, sources, recipientsOf(p.r.newest), PieceSize, out.put)
	if errors.Is(err, ErrChanged) { // another copy of this machine writes the same, or damage cannot be repaired
		p.known.Series = ""
		err = errors.Join(err, vfs.WriteJSON(p.r.State, pushedFile, p.known))
	}
	return out.pack, err
}

// replace writes a version of the log. Without an answer it reads back what is there.
func (p *pushing) replace(next written) error {
	signed, signErr := signNote(p.r.Signer, next.Head.signedText())
	next.Head.Signed = signed
	text := next.Head.Object()
	seen, err := DecodeHead(text)
	if err == nil {
		err = seen.check(p.r.Memex, p.known.Machine) // never write a head that others would reject
	}
	data, sealErr := SealBytes(text, recipientsOf(p.r.newest)...)
	if err := errors.Join(err, signErr, sealErr); err != nil {
		return err
	}
	next.Sum = tagOf(data)
	p.known.unsure(next)
	if err := vfs.WriteJSON(p.r.State, pushedFile, p.known); err != nil {
		return err
	}
	p.before = p.known.Head
	name := HeadFolder + p.known.Machine
	if err := p.r.Place.Put(p.ctx, name, p.tag, data); err != nil {
		there, _, again := p.r.Place.Get(p.ctx, name)
		if again != nil || tagOf(there) != next.Sum {
			return err
		}
	}
	return p.known.now(next, p.r)
}

func (p *pushing) drop(names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, p.r.Place.Remove(p.ctx, name))
	}
	return errors.Join(errs...)
}

// MachineOf returns the name under which this machine writes to a remote: the one given, until its first push.
func MachineOf(state vfs.FS, remote, before string) string {
	var own pushed
	_ = vfs.ReadJSON(state, Folder+"/"+remote+"/"+pushedFile, &own) // a push reports an error of reading it
	return cmp.Or(own.Machine, before)
}

// Behind returns how many commits of the histories this machine's log lacks, by the local record.
// It sends no request.
func (r *Remote) Behind(heads map[string]uint64) (uint64, error) {
	var known pushed
	err := vfs.ReadJSON(r.State, pushedFile, &known)
	n := uint64(0)
	for scope, seq := range heads {
		last, _ := At(known.Head.Packs, scope)
		n += seq - min(seq, last.Seq)
	}
	return n, err
}
