// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// readPacks opens each pack of a folder, reads its header and footer, and closes it.
func readPacks(in vfs.FS) ([]*source, error) {
	names, err := listPacks(in)
	var packs []*source
	for _, name := range names {
		p, err := openPack(in, name)
		if err == nil {
			err = p.close()
		}
		if err != nil {
			return nil, err
		}
		packs = append(packs, p)
	}
	return packs, err
}

func (s *source) table(at int64, width int, rows int64) *table {
	return &table{file: s.file, layout: s.layout, at: at, width: width, rows: rows}
}

func (s *source) digestTable() *table {
	return s.table(s.footer.TablesAt, digestRow, s.footer.Digests)
}

func (s *source) commitTable() *table {
	return s.table(s.footer.commitsAt(), commitRow, int64(s.info.Commits))
}

func (s *source) goneTable() *table { return s.table(s.footer.goneAt(), goneRow, s.footer.Gone) }

// check verifies the pack from its bytes alone: it recomputes checksums and digests, and rebuilds the tables
// from the records to compare them. It calls fn with each record. O(size); memory of 48 bytes for each block.
func (s *source) check(fn func() error) error {
	if s.bad != nil {
		return s.bad
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(s.file, 0, s.info.Size-packFooterSize)); err != nil {
		return err
	}
	index := packIndex{gone: map[merkle.Digest]uint64{}}
	walk := s.walk(headerSize, s.footer.TablesAt, 0)
	err := walk.each(func(r store.Record) error {
		if r.Kind.HasDigest() {
			index.add(walk.given, r.Kind, merkle.Sum(r.Data))
		}
		return fn()
	})
	if err == nil {
		err = s.eachPurged(func(d merkle.Digest, by uint64) error { index.gone[d] = by; return nil })
	}
	if err != nil {
		return err
	}
	want := index.tables()
	for i, t := range []*table{s.digestTable(), s.commitTable(), s.goneTable()} {
		if err := t.equals(want[i]); err != nil {
			return err
		}
	}
	if [sha256.Size]byte(sum.Sum(nil)) != s.info.Digest {
		return s.layout.damage(0, "digest mismatch")
	}
	return nil
}

// eachPurged calls fn for each purged block, ordered by digest, with the number of the commit that gives the
// reason. A segment has none.
func (s *source) eachPurged(fn func(d merkle.Digest, by uint64) error) error {
	for t, i := s.goneTable(), int64(0); i < s.footer.Gone; i++ {
		row, err := t.row(i)
		if err == nil {
			err = fn(merkle.Digest(row), numberIn(row))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// numberIn returns the number after the digest in a row.
func numberIn(row []byte) uint64 { return binary.LittleEndian.Uint64(row[merkle.DigestSize:]) }

// recordAt reads the record at an offset from a table.
func (s *source) recordAt(at int64) (store.Record, error) {
	if at < headerSize || at%store.Align != 0 || at > s.footer.TablesAt {
		return store.Record{}, s.layout.damage(at, "no record can be here")
	}
	return s.reader(at, s.footer.TablesAt).record(at)
}

// block returns the block or commit with the digest; nil and no error when it
// is not in the pack. A Corruption comes with the block if there is a whole copy.
// O(log blocks) reads; without a usable table the first call reads the whole pack.
func (s *source) block(d merkle.Digest) ([]byte, error) {
	err := error(nil)
	if s.bad != nil {
		err = s.bad
	} else {
		var data []byte
		if data, err = s.look(d); !errors.Is(err, store.ErrCorrupt) {
			return data, err
		}
	}
	data, scanErr := s.blockByScan(d)
	return data, errors.Join(err, scanErr)
}

// look looks a block up in the table of digests only.
func (s *source) look(d merkle.Digest) ([]byte, error) {
	row, ok, err := s.digestTable().find(d[:])
	if err != nil || !ok {
		return nil, err
	}
	return s.blockAt(int64(numberIn(row)), d)
}

// blockAt reads the block with a digest at an offset.
func (s *source) blockAt(at int64, d merkle.Digest) ([]byte, error) {
	r, err := s.recordAt(at)
	if err == nil && merkle.Sum(r.Data) != d {
		err = s.layout.damage(at, "digest mismatch")
	}
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

// blockByScan finds a block without the table of digests. The first call reads
// the whole pack.
func (s *source) blockByScan(d merkle.Digest) ([]byte, error) {
	if !s.readable() {
		return nil, nil
	}
	s.scan.Lock()
	defer s.scan.Unlock()
	if s.found == nil {
		found := map[merkle.Digest]int64{}
		if err := s.reader(headerSize, s.footer.TablesAt).scan(func(f frame) bool {
			if f.Kind.HasDigest() {
				found[merkle.Sum(f.Data)] = f.at
			}
			return true
		}); err != nil {
			return nil, err
		}
		s.found = found
	}
	at, ok := s.found[d]
	if !ok {
		return nil, nil
	}
	return s.blockAt(at, d)
}

// purgedBy returns the number of the commit that purged the block, 0 if none
// did.
func (s *source) purgedBy(d merkle.Digest) (uint64, error) {
	if s.bad != nil {
		return 0, s.bad
	}
	row, ok, err := s.goneTable().find(d[:])
	if err != nil || !ok {
		return 0, err
	}
	return numberIn(row), nil
}

// packCommits finds the commits of a pack by number. It keeps the page of the table that it read
// last, and is for one goroutine.
type packCommits struct {
	*source
	rows *table
}

// has reports whether the commit with a number is in the pack.
func (c *packCommits) has(seq uint64) bool {
	return c.source != nil && c.info.Before < seq && seq <= c.info.Before+c.info.Commits
}

// commit returns the commit with a number that the pack has; the caller owns it.
func (c *packCommits) commit(seq uint64) (store.Record, error) {
	if c.bad != nil {
		return store.Record{}, c.bad
	}
	row, err := c.rows.row(int64(seq - c.info.Before - 1))
	if err != nil {
		return store.Record{}, err
	}
	r, err := c.recordAt(int64(binary.LittleEndian.Uint64(row)))
	if err == nil && r.Kind != store.Commit {
		err = c.layout.damage(c.rows.at, "the table names a record that is not a commit")
	}
	return r, err
}
