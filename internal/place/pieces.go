// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

// Pieces cuts a stream into pieces of a size; only the last may be shorter.
type Pieces struct {
	Size int
	Put  func(piece []byte) error // it may not keep the bytes
	buf  []byte
}

// Write takes bytes, and puts the pieces that they fill.
func (p *Pieces) Write(data []byte) (int, error) {
	n := len(data)
	for len(data) > 0 {
		k := min(len(data), p.Size-len(p.buf))
		p.buf, data = append(p.buf, data[:k]...), data[k:]
		if len(p.buf) == p.Size {
			if err := p.Flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// Flush puts the last piece; of an empty stream there is none.
func (p *Pieces) Flush() error {
	if len(p.buf) == 0 {
		return nil
	}
	piece := p.buf
	p.buf = p.buf[:0]
	return p.Put(piece)
}
