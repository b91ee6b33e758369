// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// The kinds of embedders.
const (
	KindLexical = "lexical" // the built-in vectors
	KindFile    = "file"    // a static model in files
	KindOllama  = "ollama"  // an Ollama server
	KindOpenAI  = "openai"  // a server with /v1/embeddings
	KindTEI     = "tei"     // Hugging Face's text-embeddings-inference
	KindAuto    = "auto"    // one of these servers, whichever it is
)

// Config describes the embedder to open. The zero value is the built-in one.
type Config struct {
	Kind  string // one of the kinds above; "" is KindLexical
	URL   string // the address of a server, for example http://localhost:11434
	Model string // the model of a server; "" if it has only one. Or the name of a model in files
	// Folder is the path of a static model: model.safetensors and tokenizer.json, as model2vec
	// writes them. Open reads them; nothing is read later.
	Folder string
	Key    string // the bearer token of a server; "" sends none
	// The texts that a model needs before a question and before a document, including a
	// blank at the end.
	QueryPrefix, DocumentPrefix string
	// Dimensions shortens vectors; 0 does not. It needs Nested: the model was trained so
	// that the first numbers of a vector are a vector (Matryoshka).
	Dimensions int
	Nested     bool
	Timeout    time.Duration // of one request; 0 is 30 seconds
	// Known are models with stored vectors; only fingerprint and dimension count. A server with
	// one of them is not probed before its first document.
	Known []Model
	Now   func() time.Time // nil is time.Now
}

// Connector returns a function that opens the embedder, for fovea.Options.Embedder.
func (c Config) Connector() func(context.Context) (Embedder, error) {
	return func(ctx context.Context) (Embedder, error) { return Open(ctx, c) }
}

// Ollama returns a function that opens a model of an Ollama server, for fovea.Options.Embedder:
// the Connector of KindOllama. An example of url is http://localhost:11434. With the model "",
// the server must have exactly one.
func Ollama(url, model string) func(context.Context) (Embedder, error) {
	return Config{Kind: KindOllama, URL: url, Model: model}.Connector()
}

// Open returns the embedder of the configuration. It asks a server for its models and
// for four vectors, unless an earlier run did, see Config.Known. Errors: ErrConfig,
// ErrFile, ErrUnavailable, ErrProtocol, and that of ctx.
func Open(ctx context.Context, c Config) (Embedder, error) {
	e, err := open(ctx, c)
	return e, ofOpening(ctx, "open embedder", c, err)
}

func open(ctx context.Context, c Config) (Embedder, error) {
	if c.Dimensions < 0 || c.Dimensions > 0 && !c.Nested {
		return nil, fmt.Errorf("%w: vectors are cut only where the model is declared to be trained for it (nested)", ErrConfig)
	}
	if c.Kind == "" || c.Kind == KindLexical {
		return newLexical(), nil
	}
	if c.Kind == KindFile {
		return openStatic(c)
	}
	if c.Kind != KindAuto && !slices.ContainsFunc(shapes, func(sh shape) bool { return sh.kind == c.Kind }) {
		return nil, fmt.Errorf("%w: there is no such kind; use lexical, file, ollama, openai, tei or auto", ErrConfig)
	}
	s, err := firstShape(ctx, c, slices.All(shapes), func(r *remote, sh shape) (*server, error) {
		c.Kind = sh.kind
		a, err := sh.describe(ctx, r, c.Model)
		return &server{remote: r, shape: sh, config: c, about: a, turns: newTurns()}, err
	})
	if err != nil {
		return nil, err
	}
	return s.open(ctx) // its failure is that of the right server, and no reason to try another shape
}
