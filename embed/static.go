// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// The files of a static model.
const (
	weightsFile   = "model.safetensors"
	tokenizerFile = "tokenizer.json"
)

// static embeds texts by the vectors of their tokens: the mean of rows of a table, each
// times the weight of its token, as in model2vec.
type static struct {
	model     Model
	config    Config
	tokenizer *tokenizer
	rows      *tensor // rows times dim
	weights   *tensor // of tokens, or nil
	mapping   *tensor // from tokens to rows, or nil: token i has row i
	dim       int     // of rows; the model may cut it
}

// openStatic reads the files of a model in c.Folder.
func openStatic(c Config) (Embedder, error) {
	if c.Folder == "" {
		return nil, fmt.Errorf("%w: no folder with %s and %s is given", ErrConfig, weightsFile, tokenizerFile)
	}
	folder, err := vfs.Dir(c.Folder)
	if err != nil {
		return nil, fmt.Errorf("the folder of the model: %w: %w", ErrFile, err)
	}
	defer folder.Close()
	s, sum := &static{config: c}, sha256.New()
	for _, part := range []struct {
		name string
		read func(f vfs.File, sum io.Writer) error
	}{{weightsFile, s.readWeights}, {tokenizerFile, s.readTokenizer}} {
		if err := readPart(folder, part.name, func(f vfs.File) error { return part.read(f, sum) }); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	dim := min(s.dim, cmp.Or(c.Dimensions, s.dim))
	s.model = Model{Name: cmp.Or(c.Model, filepath.Base(c.Folder)), Kind: KindFile, Dim: dim}
	s.model.Fingerprint = fingerprint("static", "1", hex.EncodeToString(sum.Sum(nil)), strconv.Itoa(dim), c.QueryPrefix, c.DocumentPrefix)
	return s, nil
}

// readPart reads one of the files. A missing file is ErrFile.
func readPart(files vfs.FS, name string, read func(vfs.File) error) error {
	f, err := files.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	return errors.Join(read(f), f.Close())
}

func (s *static) readWeights(f vfs.File, sum io.Writer) error {
	tensors, err := readSafetensors(f, "embeddings", "weights", "mapping")
	if err != nil {
		return err
	}
	s.rows, s.weights, s.mapping = tensors["embeddings"], tensors["weights"], tensors["mapping"]
	if s.rows == nil || len(s.rows.shape) != 2 || s.rows.shape[1] > maxDim {
		return fmt.Errorf("there is no table named embeddings, or its rows are longer than %d: %w", maxDim, ErrFile)
	}
	s.dim = s.rows.shape[1]
	for name, t := range map[string]*tensor{"weights": s.weights, "mapping": s.mapping} {
		if t != nil && len(t.shape) != 1 {
			return fmt.Errorf("%s is no list: %w", name, ErrFile)
		}
	}
	if s.mapping != nil {
		for i := range s.mapping.shape[0] {
			if row := s.mapping.at(i); !(row >= 0 && row < float64(s.rows.shape[0])) {
				return fmt.Errorf("token %d has row %v of %d: %w", i, row, s.rows.shape[0], ErrFile)
			}
		}
	}
	_, err = io.Copy(sum, f)
	return err
}

func (s *static) readTokenizer(f vfs.File, sum io.Writer) error {
	text, err := io.ReadAll(io.LimitReader(f, maxTokenizer+1))
	if err != nil {
		return err
	}
	if s.tokenizer, err = parseTokenizer(text); err != nil {
		return fmt.Errorf("%w: %w", ErrFile, err)
	}
	_, err = sum.Write(text)
	return err
}

// Model returns the model of the files.
func (s *static) Model() Model { return s.model }

// Embed never fails as a whole, unless the context has ended.
func (s *static) Embed(ctx context.Context, p Purpose, texts []string) ([]Result, error) {
	prefix := s.config.DocumentPrefix
	if p == Query {
		prefix = s.config.QueryPrefix
	}
	results := make([]Result, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if words(text) == 0 {
			results[i].Err = ErrEmpty
			continue
		}
		text, results[i].Truncated = text[:min(len(text), maxText)], len(text) > maxText
		results[i].Vector, results[i].Err = s.vector(prefix + text)
	}
	return results, nil
}

// vector adds up the rows of the tokens of text. A text without known tokens is ErrEmpty.
func (s *static) vector(text string) ([]float32, error) {
	sums := make([]float64, s.model.Dim)
	known := false
	for _, id := range s.tokenizer.encode(text) {
		row, ok := s.row(id)
		if !ok {
			continue
		}
		known = true
		weight := 1.0
		if s.weights != nil && id < s.weights.shape[0] {
			weight = s.weights.at(id)
		}
		for i := range sums {
			sums[i] += float64(weight * s.rows.at(row*s.dim+i))
		}
	}
	if !known {
		return nil, ErrEmpty
	}
	v := make([]float32, len(sums))
	for i, x := range sums {
		v[i] = float32(x)
	}
	if err := unit(v); err != nil {
		return nil, err
	}
	return v, nil
}

// row returns the row of a token; tokens added after the table was made have none.
func (s *static) row(id int) (int, bool) {
	if s.mapping == nil {
		return id, id < s.rows.shape[0]
	}
	if id >= s.mapping.shape[0] {
		return 0, false
	}
	return int(s.mapping.at(id)), true
}
