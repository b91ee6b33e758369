// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// TestFormatPages compares the page of the state folder with the code.
func TestFormatPages(t *testing.T) {
	foveatest.FormatPage(t, "../../doc/format/state-folder.md", map[string]int{
		"headMagicAt": headMagicAt, "headMajorAt": headMajorAt, "headMinorAt": headMinorAt, "headFirstAt": headFirstAt,
		"headSegmentAt": headSegmentAt, "headOffsetAt": headOffsetAt, "headSeqAt": headSeqAt, "headCommitAt": headCommitAt,
		"headBatchAt": headBatchAt, "headDigestAt": headDigestAt, "headSize": headSize,
	}, headMagic)
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
	digests(FormatFile, headFile, record.SegmentName(1), imageName(3))
	s = mustOpen(t, in, small(1))
	if _, err := store.Rewrite(t.Context(), s, 4, purge('b')); err != nil {
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
