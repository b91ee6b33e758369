// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"path"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Layout of the manifest; see doc/format/pack.md.
const (
	manifestMagic      = "FOVEAPKS"
	manifestHeaderSize = 32

	manifestMagicAt      = 0
	manifestMajorAt      = 8  // uint16
	manifestMinorAt      = 10 // uint16
	manifestCountAt      = 12 // uint32, packs
	manifestGenerationAt = 16 // uint64; 8 bytes reserved behind
)

var manifestFile = path.Join(packFolder, "manifest")

// manifest says which packs are current, in order. What it does not name is
// left over, and so are the segments that its packs stand for.
type manifest struct {
	generation uint64 // one more for each manifest that is written
	packs      []packInfo
}

// tail returns the last pack, or what a first one follows.
func (m *manifest) tail() packInfo {
	if len(m.packs) == 0 {
		return packInfo{next: 1}
	}
	return m.packs[len(m.packs)-1]
}

// last returns the number of the last segment that is in a pack, 0 for none.
func (m *manifest) last() uint64 { return m.tail().last }

// count returns how many commits are in packs.
func (m *manifest) count() uint64 { return m.tail().before + m.tail().commits }

func (m *manifest) encode() []byte {
	b := make([]byte, manifestHeaderSize, manifestHeaderSize+len(m.packs)*packInfoSize+sha256.Size)
	copy(b[manifestMagicAt:], manifestMagic)
	binary.LittleEndian.PutUint16(b[manifestMajorAt:], FormatMajor)
	binary.LittleEndian.PutUint16(b[manifestMinorAt:], FormatMinor)
	binary.LittleEndian.PutUint32(b[manifestCountAt:], uint32(len(m.packs)))
	binary.LittleEndian.PutUint64(b[manifestGenerationAt:], m.generation)
	for _, p := range m.packs {
		b = p.appendTo(b)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// decodeManifest returns a Corruption for all that encode would not have
// written.
func decodeManifest(b []byte) (*manifest, error) {
	damaged := &store.Corruption{File: manifestFile, Reason: "checksum mismatch"}
	end := len(b) - sha256.Size
	if end < manifestHeaderSize || string(b[:len(manifestMagic)]) != manifestMagic {
		return nil, damaged
	}
	if sum := sha256.Sum256(b[:end]); string(sum[:]) != string(b[end:]) {
		return nil, damaged
	}
	if major := binary.LittleEndian.Uint16(b[manifestMajorAt:]); major != FormatMajor {
		return nil, unknownFormat(major, binary.LittleEndian.Uint16(b[manifestMinorAt:]))
	}
	m := &manifest{generation: binary.LittleEndian.Uint64(b[manifestGenerationAt:])}
	rows := b[manifestHeaderSize:end]
	if uint64(len(rows)) != uint64(binary.LittleEndian.Uint32(b[manifestCountAt:]))*packInfoSize {
		return nil, damaged
	}
	for ; len(rows) > 0; rows = rows[packInfoSize:] {
		p := decodePackInfo(rows)
		if !p.sound() || !p.follows(m.tail()) {
			return nil, &store.Corruption{File: manifestFile, Reason: "a pack that does not follow the one before"}
		}
		m.packs = append(m.packs, p)
	}
	return m, nil
}

// readManifest returns an empty manifest when there is none. With bad set it is
// damaged, and the manifest is what the packs themselves say.
func readManifest(in vfs.FS) (m *manifest, bad *store.Corruption, err error) {
	b, err := in.ReadFile(manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &manifest{}, nil, nil
	}
	if bad := isNot(err, manifestFile); bad != nil {
		m, err = guessManifest(in)
		return m, bad, err
	}
	if err != nil {
		return nil, nil, err
	}
	m, err = decodeManifest(b)
	if bad, ok := errors.AsType[*store.Corruption](err); ok {
		m, err = guessManifest(in)
		return m, bad, err
	}
	return m, nil, err
}

// guessManifest makes a manifest of the packs that follow one another, the
// newest where there are several. It is for reading alone: a pack may be one
// that was being made.
func guessManifest(in vfs.FS) (*manifest, error) {
	names, err := listPacks(in)
	if err != nil {
		return nil, err
	}
	newest := map[uint64]packInfo{} // by the first segment
	m := &manifest{}
	for _, name := range names {
		p, err := openPack(in, name)
		if err != nil {
			return nil, err
		}
		if err := p.retire(); err != nil {
			return nil, err
		}
		m.generation = max(m.generation, p.generation)
		if old, ok := newest[p.first]; p.bad == nil && (!ok || old.generation < p.generation) {
			newest[p.first] = p.packInfo
		}
	}
	for at := uint64(1); ; at = m.last() + 1 {
		p, ok := newest[at]
		if !ok || !p.follows(m.tail()) {
			return m, nil
		}
		m.packs = append(m.packs, p)
	}
}
