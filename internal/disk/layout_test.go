// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// layouts are the constants that the pages in doc/format give.
var layouts = map[string]map[string]int{
	"journal.md": {
		"segmentMagicAt": segmentMagicAt, "segmentMajorAt": segmentMajorAt, "segmentMinorAt": segmentMinorAt,
		"segmentNumberAt": segmentNumberAt, "segmentBatchAt": segmentBatchAt, "segmentSaltAt": segmentSaltAt,
		"segmentCheckAt": segmentCheckAt, "segmentHeaderSize": segmentHeaderSize,
		"frameLengthAt": frameLengthAt, "frameKindAt": frameKindAt, "frameFlagsAt": frameFlagsAt, "frameRankAt": frameRankAt,
		"frameBatchAt": frameBatchAt, "frameCheckAt": frameCheckAt, "frameHeaderSize": frameHeaderSize,
		"Block": int(store.Block), "Intent": int(store.Intent), "Commit": int(store.Commit), "Mark": int(store.Mark), "Pad": int(store.Pad),
		"flagBatchEnd": flagBatchEnd, "flagGroupEnd": flagGroupEnd,
	},
	"image.md": {
		"imageMagicAt": imageMagicAt, "imageMajorAt": imageMajorAt, "imageMinorAt": imageMinorAt,
		"imageSectionsAt": imageSectionsAt, "imageSeqAt": imageSeqAt, "imageSegmentAt": imageSegmentAt,
		"imageOffsetAt": imageOffsetAt, "imageSizeAt": imageSizeAt, "imageCommitAt": imageCommitAt, "imageHeaderSize": imageHeaderSize,
		"entryNameAt": entryNameAt, "entryOffsetAt": entryOffsetAt, "entryLengthAt": entryLengthAt, "entryFlagsAt": entryFlagsAt,
		"entryDigestAt": entryDigestAt, "imageEntrySize": imageEntrySize,
		"footerMagicAt": footerMagicAt, "footerCommitAt": footerCommitAt, "footerDigestAt": footerDigestAt, "imageFooterSize": imageFooterSize,
	},
	"pack.md": {
		"packMagicAt": packMagicAt, "packMajorAt": packMajorAt, "packMinorAt": packMinorAt, "packFirstAt": packFirstAt,
		"packGenerationAt": packGenerationAt, "packSaltAt": packSaltAt, "packCheckAt": packCheckAt, "packHeaderSize": packHeaderSize,
		"packFrameLengthAt": packFrameLengthAt, "packFrameKindAt": packFrameKindAt, "packFrameBatchAt": packFrameBatchAt,
		"packFrameOffsetAt": packFrameOffsetAt, "packFrameSegmentAt": packFrameSegmentAt, "packFrameCheckAt": packFrameCheckAt,
		"packFrameHeaderSize": packFrameHeaderSize,
		"packEndMagicAt":      packEndMagicAt, "packEndInfoAt": packEndInfoAt, "packEndTablesAt": packEndTablesAt,
		"packEndDigestsAt": packEndDigestsAt, "packEndGoneAt": packEndGoneAt, "packEndCheckAt": packEndCheckAt, "packFooterSize": packFooterSize,
		"infoFirstAt": infoFirstAt, "infoLastAt": infoLastAt, "infoGenerationAt": infoGenerationAt, "infoBatchAt": infoBatchAt,
		"infoNextAt": infoNextAt, "infoBeforeAt": infoBeforeAt, "infoCommitsAt": infoCommitsAt, "infoSizeAt": infoSizeAt,
		"infoDigestAt": infoDigestAt, "packInfoSize": packInfoSize,
		"manifestMagicAt": manifestMagicAt, "manifestMajorAt": manifestMajorAt, "manifestMinorAt": manifestMinorAt,
		"manifestCountAt": manifestCountAt, "manifestGenerationAt": manifestGenerationAt, "manifestHeaderSize": manifestHeaderSize,
	},
	"state-folder.md": {
		"headMagicAt": headMagicAt, "headMajorAt": headMajorAt, "headMinorAt": headMinorAt, "headFirstAt": headFirstAt,
		"headSegmentAt": headSegmentAt, "headOffsetAt": headOffsetAt, "headSeqAt": headSeqAt, "headCommitAt": headCommitAt,
		"headBatchAt": headBatchAt, "headDigestAt": headDigestAt, "headSize": headSize,
	},
}

// magics are the words that files and their parts begin with.
var magics = map[string][]string{
	"journal.md": {segmentMagic}, "image.md": {imageMagic, footerMagic}, "state-folder.md": {headMagic},
	"pack.md": {packMagic, packFooterMagic, manifestMagic},
}

// TestFormatPages compares the tables in doc/format with the code, and the rows
// of each table with one another: offset and size give the next offset.
func TestFormatPages(t *testing.T) {
	row := regexp.MustCompile("^\\| (?:`([A-Za-z]+)` )?\\| ([0-9]+) \\| ([0-9]*)")
	for page, want := range layouts {
		text, err := os.ReadFile("../../doc/format/" + page)
		if err != nil {
			t.Fatal(err)
		}
		got, next := map[string]int{}, -1
		for line := range strings.Lines(string(text)) {
			m := row.FindStringSubmatch(line)
			if m == nil || !strings.Contains(line, "`") && m[3] == "" {
				next = -1
				continue
			}
			at, _ := strconv.Atoi(m[2])
			if m[1] != "" {
				got[m[1]] = at
			}
			if next >= 0 && at != next {
				t.Errorf("%s: %q should begin at %d", page, strings.TrimSpace(line), next)
			}
			if next = -1; m[3] != "" {
				size, _ := strconv.Atoi(m[3])
				next = at + size
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-code +page):\n%s", page, diff)
		}
		for _, magic := range magics[page] {
			if !strings.Contains(string(text), "`"+magic+"`") {
				t.Errorf("%s does not give %s", page, magic)
			}
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
	digests(FormatFile, headFile, segmentName(1), imageName(3))
	s = mustOpen(t, in, small(1))
	if _, err := s.Rewrite(t.Context(), 4, purge('b')); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	digests(packFiles(t, in)...)
	if diff := cmp.Diff(golden, got); diff != "" {
		t.Errorf("digests (-want +got):\n%s", diff)
	}
}

var golden = map[string]string{
	"FORMAT":                     "bafyreiemu232owwcdwuewdk5gq55gysaqn4o2bnous6ggsx5pij3lij4wu",
	"head":                       "bafyreihvwvvnsp4qodu3rniqtpe63bhnzj4ik4ctw73sfcx23iqhxf4zlu",
	"image/000000000003.img":     "bafyreifgrhtdkoi6h7m7gve3ttlz7hbqck4iyqqjwqvvkyq5axs5g2wdcq",
	"journal/00000001.j":         "bafyreicp2chgluhxyywskyqkfmudchyq72ryavmfukdfrpoe5oxdg4g2km",
	"packs/00000001-000001.pack": "bafyreihpkjswwaxwzbbmekcm57seh4v3nhjgnh5gxod4gcehksmzv7o44i",
	"packs/manifest":             "bafyreiaqkysyeyyakcakn2ustwwpf2gj743kvswcmpktu54sz435kntx4e",
}
