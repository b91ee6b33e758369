// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sealed appends the checksum.
func sealed(body string) []byte {
	return binary.LittleEndian.AppendUint32([]byte(body), crc32.Checksum([]byte(body), castagnoli))
}

// TestTableFormat builds a table field by field as the format page describes, so that
// the code and the page can only change together.
func TestTableFormat(t *testing.T) {
	page, err := os.ReadFile("../../doc/format/file-table.md")
	if err != nil {
		t.Fatal(err)
	}
	e := Entry{File: File{Path: "a/ü.md", Size: 3, MTime: 4, CTime: 5, Inode: 6, Opaque: true}, Digest: [32]byte{1, 31: 2}, Scanned: 7}
	number := func(v uint64, size int) string {
		return string(binary.LittleEndian.AppendUint64(nil, v)[:size])
	}
	values := map[string]func(size int) string{
		"magic":   func(int) string { return tableMagic },
		"version": func(size int) string { return number(tableVersion, size) },
		"count":   func(size int) string { return number(1, size) },
		"length":  func(size int) string { return number(uint64(len(e.Path)), size) },
		"path":    func(int) string { return e.Path },
		"flags":   func(size int) string { return number(opaqueFlag, size) },
		"size":    func(size int) string { return number(uint64(e.Size), size) },
		"mtime":   func(size int) string { return number(uint64(e.MTime), size) },
		"ctime":   func(size int) string { return number(uint64(e.CTime), size) },
		"inode":   func(size int) string { return number(e.Inode, size) },
		"scanned": func(size int) string { return number(uint64(e.Scanned), size) },
		"digest":  func(int) string { return string(e.Digest[:]) },
	}
	var body strings.Builder
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\d+|length) \\|").FindAllStringSubmatch(string(page), -1)
	for _, row := range rows {
		value, ok := values[row[1]]
		if !ok {
			continue
		}
		delete(values, row[1])
		size, _ := strconv.Atoi(row[2])
		text := value(size)
		if row[2] != "length" && len(text) != size {
			t.Errorf("%s has %d bytes, the page says %d", row[1], len(text), size)
		}
		body.WriteString(text)
	}
	if len(values) > 0 {
		t.Errorf("the page lacks %d of the fields", len(values))
	}
	got, err := NewTable([]Entry{e}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sealed(body.String()), got); diff != "" {
		t.Errorf("(-page +code):\n%s", diff)
	}
}
