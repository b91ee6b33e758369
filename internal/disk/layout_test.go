// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// fieldsOf returns where the fields of a struct stand, by the names that the pages of doc/format
// give them, and its size under another name.
func fieldsOf(prefix string, fixed any, end string) map[string]int {
	places := map[string]int{}
	var walk func(t reflect.Type, at int) int
	walk = func(t reflect.Type, at int) int {
		for f := range t.Fields() {
			size := binary.Size(reflect.Zero(f.Type).Interface())
			switch {
			case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[fileInfo]():
				walk(f.Type, at)
			case f.Name != "_":
				places[prefix+strings.TrimSuffix(f.Name, "At")+"At"] = at
			}
			at += size
		}
		return at
	}
	places[end] = walk(reflect.TypeOf(fixed), 0)
	return places
}

// pageOf compares a page of doc/format with the code.
func pageOf(t *testing.T, page string, magics []string, parts ...map[string]int) {
	t.Helper()
	all := map[string]int{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	foveatest.FormatPage(t, "../../doc/format/"+page, all, magics...)
}

// TestFormatPages compares the pages of the files with the code.
func TestFormatPages(t *testing.T) {
	pageOf(t, "state-folder.md", []string{store.HeadMagic}, fieldsOf("head", cleanClose{}, "headDigestAt"), map[string]int{"headSize": headSize + sha256.Size})
	heads := fieldsOf("header", header{}, "headerCheckAt")
	heads["headerSize"] = headerSize
	pageOf(t, "journal.md", []string{store.SegmentMagic}, heads, map[string]int{
		"frameLengthAt": frameLengthAt, "frameKindAt": frameKindAt, "frameFlagsAt": frameFlagsAt, "frameRankAt": frameRankAt,
		"frameBatchAt": frameBatchAt, "frameCheckAt": frameCheckAt, "frameHeaderSize": frameHeaderSize,
		"Block": int(store.Block), "Intent": int(store.Intent), "Commit": int(store.Commit), "Mark": int(store.Mark), "Pad": int(store.Pad),
		"flagBatchEnd": flagBatchEnd, "flagGroupEnd": flagGroupEnd,
	})
	pageOf(t, "pack.md", []string{store.PackMagic, store.PackEndMagic, store.ManifestMagic}, heads,
		fieldsOf("packEnd", footer{}, "packEndCheckAt"), fieldsOf("info", fileInfo{}, "infoSize"), fieldsOf("manifest", manifestHeader{}, "manifestHeaderSize"),
		map[string]int{
			"packFrameLengthAt": packFrameLengthAt, "packFrameKindAt": packFrameKindAt, "packFrameBatchAt": packFrameBatchAt,
			"packFrameOffsetAt": packFrameOffsetAt, "packFrameSegmentAt": packFrameSegmentAt, "packFrameCheckAt": packFrameCheckAt,
			"packFrameHeaderSize": packFrameHeaderSize, "packFooterSize": packFooterSize,
		})
	pageOf(t, "image.md", []string{store.ImageMagic, store.ImageEndMagic}, fieldsOf("image", imageHeader{}, "imageHeaderSize"),
		fieldsOf("entry", imageEntry{}, "imageEntrySize"), fieldsOf("footer", imageFooter{}, "imageFooterSize"))
	for name, sizes := range map[string][2]int{
		"the manifest": {manifestHeaderSize, binary.Size(manifestHeader{})}, "a row of it": {infoSize, binary.Size(fileInfo{})},
		"an image": {imageHeaderSize, binary.Size(imageHeader{})}, "a row of it ": {imageEntrySize, binary.Size(imageEntry{})},
		"its end": {imageFooterSize, binary.Size(imageFooter{})}, "the head": {headSize, binary.Size(cleanClose{})},
		"a header": {headerSize, binary.Size(header{}) + 4}, "the end of a pack": {packFooterSize, binary.Size(footer{}) + 4},
		"the number of a header": {headerNumberAt, heads["headerNumberAt"]},
	} {
		if sizes[0] != sizes[1] {
			t.Errorf("%s: the constant is %d, the struct has %d", name, sizes[0], sizes[1])
		}
	}
}

// TestGoldenFiles holds the bytes of each file to a digest. It changes with a
// format number or a decision record alone.
func TestGoldenFiles(t *testing.T) {
	in := faultfs.New()
	s := mustOpen(t, in, small(0))
	_, ends := fillStore(t, s, 0, 3)
	if err := s.WriteImage(imageOf(3, ends[2])); err != nil {
		t.Fatal(err)
	}
	s.SetHead(store.Head{Seq: 3, Commit: imageOf(3, ends[2]).Commit})
	mustClose(t, s)
	got := map[string]string{}
	digests := func(names ...string) {
		for _, name := range names {
			content, err := in.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d := merkle.Sum(content)
			got[name] = d.String()
		}
	}
	digests(store.FormatFile, store.HeadFile, segmentName(1), store.ImageName(3))
	s = mustOpen(t, in, small(1))
	if err := s.Rewrite(t.Context(), purged(t, s, 'b', 4)); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	digests(packFiles(t, in)...)
	if diff := cmp.Diff(golden, got); diff != "" {
		t.Errorf("digests (-want +got):\n%s", diff)
	}
}

var golden = map[string]string{
	"FORMAT":                     "bafyreieyv7zvnzeq6v5vrhamr62z3sy3vovltwuq4yctkfplhqpkgoqhae",
	"head":                       "bafyreigino523holk4zbg3sjuxo44xhgvv7e3nttmmcrp5b3un4hcajnyi",
	"image/000000000003.img":     "bafyreid34a5wip6zy5pwjyfp6kwmurhvylfk2jnczgjak6oo6xtzhvfe5i",
	"journal/00000001.j":         "bafyreihrjbsxh4z2lcxw5p3j7jmd5hxvncgb3b4lnecsnpge2l2g3bgyhm",
	"packs/00000001-000001.pack": "bafyreih56wlposugz2t3jkrhrrdr4sedqbgvb6biv3ab2rffjbqzf3l4mq",
	"packs/manifest":             "bafyreies4dmhles7nddq2ztfy6ohvgclhqpmawilk5zuvpvv3dasessx74",
}
