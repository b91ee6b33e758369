// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawContent(t, "leaves")
		m := buildOf(content)
		key := leaves().Draw(t, "asked").key
		p := m.Prove(key)
		value, ok, err := VerifyProof(m.Root(), key, p)
		if err != nil {
			t.Fatal(err)
		}
		l, want := content[key]
		if ok != want || ok && !bytes.Equal(value, l.AppendCanonical(nil)) {
			t.Fatalf("VerifyProof = %x, %t, want presence %t", value, ok, want)
		}

		other := rapid.Custom(func(t *rapid.T) Digest { return Sum(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) })
		if root := other.Draw(t, "root"); root != m.Root() {
			refuses(t, "another root", root, key, p)
		}
		i := rapid.IntRange(0, len(p)-1).Draw(t, "block")
		at := rapid.IntRange(0, len(p[i])-1).Draw(t, "byte")
		flipped := slices.Clone(p)
		flipped[i] = slices.Clone(p[i])
		flipped[i][at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		refuses(t, "a flipped bit", m.Root(), key, flipped)
		refuses(t, "a missing end", m.Root(), key, p[:len(p)-1])
		refuses(t, "a missing start", m.Root(), key, p[1:])
		refuses(t, "a block too many", m.Root(), key, append(slices.Clone(p), p[len(p)-1]))
	})
}

func refuses(t *rapid.T, name string, root, key Digest, p Proof) {
	t.Helper()
	if _, ok, err := VerifyProof(root, key, p); !errors.Is(err, ErrProof) || ok {
		t.Fatalf("%s: VerifyProof = %t, %v, want ErrProof", name, ok, err)
	}
}

// TestProofOfForeignBlocks checks that blocks with the right digests prove
// nothing unless they form a map.
func TestProofOfForeignBlocks(t *testing.T) {
	a, b := newLeaf("a", 1), newLeaf("b", 1)
	at := func(l *testLeaf, bit uint16) []byte {
		return (&hnode[*testLeaf]{leafMap: bit, leaves: []*testLeaf{l}}).appendBlock(nil)
	}
	for _, c := range []struct {
		name  string
		block []byte
		want  error
	}{
		{"a leaf in the slot of another", at(a, slot(b.key, 0)), ErrShape},
		{"a value that is no map", AppendText(nil, "no map"), ErrKind},
		{"bytes that are no value", []byte{0xff}, ErrCanonical},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, ok, err := VerifyProof(Sum(c.block), b.key, Proof{c.block}); !errors.Is(err, c.want) || ok {
				t.Errorf("VerifyProof = %t, %v, want %v", ok, err, c.want)
			}
		})
	}
	lone := &hnode[*testLeaf]{leafMap: slot(a.key, 1), leaves: []*testLeaf{a}}
	top := &hnode[*testLeaf]{kidMap: slot(a.key, 0), kids: []*hnode[*testLeaf]{lone}}
	top.seal(nil)
	p := Proof{top.appendBlock(nil), lone.appendBlock(nil)}
	if _, ok, err := VerifyProof(top.digest, a.key, p); !errors.Is(err, ErrShape) || ok {
		t.Errorf("a lone leaf below the root: VerifyProof = %t, %v, want ErrShape", ok, err)
	}
	if _, _, err := VerifyProof(emptyRoot, a.key, nil); !errors.Is(err, ErrProof) {
		t.Errorf("no blocks: error %v, want ErrProof", err)
	}
}
