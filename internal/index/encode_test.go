// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func encode(t interface{ Fatal(...any) }, x *Lexical) []byte {
	b, err := x.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sealed appends the checksum to body.
func sealed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(body[:len(body):len(body)], crc32.Checksum(body, castagnoli))
}

func TestDecodeReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := Build(rapid.SliceOfN(rapid.Custom(genDoc), 0, 30).Draw(t, "docs"))
		written := encode(t, x)
		y, err := Decode(written)
		if err != nil {
			t.Fatal(err)
		}
		clear(written) // Decode must not keep a reference
		if diff := cmp.Diff(answers(x), answers(y)); diff != "" {
			t.Fatalf("answers (-before +after):\n%s", diff)
		}
		more := rapid.SliceOfN(rapid.Custom(genDoc), 0, 5).Draw(t, "more")
		if diff := cmp.Diff(answers(x.Update(nil, more)), answers(y.Update(nil, more))); diff != "" {
			t.Fatalf("answers after an update (-before +after):\n%s", diff)
		}
		if string(encode(t, x)) != string(encode(t, y)) {
			t.Fatal("written otherwise after reading back")
		}
	})
}

func smallIndex() *Lexical {
	return Build([]Doc{
		{ID: "a", Title: "Apples", Tags: []string{"fruit"}, Body: "apples and pears"},
		{ID: "b", Body: "a pear, and more pears"},
		{ID: "c", Body: "学习"},
	})
}

// TestGoldenBytes pins the format. A change of these bytes needs a new FormatVersion or
// AnalyzerVersion.
func TestGoldenBytes(t *testing.T) {
	got := strings.TrimPrefix(string(encode(t, smallIndex())), Magic+"\x00"+string(rune(len(AnalyzerVersion)))+AnalyzerVersion)
	got = got[:len(got)-crcBytes]
	want := "\x03\x07" + // documents, terms
		"\x01\x01\x01abc" + // ids
		"\x08\x05\x01" + // lengths: 3 + 2 + 3, 5, 1
		"\x01\x03\x04\x05\x04\x04\x06" + "a" + "and" + "appl" + "fruit" + "more" + "pear" + "学习" +
		"\x01\x02\x02\x02\x01\x03\x01" +
		"\x03" + "\x01\x01" + "\x00\x04" + "\x00\x02" + "\x03" + "\x01\x00\x02" + "\x05"
	if diff := cmp.Diff(fmt.Sprintf("%q", want), fmt.Sprintf("%q", got)); diff != "" {
		t.Errorf("encoded index (-want +got):\n%s", diff)
	}
}

func TestDecodeRefusesEveryFlippedByteAndCut(t *testing.T) {
	whole := encode(t, smallIndex())
	for i := range whole {
		if _, err := Decode(whole[:i]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d bytes: got %v, want ErrDamaged", i, err)
		}
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x40
		if _, err := Decode(damaged); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d flipped: got %v, want ErrDamaged", i, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	header := Magic + "\x00" + string(rune(len(AnalyzerVersion))) + AnalyzerVersion
	for _, tc := range []struct {
		name, body string
		want       error
		says       string
	}{
		{"nothing after the header", header, ErrDamaged, "number"},
		{"other format", Magic + "\x01", ErrVersion, "format 1, want 0"},
		{"other analyzer", Magic + "\x00\x01x", ErrVersion, `analyzer "x"`},
		{"long form of a number", header + "\x80\x00\x00", ErrDamaged, "number"},
		{"more documents than data", header + "\xff\xff\x03\x00", ErrDamaged, "number"},
		{"terms without documents", header + "\x00\x01\x01a\x01\x01", ErrDamaged, "counts"},
		{"ids that fall", header + "\x02\x00\x01\x01ba\x01\x01", ErrDamaged, "ids"},
		{"one id twice", header + "\x02\x00\x01\x01aa\x01\x01", ErrDamaged, "ids"},
		{"terms that fall", header + "\x01\x02\x01a\x01\x01\x01ba\x01\x01\x01\x01", ErrDamaged, "terms"},
		{"string beyond the data", header + "\x01\x00\x05a\x01", ErrDamaged, "number"},
		{"ids beyond the data", header + "\x03\x00\x01\x01", ErrDamaged, "table"},
		{"bytes left over", header + "\x00\x00\x00", ErrDamaged, "end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Decode(sealed([]byte(tc.body)))
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %v that says %q", err, tc.want, tc.says)
			}
		})
	}
}

// TestForgedPostings: postings that name a document that there is not are left out.
func TestForgedPostings(t *testing.T) {
	header := Magic + "\x00" + string(rune(len(AnalyzerVersion))) + AnalyzerVersion
	const docs, terms = "\x02\x02\x01\x01ab\x01\x01", "\x01\x01xy"
	for _, tc := range []struct {
		name, lists string
		want        []string
	}{
		{"both documents", "\x01\x01\x01\x03", []string{"a", "b"}},
		{"one behind the last", "\x02\x01\x03\x01\x03", []string{"b", "b"}},
		{"far behind it", "\x01\x05\x0b\xff\xff\xff\x7f\x01", []string{"", ""}},
	} {
		x, err := Decode(sealed([]byte(header + docs + terms + tc.lists)))
		if err != nil {
			t.Fatal(tc.name, err)
		}
		for i, word := range []string{"x", "y"} {
			var got strings.Builder
			for id := range x.Scores(word) {
				got.WriteString(id)
			}
			if got.String() != tc.want[i] {
				t.Errorf("%s: %q has %q, want %q", tc.name, word, got.String(), tc.want[i])
			}
		}
	}
}

// FuzzDecode decodes forged data with a valid checksum. It must be rejected, or give an
// index that can be searched, updated and encoded without a panic.
func FuzzDecode(f *testing.F) {
	whole := encode(f, smallIndex())
	f.Add(whole[:len(whole)-crcBytes])
	f.Add(append(whole[:len(whole)-crcBytes-1:len(whole)], 0x80))
	empty := encode(f, nil)
	f.Add(empty[:len(empty)-crcBytes])
	f.Fuzz(func(t *testing.T, body []byte) {
		x, err := Decode(sealed(body))
		if err != nil {
			return
		}
		answers(x)
		x.Explain("apple pear", "a")
		y := x.Update([]string{"a"}, []Doc{{ID: "zz", Body: "apple"}})
		answers(y)
		if _, err := Decode(encode(t, y)); err != nil {
			t.Errorf("an accepted index does not read back after an update: %v", err)
		}
	})
}

// TestFormatPage compares the table of constants in the document with the code.
func TestFormatPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "doc", "format", "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		got[m[1]] = m[2]
	}
	want := map[string]string{
		"Magic": Magic, "FormatVersion": fmt.Sprint(FormatVersion),
		"titleWeight": fmt.Sprint(titleWeight), "tagWeight": fmt.Sprint(tagWeight), "bodyWeight": fmt.Sprint(bodyWeight),
		"maxWordBytes": fmt.Sprint(maxWordBytes), "longPrefixBytes": fmt.Sprint(longPrefixBytes),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("constants (-code +document):\n%s", diff)
	}
}
