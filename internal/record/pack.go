// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

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

// Pack is a pack open for reading. Its methods but Expect may be called concurrently.
type Pack struct {
	Info Info
	Bad  *store.Corruption // why header or footer cannot be used, nil if they can

	file   vfs.File // nil if it is missing
	layout layout
	end    footer

	scan  sync.Mutex
	found map[merkle.Digest]int64 // in place of a damaged table of digests
}

// OpenPack opens a pack and verifies header and footer. A file that is missing
// or damaged has Bad set; the error is one of the file system, or
// ErrUnknownFormat. The caller closes it.
func OpenPack(in vfs.FS, name string) (*Pack, error) {
	p := &Pack{layout: layout{name: name}}
	file, err := in.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		p.Bad = p.Damage(0, "the pack is missing")
		return p, nil
	}
	if p.Bad = NotRegular(err, name); p.Bad != nil {
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

// ReadPacks opens each pack of a folder, reads its header and footer, and closes it.
func ReadPacks(in vfs.FS) ([]*Pack, error) {
	names, err := ListPacks(in)
	var packs []*Pack
	for _, name := range names {
		p, err := OpenPack(in, name)
		if err == nil {
			err = p.Close()
		}
		if err != nil {
			return nil, err
		}
		packs = append(packs, p)
	}
	return packs, err
}

// readEnds reads header and footer. Without a good footer the records are taken
// to reach as far as they can.
func (p *Pack) readEnds() error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	h, err := readHeader(p.file, packMagic)
	if err == errHeader {
		p.Bad = p.Damage(0, "pack header damaged")
		return nil
	}
	if err != nil {
		return err
	}
	p.layout.first, p.layout.salt = h.segment, h.salt
	end := max(info.Size()-packFooterSize, HeaderSize)
	tail := make([]byte, packFooterSize)
	n, err := p.file.ReadAt(tail, end)
	if err != nil && err != io.EOF {
		return err
	}
	if p.Info, p.end, err = decodeFooter(tail[:n], h, info.Size()); err != nil {
		p.Info, p.end = Info{First: h.segment, Generation: h.number}, footer{tablesAt: info.Size()}
		p.Bad = p.Damage(end, err.Error())
	}
	return nil
}

// Expect makes the pack that of a manifest's row, and marks it as bad if it is
// another one.
func (p *Pack) Expect(info Info) *Pack {
	if p.Bad == nil && p.Info != info {
		p.Bad = p.Damage(p.Info.Size-packFooterSize, "the pack is not the one that the manifest names")
	}
	p.Info = info
	return p
}

// Name returns the name of the pack's file.
func (p *Pack) Name() string { return p.layout.name }

// Close closes the file, if there is one.
func (p *Pack) Close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// Damage says that something is wrong at an offset.
func (p *Pack) Damage(at int64, reason string) *store.Corruption {
	return p.layout.Damage(at, reason)
}

// Readable reports whether records can be told from noise: the salt in the header is known.
func (p *Pack) Readable() bool { return p.layout.first != 0 }

// TablesAt returns where the records end, or the end of a file without a footer.
func (p *Pack) TablesAt() int64 { return p.end.tablesAt }

// Reader returns a reader of all records.
func (p *Pack) Reader() *Reader { return p.readFrom(HeaderSize) }

func (p *Pack) readFrom(at int64) *Reader {
	r := newReader(p.layout, p.file, at, p.end.tablesAt)
	return &r
}

func (p *Pack) table(at int64, width int, rows int64) *table {
	return &table{file: p.file, layout: p.layout, at: at, width: width, rows: rows}
}

func (p *Pack) digestTable() *table { return p.table(p.end.tablesAt, digestRow, p.end.digests) }

func (p *Pack) commitTable() *table {
	return p.table(p.end.commitsAt(), commitRow, int64(p.Info.Commits))
}

func (p *Pack) goneTable() *table { return p.table(p.end.goneAt(p.Info), goneRow, p.end.gone) }

// Each calls fn with all records in order, verified batch by batch. The data of a record is
// valid until fn returns. A pack that is bad returns the Corruption. An error of fn ends it
// and is returned as it is.
func (p *Pack) Each(fn func(r store.Record) error) error {
	return p.each(func(_ int64, r store.Record) error { return fn(r) })
}

// each is Each that also gives the offset of each record.
func (p *Pack) each(fn func(at int64, r store.Record) error) error {
	if p.Bad != nil {
		return p.Bad
	}
	r := p.Reader()
	at, last := int64(HeaderSize), Frame{Batch: p.Info.Batch}
	for at < p.end.tablesAt {
		start := at
		r.win.forget(start)
		for at < p.end.tablesAt {
			f, _, err := r.frame(at)
			if err != nil {
				return err
			}
			if at > start && f.Batch != last.Batch {
				break
			}
			if f.Batch < last.Batch || f.Batch >= p.Info.Next || f.Pos.Segment > p.Info.Last || f.Pos.Compare(last.Pos) <= 0 {
				return r.Damage(at, "a record out of order")
			}
			at, last = f.End, f
		}
		if err := r.hand(start, at, fn); err != nil {
			return err
		}
	}
	return nil
}

// EachPurged calls fn with the blocks that were purged, ordered by digest, and with the
// numbers of the commits that say why.
func (p *Pack) EachPurged(fn func(d merkle.Digest, by uint64) error) error {
	for t, i := p.goneTable(), int64(0); i < p.end.gone; i++ {
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
func (p *Pack) recordAt(at int64) (store.Record, error) {
	if at < HeaderSize || at%FrameAlign != 0 || at > p.end.tablesAt {
		return store.Record{}, p.Damage(at, "no record can be here")
	}
	return p.readFrom(at).record(at)
}

// Block returns the block or commit with the digest; nil and no error when it
// is not in the pack. A Corruption comes with the block if there is a whole copy.
// O(log blocks) reads; without a usable table the first call reads the whole pack.
func (p *Pack) Block(d merkle.Digest) ([]byte, error) {
	err := error(nil)
	if p.Bad != nil {
		err = p.Bad
	} else {
		var data []byte
		if data, err = p.look(d); !errors.Is(err, store.ErrCorrupt) {
			return data, err
		}
	}
	data, scanErr := p.blockByScan(d)
	return data, errors.Join(err, scanErr)
}

// look is Block by the table of digests alone.
func (p *Pack) look(d merkle.Digest) ([]byte, error) {
	row, ok, err := p.digestTable().find(d[:])
	if err != nil || !ok {
		return nil, err
	}
	return p.blockAt(int64(binary.LittleEndian.Uint64(row[merkle.DigestSize:])), d)
}

// blockAt reads the block with a digest at an offset.
func (p *Pack) blockAt(at int64, d merkle.Digest) ([]byte, error) {
	r, err := p.recordAt(at)
	if err == nil && merkle.Sum(r.Data) != d {
		err = p.Damage(at, "digest mismatch")
	}
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// blockByScan finds a block without the table of digests. The first call reads
// the whole pack.
func (p *Pack) blockByScan(d merkle.Digest) ([]byte, error) {
	if !p.Readable() {
		return nil, nil
	}
	p.scan.Lock()
	defer p.scan.Unlock()
	if p.found == nil {
		found := map[merkle.Digest]int64{}
		if err := p.Reader().Scan(func(f Frame, data []byte) bool {
			if f.Kind.HasDigest() {
				found[merkle.Sum(data)] = f.At
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
	return p.blockAt(at, d)
}

// PurgedBy returns the number of the commit that purged the block, 0 if none
// did.
func (p *Pack) PurgedBy(d merkle.Digest) (uint64, error) {
	if p.Bad != nil {
		return 0, p.Bad
	}
	row, ok, err := p.goneTable().find(d[:])
	if err != nil || !ok {
		return 0, err
	}
	return binary.LittleEndian.Uint64(row[merkle.DigestSize:]), nil
}

// Commits finds the commits of a pack by number. It keeps the page of the table that it read
// last, and is for one goroutine.
type Commits struct {
	p     *Pack
	table *table
}

// Commits returns what finds the pack's commits by number.
func (p *Pack) Commits() *Commits { return &Commits{p, p.commitTable()} }

// Has reports whether the commit with a number is in the pack.
func (c *Commits) Has(seq uint64) bool {
	return c.p.Info.Before < seq && seq <= c.p.Info.Before+c.p.Info.Commits
}

// Commit returns the commit with a number that Has; the caller owns it.
func (c *Commits) Commit(seq uint64) (store.Record, error) {
	if c.p.Bad != nil {
		return store.Record{}, c.p.Bad
	}
	row, err := c.table.row(int64(seq - c.p.Info.Before - 1))
	if err != nil {
		return store.Record{}, err
	}
	r, err := c.p.recordAt(int64(binary.LittleEndian.Uint64(row)))
	if err == nil && r.Kind != store.Commit {
		err = c.p.Damage(c.table.at, "the table names a record that is no commit")
	}
	return r, err
}
