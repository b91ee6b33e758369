// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// Magic starts an encoded lexical index; FormatVersion follows it. The format is
// described in doc/format/index.md.
const (
	Magic         = "fovealex"
	FormatVersion = 0
)

const crcBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendBinary appends the encoded index to dst and returns the result; the error is
// always nil. The bytes depend only on the documents, not on their history, so equal
// indexes have equal digests. An index updated since its last merge is merged first,
// which costs about a third of Build.
func (x *Lexical) AppendBinary(dst []byte) ([]byte, error) {
	s := x.mergedSegment()
	start := len(dst)
	dst = append(dst, Magic...)
	dst = binary.AppendUvarint(dst, FormatVersion)
	dst = binary.AppendUvarint(dst, uint64(len(AnalyzerVersion)))
	dst = append(dst, AnalyzerVersion...)
	dst = binary.AppendUvarint(dst, uint64(s.ids.len()))
	dst = binary.AppendUvarint(dst, uint64(s.terms.len()))
	dst = appendTable(dst, s.ids)
	for _, n := range s.lengths {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	dst = appendTable(dst, s.terms)
	dst = appendTable(dst, s.lists)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli)), nil
}

// mergedSegment returns one segment with all live documents.
func (x *Lexical) mergedSegment() *segment {
	switch {
	case x.Len() == 0:
		return new(segment)
	case len(x.parts) == 1 && x.parts[0].dead == nil:
		return x.parts[0].segment
	}
	return merge(x.parts)
}

// appendTable appends the lengths of the strings and then the strings.
func appendTable(dst []byte, t table) []byte {
	start := 0
	for _, end := range t.ends {
		dst = binary.AppendUvarint(dst, uint64(end-start))
		start = end
	}
	return append(dst, t.blob...)
}

// Decode reads an index written by AppendBinary and rejects any other bytes. It keeps
// no reference to data. Posting lists stay encoded, so the cost is a checksum, a copy
// and one step per document and term. Errors wrap ErrDamaged or ErrVersion. Data forged
// to pass the checksum can give wrong hits but never a panic.
func Decode(data []byte) (*Lexical, error) {
	if len(data) < len(Magic)+crcBytes || string(data[:len(Magic)]) != Magic {
		return nil, fmt.Errorf("index: read header: not a lexical index: %w", ErrDamaged)
	}
	body := data[:len(data)-crcBytes]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, fmt.Errorf("index: read: checksum mismatch: %w", ErrDamaged)
	}
	d := decoder{rest: string(body[len(Magic):])}
	if v := d.number(math.MaxUint64); v != FormatVersion {
		return nil, fmt.Errorf("index: read header: format %d, want %d: %w", v, FormatVersion, ErrVersion)
	}
	if v := d.text(d.number(uint64(len(d.rest)))); v != AnalyzerVersion {
		return nil, fmt.Errorf("index: read header: analyzer %q, want %q: %w", v, AnalyzerVersion, ErrVersion)
	}
	s := d.segment()
	if d.damaged != "" {
		return nil, fmt.Errorf("index: read %s: %w", d.damaged, ErrDamaged)
	}
	x := new(Lexical)
	if len(s.lengths) > 0 {
		x.appendSegment(s)
	}
	return x, nil
}

// decoder reads an encoded segment. After the first error, damaged names the field and
// every further read returns zero values.
type decoder struct {
	rest    string
	damaged string
}

func (d *decoder) fail(where string) {
	if d.damaged == "" {
		d.damaged = where
	}
	d.rest = ""
}

// number reads a number of at most maxValue in its shortest form.
func (d *decoder) number(maxValue uint64) uint64 {
	v, n := uvarint(d.rest, 0)
	if n == 0 || uvarintSize(v) != n || v > maxValue {
		d.fail("number")
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// text reads n bytes.
func (d *decoder) text(n uint64) string {
	if n > uint64(len(d.rest)) {
		d.fail("text")
		return ""
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

// count reads the number of items that follow. Each takes at least a byte, so a count
// larger than the rest is damage and cannot cause a large allocation.
func (d *decoder) count() int { return int(d.number(uint64(len(d.rest)))) }

func (d *decoder) segment() *segment {
	docs, terms := d.count(), d.count()
	s := &segment{ids: d.table(docs), lengths: make([]uint32, min(docs, len(d.rest)))}
	for i := range s.lengths {
		s.lengths[i] = uint32(d.number(math.MaxUint32))
	}
	s.terms = d.table(terms)
	s.lists = d.table(terms)
	switch {
	case d.rest != "":
		d.fail("end")
	case !s.ids.isSorted():
		d.fail("ids")
	case !s.terms.isSorted():
		d.fail("terms")
	case docs == 0 && terms > 0:
		d.fail("counts")
	}
	return s
}

// table reads a table of n strings.
func (d *decoder) table(n int) table {
	if n > len(d.rest) {
		d.fail("table")
		return table{}
	}
	t := table{ends: make([]int, n)}
	end := uint64(0)
	for i := range t.ends {
		end += d.number(uint64(len(d.rest)))
		if end > uint64(len(d.rest)) {
			d.fail("table")
			return table{}
		}
		t.ends[i] = int(end)
	}
	t.blob = d.text(end)
	return t
}

// isSorted reports whether the strings ascend in byte order without duplicates.
func (t table) isSorted() bool {
	for i := 1; i < t.len(); i++ {
		if t.at(i-1) >= t.at(i) {
			return false
		}
	}
	return true
}
