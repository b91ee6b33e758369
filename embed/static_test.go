// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/fault"
)

// array is a tensor for the writer of test files.
type array struct {
	form   string
	shape  []int
	values []float64
}

// safetensors is a file of the arrays.
func safetensors(arrays map[string]array) []byte {
	header, data := map[string]any{"__metadata__": map[string]string{"format": "pt"}}, []byte(nil)
	for name, a := range arrays {
		begin := len(data)
		for _, x := range a.values {
			data = appendNumber(data, a.form, x)
		}
		header[name] = map[string]any{"dtype": a.form, "shape": a.shape, "data_offsets": []int{begin, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), data...)
}

// appendNumber writes small integers and halves, which every form has exactly.
func appendNumber(b []byte, form string, x float64) []byte {
	switch form {
	case "F64":
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	case "F32":
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	case "BF16":
		return binary.LittleEndian.AppendUint16(b, uint16(math.Float32bits(float32(x))>>16))
	case "F16":
		bits := math.Float32bits(float32(x))
		if x == 0 {
			return binary.LittleEndian.AppendUint16(b, 0)
		}
		return binary.LittleEndian.AppendUint16(b, uint16(bits>>16&0x8000|(bits>>23&255-112)<<10|bits>>13&1023))
	case "I32":
		return binary.LittleEndian.AppendUint32(b, uint32(int32(x)))
	case "I64":
		return binary.LittleEndian.AppendUint64(b, uint64(int64(x)))
	}
	return append(b, byte(int8(x)))
}

// modelTokenizer knows six words, each a token, and [UNK].
const modelTokenizer = `{"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
	"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "red": 1, "dog": 2, "blue": 3, "cat": 4, "##s": 5}}}`

// tableOf is row i, column j of a table for tests.
func tableOf(i, j int) float64 { return float64((i*7+j*5)%11 - 5) }

func table(form string, rows, dim int) array {
	a := array{form: form, shape: []int{rows, dim}}
	for i := range rows {
		for j := range dim {
			a.values = append(a.values, tableOf(i, j))
		}
	}
	return a
}

// writeModel writes the files of a model and returns their folder. An empty text is no file.
func writeModel(tb testing.TB, weights []byte, tokenizer string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range map[string][]byte{weightsFile: weights, tokenizerFile: []byte(tokenizer)} {
		if len(content) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func openModel(tb testing.TB, arrays map[string]array) Embedder {
	tb.Helper()
	e, err := Open(context.Background(), Config{Kind: KindFile, Folder: writeModel(tb, safetensors(arrays), modelTokenizer)})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// TestStaticVectors compares with the formula of model2vec: the mean of the rows, each
// times its weight.
func TestStaticVectors(t *testing.T) {
	for _, form := range []string{"F64", "F32", "F16", "BF16", "I8"} {
		t.Run(form, func(t *testing.T) {
			want := func(rows []int, weights []float64) []float32 {
				v := make([]float32, 9)
				for k, row := range rows {
					for j := range v {
						v[j] += float32(weights[k] * tableOf(row, j))
					}
				}
				if err := unit(v); err != nil {
					t.Fatal(err)
				}
				return v
			}
			plain := openModel(t, map[string]array{"embeddings": table(form, 6, 9)})
			if got := vectorOf(t, plain, Document, "Red dogs xyzzy"); !alike(got, want([]int{1, 2, 5}, []float64{1, 1, 1})) {
				t.Errorf("rows: %v", got)
			}
			weights := array{"F32", []int{6}, []float64{9, .5, 2, 1, 1, .25}}
			mapping := array{"I64", []int{6}, []float64{0, 1, 1, 0, 2, 2}}
			packed := openModel(t, map[string]array{"embeddings": table(form, 3, 9), "weights": weights, "mapping": mapping})
			if got := vectorOf(t, packed, Query, "red dogs cat"); !alike(got, want([]int{1, 1, 2, 2}, []float64{.5, 2, .25, 1})) {
				t.Errorf("weights and mapping: %v", got)
			}
			if plain.Model().Fingerprint == packed.Model().Fingerprint || plain.Model().Dim != 9 {
				t.Errorf("%+v", plain.Model())
			}
		})
	}
}

// TestStaticConforms runs the suite of embedders with a table of random rows for letters.
func TestStaticConforms(t *testing.T) {
	vocab, rows := map[string]int{"[UNK]": 0}, array{form: "F16", shape: []int{0, 16}}
	for c := rune(' '); c < 0x7f; c++ {
		vocab[string(c)], vocab["##"+string(c)] = len(vocab), len(vocab)+1
	}
	rows.shape[0] = len(vocab)
	for i := range len(vocab) * 16 {
		rows.values = append(rows.values, float64(hash64(fmt.Sprint(i))%64)-31.5)
	}
	tokenizer, err := json.Marshal(map[string]any{
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"}, "model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocab},
	})
	if err != nil {
		t.Fatal(err)
	}
	files := writeModel(t, safetensors(map[string]array{"embeddings": rows}), string(tokenizer))
	e, err := Open(context.Background(), Config{Kind: KindFile, Folder: files})
	if err != nil {
		t.Fatal(err)
	}
	conform(t, e)
}

func TestStaticTexts(t *testing.T) {
	files := writeModel(t, safetensors(map[string]array{"embeddings": table("F32", 5, 9)}), modelTokenizer)
	e, err := Open(context.Background(), Config{Kind: KindFile, Folder: files, Model: "tiny", QueryPrefix: "blue ", Dimensions: 4, Nested: true})
	if err != nil {
		t.Fatal(err)
	}
	if m := e.Model(); m.Name != "tiny" || m.Dim != 4 || m.Remote || m.Lexical {
		t.Errorf("%+v", m)
	}
	// Token 5 has no row here.
	if a, b := vectorOf(t, e, Query, "dogs"), vectorOf(t, e, Document, "blue dog"); !alike(a, b) || len(a) != 4 {
		t.Errorf("prefix: %v, %v", a, b)
	}
	results, err := e.Embed(context.Background(), Document, []string{"", "xyzzy", strings.Repeat("red dog ", maxText/8+1)})
	if err != nil || !errors.Is(results[0].Err, ErrEmpty) || !errors.Is(results[1].Err, ErrEmpty) || results[2].Err != nil || !results[2].Truncated {
		t.Errorf("%v, %v", results, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Embed(ctx, Document, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestHostileModelFolder: what is wrong is ErrFile, and no more memory is taken than the
// file has bytes.
func TestHostileModelFiles(t *testing.T) {
	good := safetensors(map[string]array{"embeddings": table("F32", 6, 9)})
	entry := func(s string) []byte {
		text := `{"embeddings":` + s + `}`
		return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), make([]byte, 64)...)
	}
	for name, c := range map[string]struct {
		weights   []byte
		tokenizer string
	}{
		"no weights":         {nil, modelTokenizer},
		"no tokenizer":       {good, ""},
		"tokenizer":          {good, `{"model": {"type": "Quantum"}}`},
		"short":              {good[:7], modelTokenizer},
		"cut in the header":  {good[:40], modelTokenizer},
		"cut in the data":    {good[:len(good)-1], modelTokenizer},
		"huge header":        {append([]byte{0, 0, 0, 0, 0, 0, 0, 0x80}, good...), modelTokenizer},
		"header past end":    {append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0}, "{}"...), modelTokenizer},
		"header is no JSON":  {append([]byte{2, 0, 0, 0, 0, 0, 0, 0}, "{x"...), modelTokenizer},
		"no table":           {append([]byte{2, 0, 0, 0, 0, 0, 0, 0}, "{}"...), modelTokenizer},
		"entry":              {entry(`7`), modelTokenizer},
		"form":               {entry(`{"dtype":"F8","shape":[2,2],"data_offsets":[0,4]}`), modelTokenizer},
		"offset past end":    {entry(`{"dtype":"F32","shape":[2,2],"data_offsets":[56,72]}`), modelTokenizer},
		"offsets turned":     {entry(`{"dtype":"F32","shape":[2,2],"data_offsets":[16,0]}`), modelTokenizer},
		"negative offset":    {entry(`{"dtype":"F32","shape":[2,2],"data_offsets":[-16,0]}`), modelTokenizer},
		"offsets overflow":   {entry(`{"dtype":"F32","shape":[2,2],"data_offsets":[9223372036854775800,9223372036854775807]}`), modelTokenizer},
		"shape and offsets":  {entry(`{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]}`), modelTokenizer},
		"shape overflows":    {entry(`{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,16]}`), modelTokenizer},
		"shape of zero":      {entry(`{"dtype":"F32","shape":[0,4],"data_offsets":[0,0]}`), modelTokenizer},
		"shape with one":     {entry(`{"dtype":"F32","shape":[4],"data_offsets":[0,16]}`), modelTokenizer},
		"weights are a grid": {safetensors(map[string]array{"embeddings": table("F32", 2, 2), "weights": table("F32", 2, 2)}), modelTokenizer},
		"mapping too far":    {safetensors(map[string]array{"embeddings": table("F32", 2, 2), "mapping": {"I32", []int{1}, []float64{2}}}), modelTokenizer},
		"mapping below zero": {safetensors(map[string]array{"embeddings": table("F32", 2, 2), "mapping": {"I64", []int{1}, []float64{-1}}}), modelTokenizer},
	} {
		_, err := Open(context.Background(), Config{Kind: KindFile, Folder: writeModel(t, c.weights, c.tokenizer)})
		if !errors.Is(err, ErrFile) || fault.KindOf(err) != fault.Corrupt {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Open(context.Background(), Config{Kind: KindFile}); !errors.Is(err, ErrConfig) {
		t.Errorf("no folder: %v", err)
	}
}

// TestBadRows: a row of zeros or with a value that is no number harms its text alone.
func TestBadRows(t *testing.T) {
	a := table("F32", 6, 2)
	a.values[2], a.values[3] = 0, 0             // red
	a.values[4], a.values[5] = math.Inf(1), 1   // dog
	a.values[6], a.values[7] = math.NaN(), 1e38 // blue
	results, err := openModel(t, map[string]array{"embeddings": a}).Embed(context.Background(), Document, []string{"red", "dog", "blue", "cat"})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if bad := i < 3; bad != errors.Is(r.Err, ErrVector) {
			t.Errorf("text %d: %v", i, r.Err)
		}
	}
}

func TestFromHalf(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0: 0, 1: math.Ldexp(1, -24), 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x3555: 0.333251953125,
	} {
		if got := fromHalf(bits); got != want {
			t.Errorf("%#x: got %v, want %v", bits, got, want)
		}
	}
}

// FuzzSafetensors: any file is tensors within its bounds, or an error.
func FuzzSafetensors(f *testing.F) {
	f.Add(safetensors(map[string]array{"embeddings": table("F16", 3, 4), "mapping": {"I32", []int{2}, []float64{0, 1}}}))
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		tensors, err := readSafetensors(fuzzFile{file}, "embeddings", "weights", "mapping")
		if err != nil {
			return
		}
		for name, tensor := range tensors {
			n := 1
			for _, d := range tensor.shape {
				n *= d
			}
			if len(tensor.data) > len(content) || len(tensor.data) != n*formSizes[tensor.form] {
				t.Errorf("%s: %d bytes of %d", name, len(tensor.data), len(content))
			}
			tensor.at(n - 1)
		}
	})
}

// fuzzFile is a file of the system as one of vfs.
type fuzzFile struct{ *os.File }

func (f fuzzFile) SyncData() error { return f.Sync() }
