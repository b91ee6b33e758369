// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/ipfs/go-cid"
	"github.com/ipld/go-ipld-prime/codec/dagcbor"
	"github.com/ipld/go-ipld-prime/datamodel"
	cidlink "github.com/ipld/go-ipld-prime/linking/cid"
	"github.com/ipld/go-ipld-prime/node/basicnode"
	"github.com/multiformats/go-multihash"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/merkle"
)

// both is one value in both worlds: Fovea's encoding and the node of IPLD.
type both struct {
	ours   []byte
	theirs datamodel.Node
}

// values draws values of all kinds, up to three lists and maps deep.
func values() *rapid.Generator[both] {
	nested := scalars()
	for range 3 {
		nested = rapid.OneOf(scalars(), lists(nested), maps(nested))
	}
	return nested
}

func scalars() *rapid.Generator[both] {
	return rapid.OneOf(
		rapid.Just(both{merkle.AppendNull(nil), datamodel.Null}),
		rapid.Map(rapid.Bool(), func(v bool) both { return both{merkle.AppendBool(nil, v), basicnode.NewBool(v)} }),
		rapid.Map(rapid.Int64(), func(v int64) both { return both{merkle.AppendInt(nil, v), basicnode.NewInt(v)} }),
		rapid.Map(rapid.Uint64(), func(v uint64) both { return both{merkle.AppendUint(nil, v), basicnode.NewUint(v)} }),
		rapid.Map(rapid.String(), func(v string) both { return both{merkle.AppendText(nil, v), basicnode.NewString(v)} }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(v []byte) both { return both{merkle.AppendBytes(nil, v), basicnode.NewBytes(v)} }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(v []byte) both {
			return both{merkle.AppendLink(nil, merkle.Sum(v)), basicnode.NewLink(cidlink.Link{Cid: cidOf(v)})}
		}),
	)
}

// cidOf names a block by go-cid and go-multihash alone.
func cidOf(block []byte) cid.Cid {
	hash, err := multihash.Sum(block, multihash.SHA2_256, -1)
	if err != nil {
		panic(err)
	}
	return cid.NewCidV1(cid.DagCBOR, hash)
}

func lists(inner *rapid.Generator[both]) *rapid.Generator[both] {
	return rapid.Map(rapid.SliceOfN(inner, 0, 5), func(list []both) both {
		ours := merkle.AppendList(nil, len(list))
		b := basicnode.Prototype.List.NewBuilder()
		a := must(b.BeginList(int64(len(list))))
		for _, v := range list {
			ours = append(ours, v.ours...)
			try(a.AssembleValue().AssignNode(v.theirs))
		}
		try(a.Finish())
		return both{ours, b.Build()}
	})
}

// maps gives IPLD the pairs in Go's order of strings, so that it has to sort.
func maps(inner *rapid.Generator[both]) *rapid.Generator[both] {
	return rapid.Map(rapid.MapOfN(rapid.String(), inner, 0, 5), func(m map[string]both) both {
		keys := make([]string, 0, len(m))
		for k := range m {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		b := basicnode.Prototype.Map.NewBuilder()
		a := must(b.BeginMap(int64(len(keys))))
		for _, k := range keys {
			try(must(a.AssembleEntry(k)).AssignNode(m[k].theirs))
		}
		try(a.Finish())
		slices.SortStableFunc(keys, func(a, b string) int { return len(a) - len(b) })
		ours := merkle.AppendMap(nil, len(keys))
		for _, k := range keys {
			ours = append(merkle.AppendText(ours, k), m[k].ours...)
		}
		return both{ours, b.Build()}
	})
}

func must[T any](v T, err error) T {
	try(err)
	return v
}

func try(err error) {
	if err != nil {
		panic(err)
	}
}

// decode reads a block as IPLD does, links included.
func decode(block []byte) (datamodel.Node, error) {
	b := basicnode.Prototype.Any.NewBuilder()
	err := dagcbor.DecodeOptions{AllowLinks: true}.Decode(b, bytes.NewReader(block))
	if err != nil {
		return nil, err
	}
	return b.Build(), nil
}

// canonical decodes a block and reports whether IPLD encodes the value to the
// same bytes: its decoder alone is lenient on the order of keys.
func canonical(block []byte) (datamodel.Node, bool) {
	n, err := decode(block)
	if err != nil {
		return nil, false
	}
	var again bytes.Buffer
	if err := dagcbor.Encode(n, &again); err != nil {
		return n, false
	}
	return n, bytes.Equal(again.Bytes(), block)
}

// beyond names what a value has that DAG-CBOR allows and Fovea refuses, or
// returns "".
func beyond(n datamodel.Node, depth int) string {
	switch n.Kind() {
	case datamodel.Kind_Float:
		return "a float"
	case datamodel.Kind_String:
		if !utf8.ValidString(must(n.AsString())) {
			return "text that is not UTF-8"
		}
	case datamodel.Kind_Link:
		return foreign(must(n.AsLink()).(cidlink.Link).Cid)
	case datamodel.Kind_List:
		for it := n.ListIterator(); !it.Done(); {
			_, v, err := it.Next()
			try(err)
			if why := beyond(v, depth+1); why != "" {
				return why
			}
		}
	case datamodel.Kind_Map:
		for it := n.MapIterator(); !it.Done(); {
			k, v, err := it.Next()
			try(err)
			if why := beyond(k, depth) + beyond(v, depth+1); why != "" {
				return why
			}
		}
	}
	if k := n.Kind(); depth >= merkle.MaxDepth && (k == datamodel.Kind_List || k == datamodel.Kind_Map) {
		return "more than 64 levels"
	}
	return ""
}

func foreign(c cid.Cid) string {
	p := c.Prefix()
	if p.Version != 1 || p.Codec != cid.DagCBOR || p.MhType != multihash.SHA2_256 || p.MhLength != merkle.DigestSize {
		return "a link that is no dag-cbor by sha2-256"
	}
	return ""
}

// TestMapIsTraversable follows a map's links with IPLD from the root, as
// any of its tools would.
func TestMapIsTraversable(t *testing.T) {
	e := merkle.Map[leaf]{}.Edit()
	for i := range 5_000 {
		e.Set(leaf(fmt.Sprint(i)))
	}
	m := e.Map()
	blocks := map[cid.Cid][]byte{}
	if err := m.Blocks(func(d merkle.Digest, block []byte) error {
		c, err := cid.Decode(d.String())
		blocks[c] = slices.Clone(block)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	root, err := cid.Decode(m.Root().String())
	if err != nil {
		t.Fatal(err)
	}
	seen, leaves := traverse(t, blocks, root)
	if seen != len(blocks) || leaves != m.Len() {
		t.Errorf("IPLD reaches %d blocks and %d leaves, want %d and %d", seen, leaves, len(blocks), m.Len())
	}
}

type leaf string

func (l leaf) Key() merkle.Digest                { return merkle.Sum([]byte(l)) }
func (l leaf) AppendCanonical(dst []byte) []byte { return merkle.AppendText(dst, string(l)) }

// traverse counts the blocks below a node of the map, a group of its entries, or a leaf,
// and the leaves.
func traverse(t *testing.T, blocks map[cid.Cid][]byte, c cid.Cid) (seen, leaves int) {
	if cidOf(blocks[c]) != c {
		t.Fatalf("block %s has another CID: %s", c, cidOf(blocks[c]))
	}
	n, ok := canonical(blocks[c])
	if !ok {
		t.Fatalf("block %s is not canonical to IPLD", c)
	}
	links := n
	switch n.Kind() {
	case datamodel.Kind_Map:
		links = must(n.LookupByString("entries"))
	case datamodel.Kind_String: // the value of a leaf
		return 1, 1
	}
	seen = 1
	for it := links.ListIterator(); !it.Done(); {
		_, entry, err := it.Next()
		try(err)
		if entry.Kind() == datamodel.Kind_Link { // not the key of a leaf
			s, l := traverse(t, blocks, must(entry.AsLink()).(cidlink.Link).Cid)
			seen, leaves = seen+s, leaves+l
		}
	}
	return seen, leaves
}

func deep(n int) []byte {
	return append(bytes.Repeat([]byte{0x81}, n-1), 0x80)
}

func float() []byte {
	var b bytes.Buffer
	try(dagcbor.Encode(basicnode.NewFloat(math.Pi), &b))
	return b.Bytes()
}

func rawLink() []byte {
	c := cid.NewCidV1(cid.Raw, must(multihash.Sum(nil, multihash.SHA2_256, -1)))
	var b bytes.Buffer
	try(dagcbor.Encode(basicnode.NewLink(cidlink.Link{Cid: c}), &b))
	return b.Bytes()
}
