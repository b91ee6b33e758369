// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/store"
)

// TestFormatPages compares the pages of segments and packs with the code.
func TestFormatPages(t *testing.T) {
	header := func(more map[string]int) map[string]int {
		more["headerMagicAt"], more["headerMajorAt"], more["headerMinorAt"] = headerMagicAt, headerMajorAt, headerMinorAt
		more["headerSegmentAt"], more["headerNumberAt"], more["headerSaltAt"] = headerSegmentAt, headerNumberAt, headerSaltAt
		more["headerCheckAt"], more["HeaderSize"] = headerCheckAt, HeaderSize
		return more
	}
	foveatest.FormatPage(t, "../../doc/format/journal.md", header(map[string]int{
		"frameLengthAt": frameLengthAt, "frameKindAt": frameKindAt, "frameFlagsAt": frameFlagsAt, "frameRankAt": frameRankAt,
		"frameBatchAt": frameBatchAt, "frameCheckAt": frameCheckAt, "frameHeaderSize": frameHeaderSize,
		"Block": int(store.Block), "Intent": int(store.Intent), "Commit": int(store.Commit), "Mark": int(store.Mark), "Pad": int(store.Pad),
		"flagBatchEnd": flagBatchEnd, "flagGroupEnd": flagGroupEnd,
	}), segmentMagic)
	foveatest.FormatPage(t, "../../doc/format/pack.md", header(map[string]int{
		"packFrameLengthAt": packFrameLengthAt, "packFrameKindAt": packFrameKindAt, "packFrameBatchAt": packFrameBatchAt,
		"packFrameOffsetAt": packFrameOffsetAt, "packFrameSegmentAt": packFrameSegmentAt, "packFrameCheckAt": packFrameCheckAt,
		"packFrameHeaderSize": packFrameHeaderSize,
		"packEndMagicAt":      packEndMagicAt, "packEndInfoAt": packEndInfoAt, "packEndTablesAt": packEndTablesAt,
		"packEndDigestsAt": packEndDigestsAt, "packEndGoneAt": packEndGoneAt, "packEndCheckAt": packEndCheckAt, "packFooterSize": packFooterSize,
		"infoFirstAt": infoFirstAt, "infoLastAt": infoLastAt, "infoGenerationAt": infoGenerationAt, "infoBatchAt": infoBatchAt,
		"infoNextAt": infoNextAt, "infoBeforeAt": infoBeforeAt, "infoCommitsAt": infoCommitsAt, "infoSizeAt": infoSizeAt,
		"infoDigestAt": infoDigestAt, "infoSize": infoSize,
		"manifestMagicAt": manifestMagicAt, "manifestMajorAt": manifestMajorAt, "manifestMinorAt": manifestMinorAt,
		"manifestCountAt": manifestCountAt, "manifestGenerationAt": manifestGenerationAt, "manifestHeaderSize": manifestHeaderSize,
	}), packMagic, packFooterMagic, manifestMagic)
}
