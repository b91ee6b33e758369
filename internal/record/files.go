// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// ListNumbered returns the numbers of a folder's files, ascending: those whose
// names are just what name makes of the number. A missing folder has none.
func ListNumbered(in vfs.FS, folder, suffix string, name func(uint64) string) ([]uint64, error) {
	names, err := listFiles(in, folder, suffix)
	var numbers []uint64
	for _, file := range names {
		number, err := strconv.ParseUint(strings.TrimSuffix(path.Base(file), suffix), 10, 64)
		if err == nil && path.Base(name(number)) == path.Base(file) {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// listFiles returns the names of a folder's files with a suffix. A missing folder has none.
func listFiles(in vfs.FS, folder, suffix string) ([]string, error) {
	entries, err := vfs.Entries(in, folder)
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	return names, err
}

// NotRegular returns a Corruption where an error says that something else than a regular
// file is in the place of one, else nil.
func NotRegular(err error, file string) *store.Corruption {
	if !errors.Is(err, vfs.ErrNotRegular) {
		return nil
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return &store.Corruption{File: file, Reason: err.Error()}
}

// Magics are the words that the files and their parts begin with.
var Magics = [...]string{segmentMagic, packMagic, packFooterMagic, manifestMagic}

// Check verifies the pack from its bytes and trusts nothing that was read before: it
// recomputes checksums and digests, and makes the tables anew from the records to compare
// them. It calls fn with each record. O(size); memory of 48 bytes for each block.
func (p *Pack) Check(fn func() error) error {
	if p.Bad != nil {
		return p.Bad
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(p.file, 0, p.Info.Size-packFooterSize)); err != nil {
		return err
	}
	err := p.checkRecords(fn)
	if err == nil && [sha256.Size]byte(sum.Sum(nil)) != p.Info.Digest {
		err = p.Damage(0, "digest mismatch")
	}
	return err
}

// checkRecords checks the records of a pack, and its tables against them.
func (p *Pack) checkRecords(fn func() error) error {
	var index packIndex
	if err := p.each(func(at int64, r store.Record) error {
		if r.Kind.HasDigest() {
			index.add(at, r.Kind, merkle.Sum(r.Data))
		}
		return fn()
	}); err != nil {
		return err
	}
	index.sort()
	if err := p.commitTable().equals(len(index.commits), func(b []byte, i int) []byte {
		return binary.LittleEndian.AppendUint64(b, uint64(index.commits[i]))
	}); err != nil {
		return err
	}
	if err := p.digestTable().equals(len(index.digests), func(b []byte, i int) []byte {
		return binary.LittleEndian.AppendUint64(append(b, index.digests[i].digest[:]...), uint64(index.digests[i].at))
	}); err != nil {
		return err
	}
	var last []byte
	return p.EachPurged(func(d merkle.Digest, _ uint64) error {
		if bytes.Compare(d[:], last) <= 0 {
			return p.Damage(p.end.goneAt(p.Info), "a table out of order")
		}
		last = append(last[:0], d[:]...)
		return nil
	})
}
