// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
)

// shape is the interface of one kind of server.
type shape interface {
	// describe finds the model. The name "" is the only model that the server has.
	describe(ctx context.Context, r *remote, name string) (about, error)
	embed(ctx context.Context, r *remote, name string, texts []string) (answer, error)
}

// about is what a server says of a model; what it does not say is zero.
type about struct {
	name, digest string
	maxTokens    int
}

// answer has a vector for each text. Model and tokens are zero where a server does not
// say what answered and how many tokens it read.
type answer struct {
	vectors [][]float32
	model   string
	tokens  int
}

// chooseModel finds name among the models of a server.
func chooseModel(name string, names []string) (int, error) {
	for i, n := range names {
		if n == name || n == name+":latest" || name == "" && len(names) == 1 {
			return i, nil
		}
	}
	names = names[:min(len(names), 20)]
	return 0, fmt.Errorf("%w: the server has no model %q; name one of: %s", ErrConfig, name, strings.Join(names, ", "))
}

// ollamaShape is /api/embed. Ollama is told not to truncate, since a refusal is better
// than a silent loss; some releases truncate all the same.
type ollamaShape struct{}

func (ollamaShape) describe(ctx context.Context, r *remote, name string) (about, error) {
	var tags struct {
		Models []struct{ Name, Digest string }
	}
	if err := r.call(ctx, "/api/tags", nil, &tags); err != nil {
		return about{}, err
	}
	if tags.Models == nil {
		return about{}, fmt.Errorf("/api/tags has no models: %w", ErrProtocol)
	}
	names := make([]string, len(tags.Models))
	for i, m := range tags.Models {
		names[i] = m.Name
	}
	i, err := chooseModel(name, names)
	if err != nil {
		return about{}, err
	}
	var show struct {
		Info map[string]json.RawMessage `json:"model_info"`
	}
	if err := r.call(ctx, "/api/show", map[string]string{"model": names[i]}, &show); err != nil {
		return about{}, err
	}
	a := about{name: names[i], digest: tags.Models[i].Digest}
	for key, value := range show.Info {
		if strings.HasSuffix(key, ".context_length") && json.Unmarshal(value, &a.maxTokens) != nil {
			a.maxTokens = 0
		}
	}
	return a, nil
}

func (ollamaShape) embed(ctx context.Context, r *remote, name string, texts []string) (answer, error) {
	var got struct {
		Model      string
		Embeddings [][]float32
		Tokens     int `json:"prompt_eval_count"`
	}
	err := r.call(ctx, "/api/embed", map[string]any{"model": name, "input": texts, "truncate": false}, &got)
	return answer{got.Embeddings, got.Model, got.Tokens}, err
}

// openAIShape is /v1/embeddings, as llama.cpp, LM Studio, vLLM and clouds have it.
// Vectors come in base64 only from a server that was seen to do it well.
type openAIShape struct{ base64 atomic.Bool }

func (*openAIShape) describe(ctx context.Context, r *remote, name string) (about, error) {
	var list struct{ Data []struct{ ID string } }
	switch err := r.call(ctx, "/v1/models", nil, &list); {
	case name != "" && (errors.Is(err, errNoPath) || err == nil): // an alias need not be in the list
		return about{name: name}, nil
	case err != nil:
		return about{}, err
	case list.Data == nil:
		return about{}, fmt.Errorf("/v1/models has no data: %w", ErrProtocol)
	}
	names := make([]string, len(list.Data))
	for i, m := range list.Data {
		names[i] = m.ID
	}
	i, err := chooseModel(name, names)
	if err != nil {
		return about{}, err
	}
	return about{name: names[i]}, nil
}

func (s *openAIShape) embed(ctx context.Context, r *remote, name string, texts []string) (answer, error) {
	body := map[string]any{"model": name, "input": texts}
	if s.base64.Load() {
		body["encoding_format"] = "base64"
	}
	var got struct {
		Model string
		Data  []struct {
			Index     *int
			Embedding wireVector
		}
		Usage struct {
			Tokens int `json:"prompt_tokens"`
		}
	}
	if err := r.call(ctx, "/v1/embeddings", body, &got); err != nil {
		return answer{}, err
	}
	vectors, seen := make([][]float32, len(texts)), make([]bool, len(texts))
	for _, d := range got.Data {
		if d.Index == nil || *d.Index < 0 || *d.Index >= len(texts) || seen[*d.Index] {
			return answer{}, fmt.Errorf("/v1/embeddings: an index is missing, repeated or out of range: %w", ErrProtocol)
		}
		vectors[*d.Index], seen[*d.Index] = d.Embedding, true
	}
	return answer{vectors[:min(len(vectors), len(got.Data))], got.Model, got.Usage.Tokens}, nil
}

// wireVector is a vector as an array of numbers, or as base64 of little-endian float32.
type wireVector []float32

func (v *wireVector) UnmarshalJSON(text []byte) error {
	if len(text) == 0 || text[0] != '"' {
		return json.Unmarshal(text, (*[]float32)(v))
	}
	var encoded string
	if err := json.Unmarshal(text, &encoded); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw)%4 != 0 {
		return fmt.Errorf("%d bytes of base64 are no vector: %w", len(raw), ErrProtocol)
	}
	*v = make([]float32, len(raw)/4)
	for i := range *v {
		(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return nil
}

// teiShape is /embed of Hugging Face's text-embeddings-inference.
type teiShape struct{}

func (teiShape) describe(ctx context.Context, r *remote, name string) (about, error) {
	var info struct {
		ID        string `json:"model_id"`
		Digest    string `json:"model_sha"`
		MaxTokens int    `json:"max_input_length"`
	}
	if err := r.call(ctx, "/info", nil, &info); err != nil {
		return about{}, err
	}
	if info.ID == "" {
		return about{}, fmt.Errorf("/info names no model: %w", ErrProtocol)
	}
	if _, err := chooseModel(name, []string{info.ID}); err != nil {
		return about{}, err
	}
	return about{info.ID, info.Digest, info.MaxTokens}, nil
}

func (teiShape) embed(ctx context.Context, r *remote, _ string, texts []string) (answer, error) {
	var got [][]float32
	err := r.call(ctx, "/embed", map[string]any{"inputs": texts, "truncate": false, "normalize": true}, &got)
	return answer{vectors: got}, err
}
