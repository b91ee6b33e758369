// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"io/fs"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// manifestFile is the name of the file with the manifest.
const manifestFile = store.PackFolder + "/manifest"

// manifest lists the current packs in order. Other packs are left over, and so are the segments that its packs
// contain.
type manifest struct {
	Generation uint64 // incremented with each manifest
	Packs      []fileInfo
}

// manifestHeader begins the manifest; the packs follow, and the SHA-256 of both. See
// doc/format/pack.md.
type manifestHeader struct {
	preamble
	Count      uint32 // packs
	Generation uint64
	_          [8]byte
}

const manifestHeaderSize = 32

// tail returns the last pack, or the info that the first pack follows.
func (m *manifest) tail() fileInfo {
	if len(m.Packs) == 0 {
		return fileInfo{Next: 1}
	}
	return m.Packs[len(m.Packs)-1]
}

// last returns the number of the last segment that is in a pack, 0 for none.
func (m *manifest) last() uint64 { return m.tail().Last }

// commits returns how many commits are in packs.
func (m *manifest) commits() uint64 { return m.tail().Before + m.tail().Commits }

// encode returns the bytes of manifestFile.
func (m *manifest) encode() []byte {
	b := appendFixed(nil, manifestHeader{preamble: preambleOf(store.ManifestMagic), Count: uint32(len(m.Packs)), Generation: m.Generation})
	return digested(appendFixed(b, m.Packs))
}

// decodeManifest returns a Corruption for bytes that encode does not write.
func decodeManifest(b []byte) (*manifest, error) {
	damaged := &store.Corruption{File: manifestFile, Reason: "checksum mismatch"}
	b, ok := undigested(b, store.ManifestMagic)
	if !ok || len(b) < manifestHeaderSize {
		return nil, damaged
	}
	var h manifestHeader
	readFixed(b, &h)
	if err := h.known(); err != nil {
		return nil, err
	}
	rows := b[manifestHeaderSize:]
	if uint64(len(rows)) != uint64(h.Count)*infoSize {
		return nil, damaged
	}
	m := &manifest{Generation: h.Generation}
	packs := make([]fileInfo, h.Count)
	readFixed(rows, packs)
	for _, p := range packs {
		if !p.sound() || !p.follows(m.tail()) {
			return nil, &store.Corruption{File: manifestFile, Reason: "a pack that does not follow the one before"}
		}
		m.Packs = append(m.Packs, p)
	}
	return m, nil
}

// readManifest returns an empty manifest if there is none. If it is damaged, bad is set and the manifest is
// made from the packs themselves.
func readManifest(in vfs.FS) (m *manifest, bad *store.Corruption, err error) {
	b, err := in.ReadFile(manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &manifest{}, nil, nil
	}
	if bad = notRegular(err, manifestFile); bad == nil {
		if err != nil {
			return nil, nil, err
		}
		m, err = decodeManifest(b)
		bad, _ = errors.AsType[*store.Corruption](err)
	}
	if bad != nil {
		m, err = guessManifest(in)
	}
	return m, bad, err
}

// guessManifest makes a manifest from the packs that follow one another, the newest of several. It is for
// reading only: a pack may never have become current.
func guessManifest(in vfs.FS) (*manifest, error) {
	packs, err := readPacks(in)
	if err != nil {
		return nil, err
	}
	newest := map[uint64]fileInfo{} // by the first segment
	m := &manifest{}
	for _, p := range packs {
		m.Generation = max(m.Generation, p.info.Generation)
		if old, ok := newest[p.info.First]; p.bad == nil && (!ok || old.Generation < p.info.Generation) {
			newest[p.info.First] = p.info
		}
	}
	for {
		p, ok := newest[m.last()+1]
		if !ok || !p.follows(m.tail()) {
			return m, nil
		}
		m.Packs = append(m.Packs, p)
	}
}
