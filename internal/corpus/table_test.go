// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var someTable = NewTable([]Entry{
	{File: File{Path: "b/é.org", Size: 1 << 40, MTime: -1, CTime: 2, Inode: 1<<64 - 1}, Digest: [32]byte{31: 7}, Scanned: 9},
	{File: File{Path: "a.md", Opaque: true}, Scanned: -9},
})

func TestTable(t *testing.T) {
	table := NewTable([]Entry{{File: File{Path: "b", Size: 1}}, {File: File{Path: "a"}}, {File: File{Path: "b", Size: 2}}})
	got := slices.Collect(table.All())
	want := []Entry{{File: File{Path: "a"}}, {File: File{Path: "b", Size: 2}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sorted, the later of two counts (-want +got):\n%s", diff)
	}
	if e, ok := table.Get("b"); !ok || e.Size != 2 {
		t.Errorf("Get: %v %v", e, ok)
	}
	if _, ok := table.Get("c"); ok {
		t.Error("Get finds a missing entry")
	}
	var none *Table
	if _, ok := none.Get("a"); ok || none.Len() != 0 || len(slices.Collect(none.All())) != 0 {
		t.Error("nil is not empty")
	}
	below := NewTable([]Entry{{File: File{Path: "a"}}, {File: File{Path: "a-b"}}, {File: File{Path: "a/b"}}, {File: File{Path: "a/c/d"}},
		{File: File{Path: "a0"}}})
	if diff := cmp.Diff([]Entry{{File: File{Path: "a/b"}}, {File: File{Path: "a/c/d"}}}, below.below("a")); diff != "" {
		t.Error(diff)
	}
}

func TestTableMarshal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var entries []Entry
		for _, path := range rapid.SliceOfN(rapid.StringN(1, 20, 100), 0, 20).Draw(t, "paths") {
			e := Entry{File: File{Path: path, Opaque: rapid.Bool().Draw(t, "opaque")}}
			e.Size, e.MTime, e.CTime = rapid.Int64().Draw(t, "size"), rapid.Int64().Draw(t, "mtime"), rapid.Int64().Draw(t, "ctime")
			e.Inode, e.Scanned = rapid.Uint64().Draw(t, "inode"), rapid.Int64().Draw(t, "scanned")
			copy(e.Digest[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
			entries = append(entries, e)
		}
		want := NewTable(entries)
		data, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got Table
		if err := got.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(slices.Collect(want.All()), slices.Collect(got.All())); diff != "" {
			t.Error(diff)
		}
	})
}

// TestTableDamaged changes every byte, and cuts at every length.
func TestTableDamaged(t *testing.T) {
	data, err := someTable.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	refuses := func(what string, b []byte) {
		got := NewTable([]Entry{{File: File{Path: "kept"}}})
		if err := got.UnmarshalBinary(b); !errors.Is(err, ErrTable) {
			t.Errorf("%s: got %v, want ErrTable", what, err)
		}
		if _, ok := got.Get("kept"); !ok || got.Len() != 1 {
			t.Errorf("%s: the table was changed", what)
		}
	}
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 0x10
		refuses(fmt.Sprintf("byte %d", i), damaged)
		refuses(fmt.Sprintf("first %d bytes", i), data[:i])
	}
	refuses("one byte more", append(slices.Clone(data), 0))
	refuses("no bytes", nil)
	// The check sum holds, the content does not.
	for what, b := range map[string][]byte{
		"more than it has": sealed("FVFT\x00\x00\xff\xff\xff\xff"),
		"fewer":            sealed(string(data[:6]) + "\x01" + string(data[7:len(data)-4])),
		"another version":  sealed("FVFT\x01\x00" + string(data[6:len(data)-4])),
		"unsorted":         twisted(t, []Entry{{File: File{Path: "b"}}, {File: File{Path: "a"}}}),
		"twice":            twisted(t, []Entry{{File: File{Path: "a"}}, {File: File{Path: "a"}}}),
		"no path":          twisted(t, []Entry{{}}),
	} {
		refuses(what, b)
	}
}

func twisted(t *testing.T, entries []Entry) []byte {
	data, err := (&Table{entries: entries}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func FuzzTable(f *testing.F) {
	data, err := someTable.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data[:len(data)-4]))
	f.Add("FVFT\x00\x00\x00\x00\x00\x00")
	f.Fuzz(func(t *testing.T, body string) {
		data := sealed(body)
		var table Table
		if table.UnmarshalBinary(data) != nil {
			return
		}
		again, err := table.MarshalBinary()
		if err != nil || string(again) != string(data) {
			t.Errorf("%q reads as a table that is written as %q, %v", data, again, err)
		}
	})
}
