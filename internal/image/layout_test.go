// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package image

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestFormatPages compares the page of images with the code.
func TestFormatPages(t *testing.T) {
	foveatest.FormatPage(t, "../../doc/format/image.md", map[string]int{
		"imageMagicAt": imageMagicAt, "imageMajorAt": imageMajorAt, "imageMinorAt": imageMinorAt,
		"imageSectionsAt": imageSectionsAt, "imageSeqAt": imageSeqAt, "imageSegmentAt": imageSegmentAt,
		"imageOffsetAt": imageOffsetAt, "imageSizeAt": imageSizeAt, "imageCommitAt": imageCommitAt, "imageHeaderSize": imageHeaderSize,
		"entryNameAt": entryNameAt, "entryOffsetAt": entryOffsetAt, "entryLengthAt": entryLengthAt, "entryFlagsAt": entryFlagsAt,
		"entryDigestAt": entryDigestAt, "imageEntrySize": imageEntrySize,
		"footerMagicAt": footerMagicAt, "footerCommitAt": footerCommitAt, "footerDigestAt": footerDigestAt, "imageFooterSize": imageFooterSize,
	}, imageMagic, footerMagic)
}
