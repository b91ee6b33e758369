// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// pack is a pack open for reading. Its methods may be called concurrently.
type pack struct {
	packFooter
	shared
	header packHeader
	path   string
	bad    *store.Corruption // why header or footer cannot be used, nil if they can

	scan  sync.Mutex
	found map[merkle.Digest]int64 // in place of a damaged table of digests
}

// openPack opens a pack and verifies header and footer. A file that is missing
// or damaged has bad set; the error is one of the file system, or
// ErrUnknownFormat. The caller closes the file, if it is not nil.
func openPack(in vfs.FS, name string) (*pack, error) {
	p := &pack{path: name}
	file, err := in.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		p.bad = p.corruption(0, "the pack is missing")
		return p, nil
	}
	if errors.Is(err, vfs.ErrNotRegular) {
		p.bad = p.corruption(0, notRegular(err))
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.file = file
	if err := p.readEnds(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return p, nil
}

// readEnds reads header and footer. Without a good footer the records are taken
// to reach as far as they can.
func (p *pack) readEnds() error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, packHeaderSize)
	n, err := p.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	header, err := decodePackHeader(head[:n])
	if errors.Is(err, errPackHeader) {
		p.bad = p.corruption(0, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	p.header = header
	end := max(info.Size()-packFooterSize, packHeaderSize)
	tail := make([]byte, packFooterSize)
	if n, err = p.file.ReadAt(tail, end); err != nil && err != io.EOF {
		return err
	}
	p.packFooter, err = decodePackFooter(tail[:n], header.salt, info.Size())
	if err == nil && (p.first != header.first || p.generation != header.generation) {
		err = errPackFooter
	}
	if err != nil {
		p.packFooter = packFooter{packInfo: packInfo{first: header.first, generation: header.generation}, tablesAt: info.Size()}
		p.bad = p.corruption(end, err.Error())
	}
	return nil
}

// expect makes the pack that of a manifest's row, and marks it as bad if it is
// another one.
func (p *pack) expect(info packInfo) *pack {
	if p.bad == nil && p.packInfo != info {
		p.bad = p.corruption(p.size-packFooterSize, "the pack is not the one that the manifest names")
	}
	p.packInfo = info
	return p
}

func (p *pack) corruption(at int64, reason string) *store.Corruption {
	return &store.Corruption{File: p.path, Offset: at, Reason: reason}
}

func (p *pack) table(at int64, width int, rows int64) *table {
	return &table{file: p.file, salt: p.header.salt, at: at, width: width, rows: rows}
}

func (p *pack) digestTable() *table { return p.table(p.tablesAt, digestRow, p.digests) }

func (p *pack) commitTable() *table { return p.table(p.commitsAt(), commitRow, int64(p.commits)) }

func (p *pack) goneTable() *table { return p.table(p.goneAt(), goneRow, p.gone) }

// records walks all records.
func (p *pack) records() *packWalker {
	return &packWalker{pack: p, win: window{file: p.file, end: p.tablesAt, base: packHeaderSize}, at: packHeaderSize, last: packFrame{batch: p.batch}}
}

// packWalker reads the batches of a pack in order.
type packWalker struct {
	pack *pack
	win  window
	at   int64     // where the next batch begins
	last packFrame // the last record handed out
}

// batch reads the records of one batch and calls fn with them and the offsets
// they stand at. It returns io.EOF at the end. Bytes that are no record, or one
// out of order, are a *damage; no record of that batch was handed out then. The
// data is valid until the next call.
func (w *packWalker) batch(fn func(at int64, r store.Record) error) error {
	w.win.forget(w.at)
	if w.at == w.pack.tablesAt {
		return io.EOF
	}
	end, last := w.at, w.last
	for end < w.pack.tablesAt {
		f, _, err := packFrameAt(&w.win, w.pack.header, end)
		if err != nil {
			return err
		}
		if end > w.at && f.batch != last.batch {
			break
		}
		if f.batch < last.batch || f.batch >= w.pack.next || f.pos.Segment > w.pack.last || f.pos.Compare(last.pos) <= 0 {
			return &damage{at: end, reason: "a record out of order"}
		}
		end, last = end+f.size(), f
	}
	for at := w.at; at < end; {
		f, data, err := packFrameAt(&w.win, w.pack.header, at)
		if err != nil {
			return err
		}
		if err := fn(at, store.Record{Kind: f.kind, Batch: f.batch, Pos: f.pos, Data: data}); err != nil {
			return err
		}
		at += f.size()
	}
	w.at, w.last = end, last
	return nil
}

// recordAhead is how much is read for one record; a larger one takes a second
// read.
const recordAhead = 4 << 10

// recordAt reads the record at an offset that a table gave.
func (p *pack) recordAt(at int64) (store.Record, error) {
	if at < packHeaderSize || at%frameAlign != 0 || at > p.tablesAt {
		return store.Record{}, &damage{at: at, reason: "no record can be here"}
	}
	win := &window{file: p.file, end: p.tablesAt, base: at, ahead: recordAhead}
	f, data, err := packFrameAt(win, p.header, at)
	if err != nil {
		return store.Record{}, err
	}
	return store.Record{Kind: f.kind, Batch: f.batch, Pos: f.pos, Data: data}, nil
}

// block returns the block or commit with the digest; nil and no error when it
// is not in the pack. A *damage comes with the block if there is a whole copy.
func (p *pack) block(d merkle.Digest) ([]byte, error) {
	if p.bad != nil {
		data, err := p.blockByScan(d)
		return data, errors.Join(&damage{at: p.bad.Offset, reason: p.bad.Reason}, err)
	}
	data, err := p.look(d)
	if _, isDamage := errors.AsType[*damage](err); isDamage {
		found, scanErr := p.blockByScan(d)
		return found, errors.Join(err, scanErr)
	}
	return data, err
}

// look is block by the table of digests alone.
func (p *pack) look(d merkle.Digest) ([]byte, error) {
	row, ok, err := p.digestTable().find(d[:])
	if err != nil || !ok {
		return nil, err
	}
	r, err := p.recordAt(int64(binary.LittleEndian.Uint64(row[merkle.DigestSize:])))
	if err == nil && merkle.Sum(r.Data) != d {
		err = &damage{at: p.tablesAt, reason: "digest mismatch"}
	}
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// blockByScan finds a block without the table of digests. The first call reads
// the whole pack.
func (p *pack) blockByScan(d merkle.Digest) ([]byte, error) {
	if p.header.first == 0 { // without the salt no record can be told from noise
		return nil, nil
	}
	p.scan.Lock()
	defer p.scan.Unlock()
	if p.found == nil {
		found := map[merkle.Digest]int64{}
		win := &window{file: p.file, end: p.tablesAt, base: packHeaderSize}
		for at := int64(packHeaderSize); at+packFrameHeaderSize <= win.end; {
			win.forget(at)
			f, data, err := packFrameAt(win, p.header, at)
			if _, bad := errors.AsType[*damage](err); bad {
				at += frameAlign
				continue
			}
			if err != nil {
				return nil, err
			}
			if f.kind == store.Block || f.kind == store.Commit {
				found[merkle.Sum(data)] = at
			}
			at += f.size()
		}
		p.found = found
	}
	at, ok := p.found[d]
	if !ok {
		return nil, nil
	}
	r, err := p.recordAt(at)
	if err == nil && merkle.Sum(r.Data) != d {
		err = &damage{at: at, reason: "digest mismatch"}
	}
	return r.Data, err
}

// purgedBy returns the number of the commit that purged the block, 0 if none
// did.
func (p *pack) purgedBy(d merkle.Digest) (uint64, error) {
	if p.bad != nil {
		return 0, &damage{at: p.bad.Offset, reason: p.bad.Reason}
	}
	row, ok, err := p.goneTable().find(d[:])
	if err != nil || !ok {
		return 0, err
	}
	return binary.LittleEndian.Uint64(row[merkle.DigestSize:]), nil
}
