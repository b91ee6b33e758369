// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/ipfs/go-cid"
	"github.com/ipld/go-ipld-prime/codec/dagcbor"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/merkle"
)

func TestEncodingIsTheirs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values().Draw(t, "value")
		var theirs bytes.Buffer
		if err := dagcbor.Encode(v.theirs, &theirs); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(v.ours, theirs.Bytes()) {
			t.Fatalf("Fovea encodes\n%x, IPLD\n%x", v.ours, theirs.Bytes())
		}
		if _, ok := canonical(v.ours); !ok {
			t.Fatalf("IPLD does not decode %x to a value of that encoding", v.ours)
		}
		if err := merkle.Check(v.ours); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCIDIsTheirs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := rapid.SliceOf(rapid.Byte()).Draw(t, "block")
		ours, theirs := merkle.Sum(block), cidOf(block)
		if ours.String() != theirs.String() {
			t.Fatalf("Fovea prints %s, go-cid %s", ours, theirs)
		}
		back, err := merkle.Parse(theirs.String())
		if err != nil || back != ours {
			t.Fatalf("Parse of the CID of go-cid: %s, %v", back, err)
		}
		c, err := cid.Decode(ours.String())
		if err != nil || !c.Equals(theirs) {
			t.Fatalf("go-cid reads %s, %v", c, err)
		}
	})
}

// differences are where the two sides judge the same bytes differently, or
// would be expected to. Theirs is canonical, not the decoder alone.
var differences = []struct {
	name         string
	block        []byte
	ours, theirs bool // accepted
}{
	{"a float: Fovea has none", float(), false, true},
	{"a link to a raw block: Fovea links to its own blocks only", rawLink(), false, true},
	{"65 levels: Fovea stops at 64, IPLD at 1024", deep(65), false, true},
	{"text that is not UTF-8: IPLD lets it pass", unhex("61ff"), false, true},
	{"2^64-1: both", unhex("1bffffffffffffffff"), true, true},
	{"-2^63-1: IPLD has int64", unhex("3b8000000000000000"), true, false},
}

// agreed are encodings that neither side takes for canonical.
var agreed = map[string]string{
	"nothing":                    "",
	"an integer of two bytes":    "1817",
	"a length of two bytes":      "780161",
	"an indefinite list":         "9f01ff",
	"an indefinite map":          "bf616101ff",
	"an indefinite text":         "7f6161ff",
	"keys in byte order":         "a262616101616202",
	"keys of one length swapped": "a2616201616102",
	"a key twice":                "a2616101616102",
	"an integer as a key":        "a10102",
	"a float of 16 bits":         "f93c00",
	"a float of 32 bits":         "fa3f800000",
	"a NaN":                      "fb7ff8000000000000",
	"an infinity":                "fb7ff0000000000000",
	"undefined":                  "f7",
	"a simple value":             "e0",
	"a date":                     "c100",
	"a link without a CID":       "d82a4100",
	"a link of text":             "d82a6100",
	"two values":                 "0102",
	"a list cut short":           "8201",
	"a text cut short":           "626",
	"a list of 2^64-1":           "9bffffffffffffffff",
}

func TestDifferences(t *testing.T) {
	for _, c := range differences {
		t.Run(c.name, func(t *testing.T) {
			ours := merkle.Check(c.block) == nil
			if _, theirs := canonical(c.block); ours != c.ours || theirs != c.theirs {
				t.Errorf("%x: accepted by Fovea %t, by IPLD %t, want %t and %t", c.block, ours, theirs, c.ours, c.theirs)
			}
		})
	}
	for name, digits := range agreed {
		t.Run("both refuse "+name, func(t *testing.T) {
			block := unhex(digits)
			if _, theirs := canonical(block); theirs || !errors.Is(merkle.Check(block), merkle.ErrCanonical) {
				t.Errorf("%x: accepted by Fovea %t, by IPLD %t, want neither", block, merkle.Check(block) == nil, theirs)
			}
		})
	}
}

func unhex(s string) []byte {
	b, _ := hex.DecodeString(s) // of an odd number of digits, the whole bytes
	return b
}

// compare holds the verdicts on any bytes against each other. They may differ
// by what the table of differences names, and by nothing else.
func compare(t interface{ Fatalf(string, ...any) }, block []byte) {
	err := merkle.Check(block)
	n, theirs := canonical(block)
	switch {
	case err == nil && !theirs && !hasWideInt(merkle.NewReader(block)):
		t.Fatalf("%x: accepted by Fovea, not by IPLD", block)
	case err != nil && theirs && beyond(n, 0) == "":
		t.Fatalf("%x: canonical to IPLD, but %v", block, err)
	}
}

// hasWideInt reports whether a block has an integer below -2^63.
func hasWideInt(r *merkle.Reader) bool {
	switch r.Peek() {
	case merkle.KindInt:
		raw := r.Raw()
		return raw[0] == 0x3b && raw[1] >= 0x80
	case merkle.KindList:
		for range r.List() {
			if hasWideInt(r) {
				return true
			}
		}
	case merkle.KindMap:
		for range r.Map() {
			r.Text()
			if hasWideInt(r) {
				return true
			}
		}
	default:
		r.Raw()
	}
	return false
}

// TestVerdictsAgree damages encodings of random values in small ways.
func TestVerdictsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := slices.Clone(values().Draw(t, "value").ours)
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			at := rapid.IntRange(0, len(block)).Draw(t, "at")
			switch extra := rapid.Byte().Draw(t, "byte"); {
			case at == len(block) || extra%3 == 0:
				block = slices.Insert(block, at, extra)
			case extra%3 == 1:
				block = slices.Delete(block, at, at+1)
			default:
				block[at] ^= extra
			}
		}
		compare(t, block)
	})
}

func FuzzVerdicts(f *testing.F) {
	for _, c := range differences {
		f.Add(c.block)
	}
	for _, digits := range agreed {
		f.Add(unhex(digits))
	}
	f.Fuzz(func(t *testing.T, block []byte) { compare(t, block) })
}
