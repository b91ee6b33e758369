// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"
)

// shape is the interface of one kind of server.
type shape struct {
	kind string
	// describe finds the model. The name "" is the only model that the server has.
	describe func(ctx context.Context, r *remote, name string) (about, error)
	embed    call
	rerank   call // zero without a reranker
}

// call describes a request about texts.
type call struct {
	path     string
	texts    string         // the key of the texts
	isNamed  bool           // the request names the model
	settings map[string]any // further fields
	isList   bool           // the answer is only a list
}

// shapes are in the order in which they are tried: Ollama has the paths of OpenAI too. OpenAI's are those of llama.cpp,
// LM Studio, vLLM and clouds; TEI is Hugging Face's text-embeddings-inference. If possible, requests forbid truncation,
// since a refusal is better than a silent loss; some releases of Ollama truncate anyway.
var shapes = []shape{
	{
		kind: KindOllama, describe: describeOllama,
		embed: call{path: "/api/embed", texts: "input", isNamed: true, settings: map[string]any{"truncate": false}},
	}, {
		kind: KindTEI, describe: describeTEI,
		embed:  call{path: "/embed", texts: "inputs", settings: map[string]any{"truncate": false, "normalize": true}, isList: true},
		rerank: call{path: "/rerank", texts: "texts", settings: map[string]any{"truncate": true}, isList: true},
	}, {
		kind: KindOpenAI, describe: describeOpenAI,
		embed:  call{path: "/v1/embeddings", texts: "input", isNamed: true},
		rerank: call{path: "/v1/rerank", texts: "documents", isNamed: true},
	},
}

// firstShape opens a server as the first of the shapes of the configured kind that it answers.
func firstShape[T any](ctx context.Context, c Config, of iter.Seq2[int, shape], open func(*remote, shape) (T, error)) (found T, err error) {
	r, err := newRemote(c)
	if err != nil {
		return found, err
	}
	for _, sh := range of {
		if c.Kind != sh.kind && c.Kind != KindAuto {
			continue
		}
		if found, err = open(r, sh); err == nil {
			return found, nil
		}
		if ctx.Err() != nil || errors.Is(err, ErrConfig) || errors.Is(err, ErrUnavailable) && !errors.Is(err, errNoPath) {
			break
		}
	}
	return *new(T), err
}

// about describes a model; fields that the server does not report are zero.
type about struct {
	name, digest string
	maxTokens    int
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

func describeOllama(ctx context.Context, r *remote, name string) (about, error) {
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

func describeOpenAI(ctx context.Context, r *remote, name string) (about, error) {
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

func describeTEI(ctx context.Context, r *remote, name string) (about, error) {
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

// response has the fields of the answers of all shapes.
type response struct {
	Model      string
	Embeddings [][]float32
	Data       []indexed
	Results    []indexed
	Tokens     int `json:"prompt_eval_count"`
	Usage      struct {
		Tokens int `json:"prompt_tokens"`
	}
}

// indexed is the result for one of the texts. Cohere and Jina call the score relevance_score.
type indexed struct {
	Index     *int
	Embedding []float32
	Score     *float64
	Relevance *float64 `json:"relevance_score"`
}

// ask sends texts and further fields. list returns where an answer that is only a list goes.
func (c call) ask(ctx context.Context, r *remote, model string, texts []string, more map[string]any, list func(*response) any) (response, error) {
	body := map[string]any{c.texts: texts}
	if c.isNamed && model != "" {
		body["model"] = model
	}
	maps.Copy(body, c.settings)
	maps.Copy(body, more)
	var got response
	into := any(&got)
	if c.isList {
		into = list(&got)
	}
	return got, r.call(ctx, c.path, body, into)
}

// vectorsCount is the message for a wrong number of vectors.
const vectorsCount = "%d vectors for %d texts"

// inOrder returns the results for n texts in the order of the texts. count is the message for a wrong number.
func inOrder(path string, got []indexed, n int, count string) ([]indexed, error) {
	all := make([]indexed, n)
	for _, d := range got {
		if d.Index == nil || *d.Index < 0 || *d.Index >= n || all[*d.Index].Index != nil {
			return nil, fmt.Errorf("%s: an index is missing, repeated or out of range: %w", path, ErrProtocol)
		}
		all[*d.Index] = d
	}
	if len(got) != n {
		return nil, fmt.Errorf("%s: "+count+": %w", path, len(got), n, ErrProtocol)
	}
	return all, nil
}

// answer has a vector for each text. Model and tokens are zero if the server does not report
// its model and the number of tokens read.
type answer struct {
	vectors [][]float32
	model   string
	tokens  int
}

// vectors embeds texts.
func (c call) vectors(ctx context.Context, r *remote, model string, texts []string) (answer, error) {
	got, err := c.ask(ctx, r, model, texts, nil, func(to *response) any { return &to.Embeddings })
	if err != nil {
		return answer{}, err
	}
	if got.Data != nil {
		ordered, err := inOrder(c.path, got.Data, len(texts), vectorsCount)
		if err != nil {
			return answer{}, err
		}
		for _, d := range ordered {
			got.Embeddings = append(got.Embeddings, d.Embedding)
		}
	}
	if len(got.Embeddings) != len(texts) {
		return answer{}, fmt.Errorf("%s: "+vectorsCount+": %w", c.path, len(got.Embeddings), len(texts), ErrProtocol)
	}
	return answer{got.Embeddings, got.Model, max(got.Tokens, got.Usage.Tokens)}, nil
}

// scores returns how well documents answer a query.
func (c call) scores(ctx context.Context, r *remote, model, query string, documents []string) ([]float64, error) {
	more := map[string]any{"query": query}
	if !c.isList {
		more["top_n"] = len(documents)
	}
	got, err := c.ask(ctx, r, model, documents, more, func(to *response) any { return &to.Results })
	if err != nil {
		return nil, err
	}
	ordered, err := inOrder(c.path, got.Results, len(documents), "%d scores for %d documents")
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(documents))
	for i, d := range ordered {
		value := cmp.Or(d.Relevance, d.Score)
		if value == nil {
			return nil, fmt.Errorf("%s: a score is missing: %w", c.path, ErrProtocol)
		}
		scores[i] = *value
	}
	return scores, nil
}
