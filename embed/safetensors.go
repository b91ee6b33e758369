// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/fovea-memory/fovea/internal/vfs"
)

const (
	maxModelFile = 2 << 30
	maxHeader    = 1 << 20
)

// tensor is an array of numbers of a safetensors file, in the file's encoding.
type tensor struct {
	form  string
	shape []int
	data  []byte
}

// formSizes are the bytes of a number in each form that is read.
var formSizes = map[string]int{"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I8": 1, "I32": 4, "I64": 8}

// at returns number i.
func (t *tensor) at(i int) float64 {
	b := t.data[i*formSizes[t.form]:]
	switch t.form {
	case "F64":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case "F32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "F16":
		return fromHalf(binary.LittleEndian.Uint16(b))
	case "BF16":
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	case "I32":
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case "I64":
		return float64(int64(binary.LittleEndian.Uint64(b)))
	}
	return float64(int8(b[0]))
}

// fromHalf decodes an IEEE number of 16 bits.
func fromHalf(h uint16) float64 {
	const rebias = 0x1p112 // between the exponents of half and single precision
	magnitude := rebias * float64(math.Float32frombits(uint32(h&0x7fff)<<13))
	if h&0x7c00 == 0x7c00 {
		magnitude = math.Inf(1) // or no number; neither is a vector
	}
	return math.Copysign(magnitude, float64(int16(h)))
}

// readSafetensors reads the named tensors of a file. It checks bounds before each read.
// Errors: ErrFile, and those of the file system.
func readSafetensors(f vfs.File, names ...string) (map[string]*tensor, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	var head [8]byte
	if size < 8 || size > maxModelFile {
		return nil, fmt.Errorf("%d bytes; a model has 8 to %d: %w", size, maxModelFile, ErrFile)
	}
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, fmt.Errorf("the header has %d bytes: %w", n, ErrFile)
	}
	text := make([]byte, n)
	if _, err := f.ReadAt(text, 8); err != nil {
		return nil, err
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, fmt.Errorf("header: %w: %w", ErrFile, err)
	}
	tensors := map[string]*tensor{}
	for _, name := range names {
		if header[name] == nil {
			continue
		}
		if tensors[name], err = readTensor(f, header[name], 8+int64(n), size); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return tensors, nil
}

// readTensor reads one tensor. Offsets count from begin.
func readTensor(f vfs.File, entry json.RawMessage, begin, size int64) (*tensor, error) {
	var e struct {
		Form    string   `json:"dtype"`
		Shape   []int64  `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(entry, &e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	each, ok := formSizes[e.Form]
	if !ok {
		return nil, fmt.Errorf("numbers of the form %.10q are not read: %w", e.Form, ErrFile)
	}
	t, want := &tensor{form: e.Form}, int64(each)
	for _, d := range e.Shape {
		if d <= 0 || d > size || want > size {
			return nil, fmt.Errorf("the shape %v: %w", e.Shape[:min(len(e.Shape), 4)], ErrFile)
		}
		want *= d
		t.shape = append(t.shape, int(d))
	}
	from, to := e.Offsets[0], e.Offsets[1]
	if from < 0 || to < from || to > size-begin || to-from != want {
		return nil, fmt.Errorf("offsets %d to %d for %d bytes: %w", from, to, want, ErrFile)
	}
	t.data = make([]byte, want)
	if _, err := f.ReadAt(t.data, begin+from); err != nil {
		return nil, err
	}
	return t, nil
}
