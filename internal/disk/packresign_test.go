// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
)

// resign makes the checksums of a pack or manifest good again, as far as its
// bytes can be told apart, for tests of what checksums do not find.
func resign(name string, b []byte) {
	if name == manifestFile {
		sum := sha256.Sum256(b[:len(b)-sha256.Size])
		copy(b[len(b)-sha256.Size:], sum[:])
		return
	}
	if len(b) < packHeaderSize+packFooterSize {
		return
	}
	binary.LittleEndian.PutUint32(b[packCheckAt:], crc32.Checksum(b[:packCheckAt], castagnoli))
	salt := [saltSize]byte(b[packSaltAt:])
	layout := frames{salt: salt}
	footer := b[len(b)-packFooterSize:]
	end := int64(len(b) - packFooterSize)
	tables := min(max(int64(binary.LittleEndian.Uint64(footer[packEndTablesAt:])), packHeaderSize), end)
	for at := int64(packHeaderSize); at+packFrameHeaderSize <= tables; {
		size := frameSize(packFrameHeaderSize, int(binary.LittleEndian.Uint32(b[at+packFrameLengthAt:])))
		if size > tables-at {
			break
		}
		whole := b[at:][:size]
		layout.sign(at, whole)
		at += size
	}
	for at := tables; at+pageSize <= end; at += pageSize {
		page := b[at:][:pageSize]
		binary.LittleEndian.PutUint32(page[pageCheckAt:], pageCheck(salt, at, page))
	}
	sum := sha256.Sum256(b[:end])
	copy(footer[packEndInfoAt+infoDigestAt:], sum[:])
	binary.LittleEndian.PutUint32(footer[packEndCheckAt:], saltedCheck(salt, footer[:packEndCheckAt]))
}

// nameInManifest puts what the content of the first pack says of itself into the
// manifest.
func nameInManifest(t *testing.T, in *faultfs.FS, content []byte) {
	t.Helper()
	text, err := in.ReadFile(manifestFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) >= packHeaderSize+packFooterSize {
		copy(text[manifestHeaderSize:][:packInfoSize], content[len(content)-packFooterSize+packEndInfoAt:])
		resign(manifestFile, text)
		writeFile(t, in, manifestFile, string(text))
	}
}
