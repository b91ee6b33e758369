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

// Open opens the vectors of a model in a folder, and makes the file if there is none. A file
// that is not one of this model is replaced, and what is damaged in it is erased: both are only missing vectors.
// If the file cannot be read or written, the store keeps vectors in memory,
// Put says why, and Compact tries again. The error is fault.Invalid for a model that cannot be. O(size of the file).
func Open(in vfs.FS, m Model) (*Store, error) {
	if m.Fingerprint == "" || m.Dim < 1 || m.Dim > MaxDim {
		err := fmt.Errorf("%d numbers in a vector of the model %q: a model has a name and 1 to %d numbers", m.Dim, m.Fingerprint, MaxDim)
		return nil, fault.Wrap("open vectors", "", fault.Invalid, err)
	}
	sum := sha256.Sum256([]byte(m.Fingerprint))
	s := &Store{in: in, name: hex.EncodeToString(sum[:16]) + suffix, model: m, header: m.header()}
	s.open()
	if s.fault == nil && s.rows.counts[erased] > 1000+len(s.rows.kinds)/4 {
		s.fault = s.compact()
	}
	return s, nil
}

// open makes the store what its file is; s.fault is why there is none. s.mu is held, or s is new.
func (s *Store) open() {
	s.rows, s.codes, s.dirty = newContent(s.model.Dim), nil, nil
	s.epoch++
	s.set.Store(nil)
	if s.file, s.fault = vfs.Plain(s.in).OpenFile(s.name, os.O_RDWR|os.O_CREATE, 0o600); s.fault != nil {
		s.file = nil
		return
	}
	if s.fault = s.read(); s.fault != nil {
		s.fault = errors.Join(s.fault, s.file.Close())
		s.file = nil
		s.rows, s.dirty = newContent(s.model.Dim), nil
	}
}

// read reads the file, and begins it anew if it is none of this model.
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

// begin makes the file one without records.
func (s *Store) begin() error {
	err := s.file.Truncate(0)
	if err == nil {
		_, err = s.file.WriteAt(s.header, 0)
	}
	if err == nil {
		err = s.file.Sync()
	}
	if err == nil {
		err = s.in.SyncDir(".")
	}
	return err
}

// load reads the records of the file, erases what is damaged, and cuts off what is less than a record.
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

// take makes a record of the file the next row. Of two records with one digest, which a crash can leave, the later counts.
func (s *Store) take(record []byte) {
	row := len(s.rows.kinds)
	k, d, ok := readRecord(record, s.header, s.rows.next())
	if !ok {
		s.damaged++
		s.dirty = append(s.dirty, row)
	}
	if earlier, ok := s.rows.find(&d); ok && k != erased {
		s.rows.forget(earlier)
		s.dirty = append(s.dirty, earlier)
	}
	s.rows.enter(k, d)
}

// write appends the records of the rows from first on, and syncs them. s.mu is held.
func (s *Store) write(first int) error {
	if s.file == nil {
		return s.fault
	}
	at := int64(headerSize + first*s.model.recordSize())
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, at), bufferSize)
	for row := first; row < len(s.rows.kinds); row++ {
		if _, err := w.Write(s.record(row)); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return s.file.SyncData()
}

// record encodes a row.
func (s *Store) record(row int) []byte {
	switch c := &s.rows; c.kinds[row] {
	case stored:
		return appendRecord(nil, s.header, s.model.Dim, c.digests[row], c.floats.row(row))
	case failed:
		return appendRecord(nil, s.header, s.model.Dim, c.digests[row], nil)
	}
	return make([]byte, s.model.recordSize())
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

// Compact writes the file anew without erased records, and gives their memory back. It also
// makes a file for a store that had to do without. Sets that were taken before stay valid;
// rows get other numbers, and codes are gone until Encode. O(size of the file).
func (s *Store) Compact() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.fault, errClosed) {
		return fault.Wrap("compact vectors", s.name, fault.Invalid, errClosed)
	}
	return fault.Wrap("compact vectors", s.name, fault.Other, s.compact())
}

// compact writes a file of what is in memory, and opens it. s.mu is held.
func (s *Store) compact() error {
	staged, err := vfs.Stage(vfs.Plain(s.in), s.name, 0o600, nil, s.writeAll)
	if err != nil {
		return err // the file is as it was
	}
	if s.file != nil {
		err = s.file.Close()
	}
	err = errors.Join(err, staged.Replace())
	s.open() // whichever file is there now
	return errors.Join(err, s.fault)
}

// writeAll writes a header and the rows with content.
func (s *Store) writeAll(to io.Writer) error {
	w := bufio.NewWriterSize(to, bufferSize)
	_, err := w.Write(s.header)
	for row, k := range s.rows.kinds {
		if k != erased && err == nil {
			_, err = w.Write(s.record(row))
		}
	}
	return errors.Join(err, w.Flush())
}

// File is the file of a model.
type File struct {
	Name  string // to Remove it by
	Label string // the model's fingerprint, at most its first 204 bytes; empty if the file is damaged
	Dim   int
	Bytes int64
	Last  time.Time // when it was last written
}

// Files lists the files of vectors in a folder by name, so that those of models no longer used can be removed.
func Files(in vfs.FS) ([]File, error) {
	entries, err := in.ReadDir(".")
	if err != nil {
		return nil, fault.Wrap("list vectors", "", fault.Other, err)
	}
	var files []File
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		file, err := describe(in, e.Name())
		if err != nil {
			return nil, fault.Wrap("list vectors", e.Name(), fault.Other, err)
		}
		files = append(files, file)
	}
	return files, nil
}

// Models returns the models of which there are vectors in a folder, the one used last first.
func Models(in vfs.FS) (models []Model, err error) {
	files, err := Files(in)
	slices.SortStableFunc(files, func(a, b File) int { return b.Last.Compare(a.Last) })
	for _, f := range files {
		if f.Label != "" {
			models = append(models, Model{f.Label, f.Dim})
		}
	}
	return models, err
}

func describe(in vfs.FS, name string) (File, error) {
	f, err := vfs.Plain(in).OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	header := make([]byte, headerSize)
	if _, err := f.ReadAt(header, 0); err != nil && err != io.EOF {
		return File{}, err
	}
	label, dim, _ := readHeader(header)
	return File{name, label, dim, info.Size(), info.ModTime()}, nil
}

// Remove removes the file of a model that no open store uses.
func Remove(in vfs.FS, name string) error {
	if !strings.HasSuffix(name, suffix) || strings.Contains(name, "/") {
		return fault.Errorf("remove vectors", name, fault.Invalid, "not a file of vectors: choose a name that the list has")
	}
	err := in.Remove(name)
	if err == nil {
		err = in.SyncDir(".")
	}
	return fault.Wrap("remove vectors", name, fault.Other, err)
}
