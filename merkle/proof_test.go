// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"bytes"
	"errors"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/proof"
)

func TestProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawContent(t, "leaves")
		m := buildOf(content)
		asked := leaves().Draw(t, "asked")
		key, value := asked.key, []byte(nil)
		if l := content[key]; l != nil {
			value = l.AppendCanonical(nil)
		}
		p := m.Prove(key)
		if err := verify(m.Root(), key, value, p); err != nil {
			t.Fatal(err)
		}
		for _, l := range content {
			if l.key != key {
				refuses(t, "another value", m.Root(), key, l.AppendCanonical(nil), p)
				refuses(t, "another key", m.Root(), l.key, value, p)
			}
		}
		if value == nil {
			refuses(t, "presence of what is absent", m.Root(), key, asked.AppendCanonical(nil), p)
		} else {
			refuses(t, "absence of what is present", m.Root(), key, nil, p)
		}
		for range 20 {
			name, q := forge(t, p)
			refuses(t, name, m.Root(), key, value, q)
		}
		refuses(t, "another root", Sum(key[:]), key, value, p)
	})
}

// forge changes a proof in one place.
func forge(t *rapid.T, p Proof) (name string, _ Proof) {
	q := Proof{Steps: slices.Clone(p.Steps)}
	if p.Other != nil {
		other := *p.Other
		q.Other = &other
	}
	for i := range q.Steps {
		q.Steps[i].Beside = slices.Clone(q.Steps[i].Beside)
	}
	at := rapid.IntRange(0, len(q.Steps)-1).Draw(t, "step")
	s := &q.Steps[at]
	bit := uint16(1) << rapid.IntRange(0, 15).Draw(t, "bit")
	n := len(s.Beside)
	switch how := rapid.SampledFrom([]string{"kids", "leaves", "both", "a bit", "swapped", "more", "fewer", "end", "start", "longer", "other"}).Draw(t, "how"); {
	case how == "kids":
		s.Kids ^= bit
	case how == "leaves":
		s.Leaves ^= bit
	case how == "both":
		s.Kids, s.Leaves = s.Kids^bit, s.Leaves^bit
	case how == "a bit" && n > 0:
		s.Beside[rapid.IntRange(0, n-1).Draw(t, "link")][rapid.IntRange(0, 31).Draw(t, "byte")] ^= byte(bit | bit>>8)
	case how == "swapped" && n > 1:
		i := rapid.IntRange(1, n-1).Draw(t, "link")
		s.Beside[0], s.Beside[i] = s.Beside[i], s.Beside[0]
	case how == "more":
		s.Beside = append(s.Beside, Digest{})
	case how == "fewer" && n > 0:
		s.Beside = s.Beside[1:]
	case how == "start":
		q.Steps = q.Steps[1:]
	case how == "longer":
		q.Steps = append(q.Steps, q.Steps[len(q.Steps)-1])
	case how == "other" && q.Other != nil:
		q.Other.Value[7] ^= 1
	default:
		q.Steps = q.Steps[:len(q.Steps)-1]
	}
	return "forged", q
}

func refuses(t *rapid.T, name string, root, key Digest, value []byte, p Proof) {
	t.Helper()
	if verify(root, key, value, p) == nil {
		t.Fatalf("%s: the proof holds", name)
	}
}

// errRoot is returned by verify for a proof of another root.
var errRoot = errors.New("a proof of another root")

// verify checks a proof with package proof, which shares no code with this one.
func verify(root, key Digest, value []byte, p Proof) error {
	var f proof.File
	for _, s := range p.Steps {
		step := proof.Step{Kids: s.Kids, Leaves: s.Leaves}
		for _, d := range s.Beside {
			step.Beside = append(step.Beside, d[:]...)
		}
		f.Map = append(f.Map, step)
	}
	if p.Other != nil {
		f.Other = &proof.Other{Key: p.Other.Key[:], Value: p.Other.Value[:]}
	}
	got, err := f.RootOf(key, value)
	if err == nil && got != root {
		err = errRoot
	}
	return err
}

// TestProofShowsNoNeighbours looks for parts of other leaves in a proof.
func TestProofShowsNoNeighbours(t *testing.T) {
	all := benchLeaves(300)
	m := Build(all)
	for _, asked := range []Digest{all[7].key, Sum([]byte("absent"))} {
		p := m.Prove(asked)
		var shown []byte
		for _, s := range p.Steps {
			for _, d := range s.Beside {
				shown = append(shown, d[:]...)
			}
			if n := bits.OnesCount16(s.Kids | s.Leaves); len(s.Beside) > 2*(groupSize-1) && n > groupSize+1 {
				t.Errorf("%d links of a node with %d entries", len(s.Beside), n)
			}
		}
		for _, l := range all {
			value := Sum(l.AppendCanonical(nil))
			if bytes.Contains(shown, l.key[:]) || bytes.Contains(shown, value[:]) {
				t.Errorf("the proof shows the key or value of %s", l.id)
			}
		}
	}
}

// TestProofOfForeignBlocks checks that nodes with the right digests prove nothing unless
// they form a map.
func TestProofOfForeignBlocks(t *testing.T) {
	a, b := newLeaf("a", 1), newLeaf("b", 1)
	lone := &hnode[*testLeaf]{leafMap: slot(a.key, 1), leaves: []*testLeaf{a}}
	top := &hnode[*testLeaf]{kidMap: slot(a.key, 0), kids: []*hnode[*testLeaf]{lone}}
	moved := &hnode[*testLeaf]{leafMap: slot(b.key, 0), leaves: []*testLeaf{a}}
	empty := &hnode[*testLeaf]{kidMap: slot(a.key, 0), kids: []*hnode[*testLeaf]{{}}}
	for _, c := range []struct {
		name string
		root *hnode[*testLeaf]
		key  Digest
		leaf *testLeaf
		want string
	}{
		{"a lone leaf below the root", top, a.key, a, "do not form a map"},
		{"an empty node below the root", empty, a.key, nil, "do not form a map"},
		{"a leaf in the slot of another", moved, b.key, nil, "does not end there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.root.seal(nil)
			var value []byte
			if c.leaf != nil {
				value = c.leaf.AppendCanonical(nil)
			}
			err := verify(c.root.digest, c.key, value, (Map[*testLeaf]{root: c.root}).Prove(c.key))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	for _, steps := range []int{0, maxLevels + 1} {
		if verify(emptyRoot, a.key, nil, Proof{Steps: make([]Step, steps)}) == nil {
			t.Errorf("a proof of %d nodes holds", steps)
		}
	}
}
