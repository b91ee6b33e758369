// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// emptyMapCID is the CID of the block a0, the empty map of DAG-CBOR, as every
// IPFS tool prints it.
const emptyMapCID = "bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua"

func TestSumText(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("long", 1000)} {
		if got, want := SumText(text), Sum([]byte(text)); got != want {
			t.Errorf("%.8q: %v as text, %v as bytes", text, got, want)
		}
	}
}

func TestDigestText(t *testing.T) {
	d := Sum(AppendMap(nil, 0))
	if got := d.String(); got != emptyMapCID {
		t.Errorf("String() = %s, want %s", got, emptyMapCID)
	}
	encoded, err := json.Marshal(struct{ Root Digest }{d})
	if want := `{"Root":"` + emptyMapCID + `"}`; err != nil || string(encoded) != want {
		t.Errorf("json.Marshal = %s, %v, want %s", encoded, err, want)
	}
	var back struct{ Root Digest }
	if err := json.Unmarshal(encoded, &back); err != nil || back.Root != d {
		t.Errorf("json.Unmarshal = %s, %v", back.Root, err)
	}
	text, err := d.AppendText([]byte("root "))
	if err != nil || string(text) != "root "+emptyMapCID {
		t.Errorf("AppendText = %s, %v", text, err)
	}
}

func TestParse(t *testing.T) {
	d := Sum(AppendMap(nil, 0))
	digits := hex.EncodeToString(d[:])
	last := emptyMapCID[:len(emptyMapCID)-1]
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"CID", emptyMapCID, true},
		{"hex", digits, true},
		{"upper-case hex", strings.ToUpper(digits), true},
		{"empty", "", false},
		{"63 hex digits", digits[1:], false},
		{"not hex", "x" + digits[1:], false},
		{"upper-case CID", strings.ToUpper(emptyMapCID), false},
		{"cut CID", last, false},
		{"CID with bits left over", last + "b", false},
		{"CID of a raw block", "bafkrei" + emptyMapCID[7:], false},
		{"CID version 0", "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n", false},
		{"CID in another base", "z" + emptyMapCID[1:], false},
		{"space around", " " + emptyMapCID, false},
		{"very long", strings.Repeat("b", 1<<20), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(c.text)
			switch {
			case c.ok && (err != nil || got != d):
				t.Errorf("Parse = %s, %v, want %s", got, err, d)
			case !c.ok && (!errors.Is(err, ErrSyntax) || !got.IsZero()):
				t.Errorf("Parse = %s, %v, want ErrSyntax", got, err)
			case !c.ok && len(err.Error()) > 300:
				t.Errorf("message of %d bytes", len(err.Error()))
			}
		})
	}
	kept := d
	if err := kept.UnmarshalText([]byte("nonsense")); !errors.Is(err, ErrSyntax) || kept != d {
		t.Errorf("UnmarshalText of nonsense: %v, and the digest is %s", err, kept)
	}
}

func TestDigestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Sum(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if got, err := Parse(d.String()); err != nil || got != d {
			t.Fatalf("Parse(String()) = %s, %v, want %s", got, err, d)
		}
		if d.Compare(d) != 0 || d.Compare(Digest{}) != 1 || (Digest{}).Compare(d) != -1 {
			t.Fatal("Compare does not order by bytes")
		}
	})
}
