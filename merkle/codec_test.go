// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// pair of a map, in the order of its encoding.
type keyed struct {
	Key   string
	Value any
}

// encode appends a value made of nil, bool, int64, uint64, string, []byte,
// Digest, []any and []keyed. Integers from 0 are uint64.
func encode(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return AppendNull(dst)
	case bool:
		return AppendBool(dst, v)
	case int64:
		return AppendInt(dst, v)
	case uint64:
		return AppendUint(dst, v)
	case string:
		return AppendText(dst, v)
	case []byte:
		return AppendBytes(dst, v)
	case Digest:
		return AppendLink(dst, v)
	case []any:
		dst = AppendList(dst, len(v))
		for _, x := range v {
			dst = encode(dst, x)
		}
		return dst
	case []keyed:
		dst = AppendMap(dst, len(v))
		for _, p := range v {
			dst = encode(AppendText(dst, p.Key), p.Value)
		}
		return dst
	}
	panic("no such value")
}

// decode reads what encode wrote. Integers beyond 64 bits are returned as Raw.
func decode(r *Reader) any {
	switch r.Peek() {
	case KindNull:
		r.Null()
		return nil
	case KindBool:
		return r.Bool()
	case KindInt:
		return decodeInt(r)
	case KindText:
		return r.Text()
	case KindBytes:
		return append([]byte{}, r.Bytes()...)
	case KindLink:
		return r.Link()
	case KindList:
		list := make([]any, r.List())
		for i := range list {
			list[i] = decode(r)
		}
		return list
	case KindMap:
		pairs := make([]keyed, r.Map())
		for i := range pairs {
			pairs[i] = keyed{r.Text(), decode(r)}
		}
		return pairs
	}
	r.fail("a value")
	return nil
}

// wideInt is a negative integer beyond int64, which only Raw can read.
type wideInt []byte

func decodeInt(r *Reader) any {
	try := *r
	if v := try.Uint(); try.Err() == nil {
		*r = try
		return v
	}
	try = *r
	if v := try.Int(); try.Err() == nil {
		*r = try
		return v
	}
	return wideInt(r.Raw())
}

// values draws values that encode accepts.
func values() *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Bool().AsAny(), rapid.Uint64().AsAny(), rapid.Int64Max(-1).AsAny(),
		rapid.String().AsAny(), rapid.SliceOf(rapid.Byte()).AsAny(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), Sum).AsAny(),
	)
	nested := scalar
	for range 3 {
		inner := nested
		list := rapid.SliceOfN(inner, 0, 5).AsAny()
		pairs := rapid.Map(rapid.MapOfN(rapid.String(), inner, 0, 5), sortPairs).AsAny()
		nested = rapid.OneOf(scalar, list, pairs)
	}
	return nested
}

func sortPairs(m map[string]any) []keyed {
	pairs := make([]keyed, 0, len(m))
	for k, v := range m {
		at := 0
		for at < len(pairs) && (len(pairs[at].Key) < len(k) || len(pairs[at].Key) == len(k) && pairs[at].Key < k) {
			at++
		}
		pairs = append(pairs[:at], append([]keyed{{k, v}}, pairs[at:]...)...)
	}
	return pairs
}

func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := values().Draw(t, "value")
		block := encode(nil, want)
		r := NewReader(block)
		got := decode(r)
		if err := r.Done(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("decoded (-want +got):\n%s", diff)
		}
		if raw := NewReader(block); !bytes.Equal(raw.Raw(), block) || raw.Done() != nil {
			t.Fatalf("Raw did not return the block; %v", raw.Err())
		}
		// No canonical encoding is a prefix of another one.
		cut := rapid.IntRange(0, len(block)-1).Draw(t, "cut")
		if err := Check(block[:cut]); !errors.Is(err, ErrCanonical) {
			t.Fatalf("Check of the first %d bytes of %d: %v", cut, len(block), err)
		}
	})
}

// FuzzReader reads arbitrary bytes: if Check accepts them, they decode and
// encode to the same bytes; if it rejects them, no Reader reads them.
func FuzzReader(f *testing.F) {
	for _, v := range []any{
		nil, true, uint64(23), uint64(24), uint64(1 << 32), int64(-1), int64(math.MinInt64), "é", []byte{0}, Sum(nil),
		[]any{"a", []any{}}, []keyed{{"", nil}, {"b", uint64(1)}, {"aa", []keyed{}}},
	} {
		f.Add(encode(nil, v))
	}
	for _, c := range refused {
		f.Add(c.bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader(b)
		if err := Check(b); err != nil {
			if !errors.Is(err, ErrCanonical) || r.Peek() != KindNone || !errors.Is(r.Done(), ErrCanonical) {
				t.Fatalf("Check: %v, Peek: %v, Done: %v", err, r.Peek(), r.Done())
			}
			return
		}
		v := decode(r)
		if err := r.Done(); err != nil {
			t.Fatalf("accepted, but not read: %v", err)
		}
		if got := encodeWide(v); !bytes.Equal(got, b) {
			t.Fatalf("encodes to\n%x, was\n%x", got, b)
		}
	})
}

// encodeWide is encode for values that may hold integers beyond 64 bits.
func encodeWide(v any) []byte {
	switch v := v.(type) {
	case wideInt:
		return v
	case []any:
		b := AppendList(nil, len(v))
		for _, x := range v {
			b = append(b, encodeWide(x)...)
		}
		return b
	case []keyed:
		b := AppendMap(nil, len(v))
		for _, p := range v {
			b = append(AppendText(b, p.Key), encodeWide(p.Value)...)
		}
		return b
	}
	return encode(nil, v)
}

// refused lists encodings that a lenient decoder might accept or crash on.
var refused = []struct {
	name  string
	bytes []byte
	want  string // part of the message
}{
	{"nothing", nil, "byte 0: the input ends before the value"},
	{"two values", unhex("0102"), "byte 1: bytes after the value"},
	{"23 in two bytes", unhex("1817"), "shortest"},
	{"255 in three bytes", unhex("1900ff"), "shortest"},
	{"65535 in five bytes", unhex("1a0000ffff"), "shortest"},
	{"2^32-1 in nine bytes", unhex("1b00000000ffffffff"), "shortest"},
	{"a length in two bytes", unhex("780161"), "shortest"},
	{"a negative number in two bytes", unhex("3800"), "shortest"},
	{"reserved argument 28", unhex("1c"), "reserved"},
	{"an indefinite byte string", unhex("5f4100ff"), "indefinite"},
	{"an indefinite text", unhex("7f6161ff"), "indefinite"},
	{"an indefinite list", unhex("9f01ff"), "indefinite"},
	{"an indefinite map", unhex("bf616101ff"), "indefinite"},
	{"a cut number", unhex("1901"), "inside a length or number"},
	{"a cut text", unhex("6261"), "string longer than the input"},
	{"a byte string of 2^63", unhex("5b8000000000000000"), "string longer than the input"},
	{"a list of 2^64-1", unhex("9bffffffffffffffff"), "list or map longer than the input"},
	{"a map of 2^32", unhex("bb0000000100000000"), "list or map longer than the input"},
	{"a list without its end", unhex("826161"), "ends before"},
	{"a map without its last value", unhex("a16161"), "ends before"},
	{"text that is not UTF-8", unhex("61ff"), "UTF-8"},
	{"a surrogate in UTF-8", unhex("63eda080"), "UTF-8"},
	{"keys in byte order, not length first", unhex("a262616101616202"), "byte 5: map keys out of order"},
	{"keys of one length out of order", unhex("a2616201616102"), "map keys out of order"},
	{"a key twice", unhex("a2616101616102"), "a repeated key"},
	{"a number as a key", unhex("a10102"), "key that is not text"},
	{"bytes as a key", unhex("a1416102"), "key that is not text"},
	{"a key that is not UTF-8", unhex("a161ff02"), "UTF-8"},
	{"a float of 16 bits", unhex("f93c00"), "float"},
	{"a float of 64 bits", unhex("fb3ff0000000000000"), "float"},
	{"undefined", unhex("f7"), "simple value"},
	{"simple value 0", unhex("e0"), "simple value"},
	{"simple value 255", unhex("f8ff"), "simple value"},
	{"a break", unhex("ff"), "simple value"},
	{"a date (tag 1)", unhex("c100"), "tag"},
	{"tag 42 in three bytes", unhex("d9002a582500017112200000000000000000000000000000000000000000000000000000000000000000"), "shortest"},
	{"a link to a raw block", link("\x00\x01\x55\x12\x20"), "tag"},
	{"a link by another hash", link("\x00\x01\x71\x1e\x20"), "tag"},
	{"a link without the zero byte", link("\x01\x01\x71\x12\x20"), "tag"},
	{"a cut link", link("\x00\x01\x71\x12\x20")[:40], "tag"},
	{"lists 65 deep", append(bytes.Repeat([]byte{0x81}, MaxDepth), 0x80), "than the limit"},
	{"lists a million deep", bytes.Repeat([]byte{0x81}, 1<<20), "than the limit"},
}

func link(header string) []byte {
	return append(append(unhex("d82a5825"), header...), make([]byte, DigestSize)...)
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func TestCheckRefuses(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.bytes)
			if !errors.Is(err, ErrCanonical) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Check(%x) = %v, want ErrCanonical that says %q", c.bytes, err, c.want)
			}
			r := NewReader(c.bytes)
			if r.Text(); !errors.Is(r.Err(), ErrCanonical) {
				t.Errorf("a Reader of it: error %v", r.Err())
			}
		})
	}
}

func TestCheckAcceptsTheLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes []byte
	}{
		{"lists 64 deep", append(bytes.Repeat([]byte{0x81}, MaxDepth-1), 0x80)},
		{"a value below 64 lists", append(bytes.Repeat([]byte{0x81}, MaxDepth), 0x00)},
		{"2^64-1", unhex("1bffffffffffffffff")},
		{"-2^64", unhex("3bffffffffffffffff")},
		{"24 in two bytes", unhex("1818")},
		{"an empty key", unhex("a16000")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := Check(c.bytes); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	block := encode(nil, []keyed{{"a", []any{"x", Sum(nil), uint64(7)}}, {"b", []byte("y")}})
	if n := testing.AllocsPerRun(100, func() { _ = Check(block) }); n != 0 {
		t.Errorf("Check allocates %v times, want 0", n)
	}
}
