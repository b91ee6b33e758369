// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Verify verifies the memory from its bytes and trusts no digest computed earlier. It
// replays the history from the start, hashes every block, and checks that each commit
// follows its parent, names only stored blocks, and leads to the versions and the root
// that it names. It checks packs against their tables, hashes the newest image and the
// present state again, and compares them with the result. checked counts commits, blocks
// and nodes. Verify writes nothing.
//
// Signed heads are checked against Options.Verifiers. Each of anchors is a text of one or
// more signed heads of the memex that was kept elsewhere (see SignedHead); the history must
// contain their commits.
//
// Verify includes the scopes of a memex; a problem in a scope begins with its name.
// Purge, Retain, Repair and Checkpoint cover one scope: call them on each.
//
// Problems of the kinds purged, thinned and lost are not damage: a commit records that
// the content is gone. All other kinds are. It reads the whole history, on two
// processors. Errors: Invalid (an anchor is not a signed head).
func (md *Mender) Verify(ctx context.Context, anchors ...string) (checked int, problems []document.Problem, err error) {
	var notes []string
	for _, text := range anchors {
		some, err := chain.SplitNotes(text)
		if err != nil {
			return 0, nil, fault.Wrap("verify", "anchor", fault.Invalid, err)
		}
		notes = append(notes, some...)
	}
	if err := md.scope.CheckKinds("verify"); err != nil {
		return 0, nil, err
	}
	checked, problems, err = md.verify(ctx, notes)
	if err != nil || md.scope.Parent != nil {
		return checked, problems, err
	}
	more, found, err := md.verifyScopes(ctx)
	return checked + more, append(problems, found...), err
}

// verify is Verify for one scope.
func (md *Mender) verify(ctx context.Context, notes []string) (checked int, problems []document.Problem, err error) {
	tx := md.scope.Chain.Begin()
	defer tx.End()
	at := md.scope.Chain.Head()
	if held := tx.LastStored(); held != nil {
		at = held
	}
	w := newVerifier(ctx, md, at.State.Len())
	var present presentState
	present.newest(md) // a second state, freed before the history takes memory
	var beside sync.WaitGroup
	beside.Go(func() { present.live(at.State) })
	err = w.history()
	beside.Wait()
	if ctx.Err() != nil {
		return 0, nil, fault.Wrap("verify", md.scope.StateDir, fault.Other, ctx.Err())
	}
	if w.head.Digest != at.Commit.Digest && err == nil {
		w.problem("head", "differs", fmt.Sprintf("memory is at commit %d, the journal ends at %d", at.Commit.Seq, w.head.Seq))
	} else if w.ledger.Root() != at.State.Root() && err == nil && at.Commit.Seq > 0 {
		w.problem("head", "differs", "the live state is not the one the journal leads to")
	}
	w.heads()
	w.anchors(notes)
	w.reportMissing()
	if img := present.image; img != nil && present.root != w.roots[img.Seq] && err == nil {
		w.problem("image", "differs", fmt.Sprintf("the image does not hold the state of commit %d", img.Seq))
	}
	w.problems = append(w.problems, present.problems...)
	return w.checked + present.checked, w.problems, nil
}

// verifier replays the history and collects problems.
type verifier struct {
	mender  *Mender
	ctx     context.Context
	ledger  graph.Ledger
	head    chain.Commit
	batch   uint64
	blocks  map[merkle.Digest][]byte // of the current batch: parts that a commit may be split into
	held    map[merkle.Digest]bool   // blocks read so far, by digest
	missing []missingBlock           // blocks named before they were read
	roots   map[uint64]merkle.Digest // by commit number
	kinds   map[uint64]string        // by commit number, of commits without changes
	checked int
	problems

	signatures signatures
}

func newVerifier(ctx context.Context, m *Mender, nodes int) *verifier {
	return &verifier{
		mender: m, ctx: ctx, blocks: map[merkle.Digest][]byte{}, held: make(map[merkle.Digest]bool, 2*nodes),
		roots: map[uint64]merkle.Digest{}, kinds: map[uint64]string{},
		signatures: signatures{wrong: map[string]*wrongHeads{}, chain: map[uint64]merkle.Digest{}},
	}
}

// missingBlock is a block that a commit names but no earlier record holds.
type missingBlock struct {
	block merkle.Digest
	seq   uint64
	id    string
}

// problems are the results of a verification.
type problems []document.Problem

func (p *problems) problem(where, kind, detail string) {
	*p = append(*p, document.Problem{Path: where, Kind: kind, Message: detail})
}

// history replays the journal and packs, then checks the tables of packs.
func (w *verifier) history() error {
	err := w.mender.scope.Chain.Store().Replay(store.Pos{}, w.record)
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	if err != nil && len(w.problems) == 0 && !errors.Is(err, store.ErrCorrupt) {
		w.problem("journal", "replay", err.Error())
	}
	reported := map[string]bool{}
	if err != nil || w.mender.scope.Chain.Store().Packed() {
		_, checkErr := w.mender.scope.Chain.Store().Check(w.ctx, func(c store.Corruption) {
			reported[c.File] = true
			w.problem(c.File, "corrupt", fmt.Sprintf("byte %d: %s", c.Offset, c.Reason))
		})
		err = cmp.Or(err, checkErr)
	}
	if c := w.mender.scope.Chain.Store().Recovery().Corrupt; c != nil && !reported[c.File] {
		w.problem("journal", "corrupt", fmt.Sprint(c))
	}
	return err
}

// byteString is the CBOR major type of a chunk.
const byteString = 2

func (w *verifier) record(r store.Record) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if r.Batch != w.batch {
		w.batch, w.blocks = r.Batch, map[merkle.Digest][]byte{}
	}
	switch r.Kind {
	case store.Block:
		w.checked++
		d := merkle.Sum(r.Data)
		w.held[d] = true
		if len(r.Data) > 0 && r.Data[0]>>5 == byteString {
			w.blocks[d] = slices.Clone(r.Data)
		}
		return w.links(r.Data)
	case store.Commit:
		return w.commit(r.Data)
	case store.Mark:
		w.mark(r.Data)
	}
	return nil
}

func (w *verifier) load(d merkle.Digest) ([]byte, error) {
	if b, ok := w.blocks[d]; ok {
		return b, nil
	}
	return w.mender.scope.Chain.Store().Block(d)
}

// links records the missing chunks of a block.
func (w *verifier) links(block []byte) error {
	_, err := node.Links(block, func(d merkle.Digest) ([]byte, error) {
		b, err := w.load(d)
		if !w.held[d] && err != nil {
			w.missing = append(w.missing, missingBlock{block: d, seq: w.head.Seq + 1})
		}
		return b, err
	})
	if errors.Is(err, store.ErrPurged) || errors.Is(err, store.ErrNotFound) {
		return nil // recorded in missing
	}
	return err
}

func (w *verifier) commit(block []byte) error {
	c, err := graph.DecodeCommit(block, w.load)
	if err == nil {
		err = chain.Follows(c, w.head)
	}
	if err == nil {
		err = w.ledger.Apply(c)
	}
	if err != nil {
		w.problem(fmt.Sprintf("commit %d", w.head.Seq+1), "chain", err.Error())
		return err
	}
	w.head = chain.Summary(c)
	w.roots[c.Seq] = c.State
	w.signatures.chain[c.Seq] = c.Digest
	w.signatures.log = w.signatures.log.With(chain.Summary(c))
	if len(c.Delta) == 0 {
		w.kinds[c.Seq] = c.Kind
	}
	w.checked++
	for i := range c.Delta {
		if e := c.Delta[i].New; e != nil && !w.held[e.Own] {
			w.missing = append(w.missing, missingBlock{e.Own, c.Seq, c.Delta[i].ID})
		}
	}
	return nil
}

// reportMissing reports blocks that no record holds: one problem for each commit that
// dropped some, one for each other block.
func (w *verifier) reportMissing() {
	gone, seen := map[uint64]int{}, map[merkle.Digest]bool{}
	for _, a := range w.missing {
		if w.held[a.block] || seen[a.block] {
			continue // a later record holds it
		}
		seen[a.block] = true
		_, err := w.mender.scope.Chain.Store().Block(a.block)
		if p, ok := errors.AsType[*store.Purged](err); ok {
			gone[p.By]++
		} else if err != nil {
			w.problem(fmt.Sprintf("commit %d", a.seq), "block", fmt.Sprintf("a block of node %s: %v", a.id, err))
		}
	}
	for _, by := range slices.Sorted(maps.Keys(gone)) {
		kind := "lost"
		switch w.kinds[by] {
		case graph.KindPurge:
			kind = "purged"
		case graph.KindRetain:
			kind = "thinned"
		}
		w.problem("history", kind, scope.Count(gone[by], "block")+" "+fmt.Sprintf(chain.GoneWord(w.kinds[by]), by))
	}
}

// presentState hashes the newest image and the live state.
type presentState struct {
	image   *store.Image // nil if none verifies
	root    merkle.Digest
	checked int
	problems
}

// newest verifies the newest image, section by section, and computes the root of its state.
func (p *presentState) newest(m *Mender) {
	img, err := m.scope.Chain.Store().LoadImage()
	found := m.scope.Chain.Store().Recovery()
	for _, name := range found.DamagedImages {
		p.problem(name, "corrupt", "the image is damaged; the journal has what it held")
	}
	for _, name := range found.DroppedSections {
		p.problem("image", "corrupt", fmt.Sprintf("section %s is damaged; it is made again from the others", name))
	}
	if err != nil {
		if !errors.Is(err, store.ErrNoImage) {
			p.problem("image", "corrupt", err.Error())
		}
		return
	}
	state, _, err := chain.ImageState(img, m.scope.Options.Formats, false)
	if err != nil {
		p.problem("image", "corrupt", err.Error())
		return
	}
	p.image, p.root = img, state.Root()
	p.checked++
}

// live hashes the nodes of the live state and compares the digests with those that the state
// holds. It checks a version against those of the children, which it also checks. It copies no
// document.
func (p *presentState) live(s *graph.State) {
	var kids []merkle.Digest
	for n := range s.All() {
		p.checked++
		kids = kids[:0]
		for _, id := range n.Kids {
			if kid, ok := s.Get(id); ok {
				kids = append(kids, kid.Version)
			}
		}
		own, err := n.OwnBlock(nil)
		version, versionErr := node.VersionBlock(own, kids, nil)
		if err != nil || versionErr != nil || own != n.Own || version != n.Version {
			p.problem(n.Path, "digest", fmt.Sprintf("node %s does not match its digest", n.ID))
		}
	}
}

// VerifyFiles compares every document with its file, byte for byte; each difference is a
// problem, drift included. Run a scan first. checked counts the files. Projects are
// compared with their own files. The cost is that of reading the folder.
func (md *Mender) VerifyFiles(ctx context.Context) (checked int, problems []document.Problem, err error) {
	checked, problems, err = md.verifyFiles(ctx)
	if md.scope.Parent != nil {
		return checked, problems, err
	}
	for _, project := range slices.Sorted(maps.Keys(md.scope.Options.Projects)) {
		s, scopeErr := md.host.Open(ctx, scope.Project+"/"+project)
		if err = cmp.Or(err, scopeErr); err != nil {
			break
		}
		var n int
		var found []document.Problem
		n, found, err = s.verifyFiles(ctx)
		checked, problems = checked+n, append(problems, found...)
	}
	return checked, problems, err
}

// verifyFiles is VerifyFiles for one scope.
func (md *Mender) verifyFiles(ctx context.Context) (checked int, problems []document.Problem, err error) {
	defer md.scope.Chain.Begin().End()
	head := md.scope.Present()
	for _, path := range head.Paths() {
		if err := ctx.Err(); err != nil {
			return checked, problems, fault.Wrap("verify", md.scope.Dir, fault.Other, err)
		}
		if document.IsMemory(path) {
			continue
		}
		checked++
		want, _ := head.Text(path)
		have, _, err := md.scope.Root.Read(path, 0)
		why := ""
		switch {
		case errors.Is(err, corpus.ErrVanished):
			why = "the file is gone"
		case err != nil:
			why = err.Error()
		case have != want:
			why = "the file holds other bytes than the memory"
		default:
			continue
		}
		if _, meant := md.scope.Drift()[path]; meant {
			why += ", since a rollback of memory only"
		}
		problems = append(problems, document.Problem{Path: path, Kind: "file", Message: why})
	}
	return checked, problems, nil
}

// verifyScopes verifies the scopes of a memex. Each problem names its scope.
func (md *Mender) verifyScopes(ctx context.Context) (checked int, problems []document.Problem, err error) {
	names, err := md.host.Scopes()
	if err != nil {
		return 0, nil, err
	}
	for _, name := range names {
		s, err := md.host.Open(ctx, name)
		if err != nil {
			problems = append(problems, document.Problem{Path: name, Kind: "scope", Message: err.Error()})
			continue
		}
		n, found, err := s.verify(ctx, nil)
		if err != nil {
			return checked, problems, err
		}
		checked += n
		for _, p := range found {
			p.Path = name + ": " + p.Path
			problems = append(problems, p)
		}
	}
	return checked, problems, nil
}
