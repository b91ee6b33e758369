// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package record

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"

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

// ManifestFile is the name of the file with the manifest.
const ManifestFile = PackFolder + "/manifest"

// Manifest says which packs are current, in order. What it does not name is
// left over, and so are the segments that its packs stand for.
type Manifest struct {
	Generation uint64 // one more for each manifest that is written
	Packs      []Info
}

// Tail returns the last pack, or what a first one follows.
func (m *Manifest) Tail() Info {
	if len(m.Packs) == 0 {
		return Info{Next: 1}
	}
	return m.Packs[len(m.Packs)-1]
}

// Last returns the number of the last segment that is in a pack, 0 for none.
func (m *Manifest) Last() uint64 { return m.Tail().Last }

// Commits returns how many commits are in packs.
func (m *Manifest) Commits() uint64 { return m.Tail().Before + m.Tail().Commits }

// Encode returns the bytes of ManifestFile.
func (m *Manifest) Encode() []byte {
	b := make([]byte, manifestHeaderSize, manifestHeaderSize+len(m.Packs)*infoSize+sha256.Size)
	copy(b[manifestMagicAt:], manifestMagic)
	store.PutFormat(b[manifestMajorAt:])
	binary.LittleEndian.PutUint32(b[manifestCountAt:], uint32(len(m.Packs)))
	binary.LittleEndian.PutUint64(b[manifestGenerationAt:], m.Generation)
	for _, p := range m.Packs {
		b = p.appendTo(b)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// decodeManifest returns a Corruption for all that encode would not have
// written.
func decodeManifest(b []byte) (*Manifest, error) {
	damaged := &store.Corruption{File: ManifestFile, Reason: "checksum mismatch"}
	end := len(b) - sha256.Size
	if end < manifestHeaderSize || string(b[:len(manifestMagic)]) != manifestMagic {
		return nil, damaged
	}
	if sum := sha256.Sum256(b[:end]); string(sum[:]) != string(b[end:]) {
		return nil, damaged
	}
	if err := store.CheckFormat(b[manifestMajorAt:]); err != nil {
		return nil, err
	}
	m := &Manifest{Generation: binary.LittleEndian.Uint64(b[manifestGenerationAt:])}
	rows := b[manifestHeaderSize:end]
	if uint64(len(rows)) != uint64(binary.LittleEndian.Uint32(b[manifestCountAt:]))*infoSize {
		return nil, damaged
	}
	for ; len(rows) > 0; rows = rows[infoSize:] {
		p := decodeInfo(rows)
		if !p.sound() || !p.follows(m.Tail()) {
			return nil, &store.Corruption{File: ManifestFile, Reason: "a pack that does not follow the one before"}
		}
		m.Packs = append(m.Packs, p)
	}
	return m, nil
}

// ReadManifest returns an empty manifest when there is none. With bad set it is
// damaged, and the manifest is what the packs themselves say.
func ReadManifest(in vfs.FS) (m *Manifest, bad *store.Corruption, err error) {
	b, err := in.ReadFile(ManifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &Manifest{}, nil, nil
	}
	if bad = NotRegular(err, ManifestFile); bad == nil {
		if err != nil {
			return nil, nil, err
		}
		m, err = decodeManifest(b)
		bad, _ = errors.AsType[*store.Corruption](err)
	}
	if bad != nil {
		m, err = GuessManifest(in)
	}
	return m, bad, err
}

// GuessManifest makes a manifest of the packs that follow one another, the
// newest where there are several. It is for reading alone: a pack may be one
// that was being made.
func GuessManifest(in vfs.FS) (*Manifest, error) {
	packs, err := ReadPacks(in)
	if err != nil {
		return nil, err
	}
	newest := map[uint64]Info{} // by the first segment
	m := &Manifest{}
	for _, p := range packs {
		m.Generation = max(m.Generation, p.Info.Generation)
		if old, ok := newest[p.Info.First]; p.Bad == nil && (!ok || old.Generation < p.Info.Generation) {
			newest[p.Info.First] = p.Info
		}
	}
	for {
		p, ok := newest[m.Last()+1]
		if !ok || !p.follows(m.Tail()) {
			return m, nil
		}
		m.Packs = append(m.Packs, p)
	}
}
