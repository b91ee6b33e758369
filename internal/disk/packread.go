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
	layout frames
	bad    *store.Corruption // why header or footer cannot be used, nil if they can

	scan  sync.Mutex
	found map[merkle.Digest]int64 // in place of a damaged table of digests
}

// openPack opens a pack and verifies header and footer. A file that is missing
// or damaged has bad set; the error is one of the file system, or
// ErrUnknownFormat. The caller closes the file, if it is not nil.
func openPack(in vfs.FS, name string) (*pack, error) {
	p := &pack{layout: frames{name: name}}
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
	p.layout.first, p.layout.salt = header.first, header.salt
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
	return &store.Corruption{File: p.layout.name, Offset: at, Reason: reason}
}

func (p *pack) table(at int64, width int, rows int64) *table {
	return &table{file: p.file, name: p.layout.name, salt: p.layout.salt, at: at, width: width, rows: rows}
}

func (p *pack) digestTable() *table { return p.table(p.tablesAt, digestRow, p.digests) }

func (p *pack) commitTable() *table { return p.table(p.commitsAt(), commitRow, int64(p.commits)) }

func (p *pack) goneTable() *table { return p.table(p.goneAt(), goneRow, p.gone) }

// reader reads the records of the pack from an offset on.
func (p *pack) reader(from int64) reader { return newReader(p.layout, p.file, from, p.tablesAt) }

// eachPurged calls fn with the rows of the table of purged digests.
func (p *pack) eachPurged(fn func(d merkle.Digest, by uint64) error) error {
	for t, i := p.goneTable(), int64(0); i < p.gone; i++ {
		row, err := t.row(i)
		if err == nil {
			err = fn(merkle.Digest(row), binary.LittleEndian.Uint64(row[merkle.DigestSize:]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordAt reads the record at an offset that a table gave.
func (p *pack) recordAt(at int64) (store.Record, error) {
	if at < packHeaderSize || at%frameAlign != 0 || at > p.tablesAt {
		return store.Record{}, p.corruption(at, "no record can be here")
	}
	from := p.reader(at)
	return from.record(at)
}

// block returns the block or commit with the digest; nil and no error when it
// is not in the pack. A Corruption comes with the block if there is a whole copy.
func (p *pack) block(d merkle.Digest) ([]byte, error) {
	if p.bad != nil {
		data, err := p.blockByScan(d)
		return data, errors.Join(p.bad, err)
	}
	data, err := p.look(d)
	if errors.Is(err, store.ErrCorrupt) {
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
		err = p.corruption(p.tablesAt, "digest mismatch")
	}
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// blockByScan finds a block without the table of digests. The first call reads
// the whole pack.
func (p *pack) blockByScan(d merkle.Digest) ([]byte, error) {
	if p.layout.first == 0 { // without the salt no record can be told from noise
		return nil, nil
	}
	p.scan.Lock()
	defer p.scan.Unlock()
	if p.found == nil {
		found := map[merkle.Digest]int64{}
		all := p.reader(packHeaderSize)
		if err := all.scan(func(f frame, data []byte) bool {
			if f.kind.HasDigest() {
				found[merkle.Sum(data)] = f.at
			}
			return true
		}); err != nil {
			return nil, err
		}
		p.found = found
	}
	at, ok := p.found[d]
	if !ok {
		return nil, nil
	}
	r, err := p.recordAt(at)
	if err == nil && merkle.Sum(r.Data) != d {
		err = p.corruption(at, "digest mismatch")
	}
	return r.Data, err
}

// purgedBy returns the number of the commit that purged the block, 0 if none
// did.
func (p *pack) purgedBy(d merkle.Digest) (uint64, error) {
	if p.bad != nil {
		return 0, p.bad
	}
	row, ok, err := p.goneTable().find(d[:])
	if err != nil || !ok {
		return 0, err
	}
	return binary.LittleEndian.Uint64(row[merkle.DigestSize:]), nil
}
