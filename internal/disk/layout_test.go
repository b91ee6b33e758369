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
	digests(FormatFile, headFile, record.SegmentName(1), ImageName(3))
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
	"FORMAT":                     "bafyreieyv7zvnzeq6v5vrhamr62z3sy3vovltwuq4yctkfplhqpkgoqhae",
	"head":                       "bafyreigino523holk4zbg3sjuxo44xhgvv7e3nttmmcrp5b3un4hcajnyi",
	"image/000000000003.img":     "bafyreid34a5wip6zy5pwjyfp6kwmurhvylfk2jnczgjak6oo6xtzhvfe5i",
	"journal/00000001.j":         "bafyreihrjbsxh4z2lcxw5p3j7jmd5hxvncgb3b4lnecsnpge2l2g3bgyhm",
	"packs/00000001-000001.pack": "bafyreih56wlposugz2t3jkrhrrdr4sedqbgvb6biv3ab2rffjbqzf3l4mq",
	"packs/manifest":             "bafyreies4dmhles7nddq2ztfy6ohvgclhqpmawilk5zuvpvv3dasessx74",
}
