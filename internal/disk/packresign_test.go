// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
)

// What the pages of doc/format say, for tests that change bytes.
const (
	headMajorAt     = 8
	headDigestAt    = 88
	headerMajorAt   = 8
	headerSegmentAt = 16
	headerBatchAt   = 24
	headerSaltAt    = 32
	headerCheckAt   = 60

	packEndInfoAt    = 8
	packEndTablesAt  = 104
	packEndDigestsAt = 112
	packEndGoneAt    = 120
	packEndCheckAt   = 132
	infoCommitsAt    = 48
	infoSizeAt       = 56
	infoDigestAt     = 64
	manifestMajorAt  = 8

	imageMajorAt   = 8
	imageSeqAt     = 16
	imageSizeAt    = 40
	entryOffsetAt  = 32
	entryLengthAt  = 40
	footerDigestAt = 40
)

// packFrameSize is how many bytes a record takes in a pack.
func packFrameSize(data int) int64 { return (packFrameHeaderSize + int64(data) + 7) &^ 7 }

// checkOf is a checksum as it is computed over several pieces.
func checkOf(pieces ...[]byte) uint32 { return crc32.Checksum(slices.Concat(pieces...), castagnoli) }

// resign makes the checksums of a pack or manifest good again, as far as its
// bytes can be told apart, for tests of what checksums do not find.
func resign(name string, b []byte) {
	if name == manifestFile {
		sum := sha256.Sum256(b[:len(b)-sha256.Size])
		copy(b[len(b)-sha256.Size:], sum[:])
		return
	}
	if len(b) < headerSize+packFooterSize {
		return
	}
	binary.LittleEndian.PutUint32(b[headerCheckAt:], crc32.Checksum(b[:headerCheckAt], castagnoli))
	salt := b[headerSaltAt:][:8]
	offset := func(at int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(at)) }
	footer := b[len(b)-packFooterSize:]
	end := int64(len(b) - packFooterSize)
	tables := min(max(int64(binary.LittleEndian.Uint64(footer[packEndTablesAt:])), headerSize), end)
	for at := int64(headerSize); at+packFrameHeaderSize <= tables; {
		size := packFrameSize(int(binary.LittleEndian.Uint32(b[at:])))
		if size > tables-at {
			break
		}
		whole := b[at:][:size]
		const check = packFrameHeaderSize - 4
		binary.LittleEndian.PutUint32(whole[check:], checkOf(salt, offset(at), whole[:check], whole[packFrameHeaderSize:]))
		at += size
	}
	for at := tables; at+pageSize <= end; at += pageSize {
		page := b[at:][:pageSize]
		binary.LittleEndian.PutUint32(page[pageCheckAt:], checkOf(salt, offset(at), page[:pageCheckAt]))
	}
	sum := sha256.Sum256(b[:end])
	copy(footer[packEndInfoAt+infoDigestAt:], sum[:])
	binary.LittleEndian.PutUint32(footer[packEndCheckAt:], checkOf(salt, footer[:packEndCheckAt]))
}

// nameInManifest puts what the content of the first pack says of itself into the
// manifest.
func nameInManifest(t *testing.T, in *faultfs.FS, content []byte) {
	t.Helper()
	text, err := in.ReadFile(manifestFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) >= headerSize+packFooterSize {
		copy(text[manifestHeaderSize:][:infoSize], content[len(content)-packFooterSize+packEndInfoAt:])
		resign(manifestFile, text)
		writeFile(t, in, manifestFile, string(text))
	}
}
