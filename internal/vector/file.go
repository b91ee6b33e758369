// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package vector

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Folder is where the vectors of a memory are, in its state folder.
const Folder = "vectors"

const (
	suffix     = ".vectors0" // of a file's name; the digit is the major number of the format
	bufferSize = 1 << 20     // of reading and writing, about
)

// Open opens the vectors of a model in a folder, and creates the file if it is missing. It replaces a file of another
// model and erases damaged records, which only loses vectors. If the file cannot be read or written, the store keeps
// vectors in memory, and Put returns the reason. A file with mostly erased records is rewritten. The error is
// fault.Invalid for an impossible model. O(size of the file).
func Open(in vfs.FS, m Model) (*Store, error) {
	if m.Fingerprint == "" || m.Dim < 1 || m.Dim > MaxDim {
		err := fmt.Errorf("%d numbers in a vector of the model %q: a model has a name and 1 to %d numbers", m.Dim, m.Fingerprint, MaxDim)
		return nil, fault.Wrap("open vectors", "", fault.Invalid, err)
	}
	sum := sha256.Sum256([]byte(m.Fingerprint))
	s := &Store{in: in, name: hex.EncodeToString(sum[:16]) + suffix, model: m, header: m.header(), buffer: make([]float32, m.Dim)}
	s.open()
	if s.fault == nil && s.rows.counts[erased] > 1000+len(s.rows.kinds)/4 {
		s.fault = s.compact()
	}
	return s, nil
}

// open reads the file into a new store. s.fault is the reason if there is no file.
func (s *Store) open() {
	s.rows, s.dirty = newRows(s.model.Dim), nil
	if s.file, s.fault = vfs.Plain(s.in).OpenFile(s.name, os.O_RDWR|os.O_CREATE, 0o600); s.fault != nil {
		s.file = nil
		return
	}
	if s.fault = s.read(); s.fault != nil {
		s.fault = errors.Join(s.fault, s.file.Close())
		s.file = nil
		s.rows, s.dirty = newRows(s.model.Dim), nil
	}
}

// read reads the file, and starts it over if it is not of this model.
func (s *Store) read() error {
	found := make([]byte, headerSize)
	if _, err := s.file.ReadAt(found, 0); err != nil && err != io.EOF {
		return err
	}
	if string(found) != string(s.header) {
		return s.begin()
	}
	return s.load()
}

// begin writes a file without records.
func (s *Store) begin() error {
	if err := s.file.Truncate(0); err != nil {
		return err
	}
	if _, err := s.file.WriteAt(s.header, 0); err != nil {
		return err
	}
	return errors.Join(s.file.Sync(), s.in.SyncDir("."))
}

// load reads the records of the file, erases damaged ones, and cuts off an incomplete one at the end.
func (s *Store) load() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	size := s.model.recordSize()
	count := max(0, int(info.Size()-headerSize)/size)
	buffer := make([]byte, size*min(count, max(1, bufferSize/size)))
	for len(s.rows.kinds) < count {
		at := int64(headerSize + len(s.rows.kinds)*size)
		part := buffer[:min(len(buffer), size*(count-len(s.rows.kinds)))]
		if _, err := s.file.ReadAt(part, at); err != nil {
			return err
		}
		for ; len(part) > 0; part = part[size:] {
			s.take(part[:size])
		}
	}
	if whole := int64(headerSize + count*size); info.Size() > whole {
		if err := s.file.Truncate(whole); err != nil {
			return err
		}
	}
	if len(s.dirty) == 0 {
		return nil
	}
	return errors.Join(s.erase(), s.file.SyncData())
}

// take makes a record the next row. Of two records with the same digest the later one counts: a vector replaces a
// failure, and a crash can leave both.
func (s *Store) take(record []byte) {
	row := len(s.rows.kinds)
	k, d, ok := readRecord(record, s.header)
	high, low, inverse := s.rows.high.next(row), s.rows.low.next(row), float32(0)
	if ok && k == stored {
		inverse, ok = encodeRow(high, low, vectorOf(record, s.buffer))
	}
	if !ok {
		k = erased
		s.damaged++
		s.dirty = append(s.dirty, row)
	}
	if earlier, ok := s.rows.find(&d); ok && k != erased {
		s.rows.forget(earlier)
		s.dirty = append(s.dirty, earlier)
	}
	s.rows.enter(k, d, inverse)
}

// write appends the records of the rows from first on, and syncs them. s.mu is held.
func (s *Store) write(first int, records []byte) error {
	if s.file == nil {
		return s.fault
	}
	if _, err := s.file.WriteAt(records, int64(headerSize+first*s.model.recordSize())); err != nil {
		return err
	}
	return s.file.SyncData()
}

// erase overwrites the records of rows without content. s.mu is held, and the file is not synced.
func (s *Store) erase() error {
	if s.file == nil {
		if len(s.dirty) > 0 {
			return s.fault
		}
		return nil
	}
	size := s.model.recordSize()
	zeros := make([]byte, size)
	for len(s.dirty) > 0 {
		last := len(s.dirty) - 1
		if _, err := s.file.WriteAt(zeros, int64(headerSize+s.dirty[last]*size)); err != nil {
			return err
		}
		s.dirty = s.dirty[:last]
	}
	return nil
}

// compact rewrites the file of a new store without erased records, and opens it. O(size of the file).
func (s *Store) compact() error {
	staged, err := vfs.Stage(vfs.Plain(s.in), s.name, 0o600, nil, s.writeAll)
	if err != nil {
		return err // the file is as it was
	}
	err = errors.Join(s.file.Close(), staged.Replace())
	s.open() // the old file or the new one
	return errors.Join(err, s.fault)
}

// writeAll writes a header and the records of rows with content.
func (s *Store) writeAll(to io.Writer) error {
	w := bufio.NewWriterSize(to, bufferSize)
	_, err := w.Write(s.header)
	record := make([]byte, s.model.recordSize())
	for row, k := range s.rows.kinds {
		if k == erased || err != nil {
			continue
		}
		if _, err = s.file.ReadAt(record, int64(headerSize+row*len(record))); err == nil {
			_, err = w.Write(record)
		}
	}
	return errors.Join(err, w.Flush())
}

// Models returns the models that have vectors in a folder, the one used last first. A fingerprint
// is cut after 204 bytes.
func Models(in vfs.FS) ([]Model, error) {
	entries, err := in.ReadDir(".")
	var models []Model
	last := map[Model]time.Time{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		m, written, failed := describe(in, e.Name())
		if m.Fingerprint != "" {
			models = append(models, m)
			last[m] = written
		}
		err = errors.Join(err, failed)
	}
	slices.SortStableFunc(models, func(a, b Model) int { return last[b].Compare(last[a]) })
	return models, fault.Wrap("list vectors", "", fault.Other, err)
}

// describe returns the model of a file, one without a fingerprint if the file is damaged, and when it was last written.
func describe(in vfs.FS, name string) (Model, time.Time, error) {
	f, err := vfs.Plain(in).OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return Model{}, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Model{}, time.Time{}, err
	}
	header := make([]byte, headerSize)
	if _, err := f.ReadAt(header, 0); err != nil && err != io.EOF {
		return Model{}, time.Time{}, err
	}
	return readHeader(header), info.ModTime(), nil
}
