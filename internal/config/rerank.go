// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/internal/embed"
)

// Rerank says what puts the best hits of a search in order; the zero value says that nothing
// does.
type Rerank struct {
	Kind    string        `key:"kind" as:"text"`               // as in embed.Config
	URL     string        `key:"url" as:"text"`                // likewise
	Model   string        `key:"model" as:"text"`              // likewise
	Key     string        `key:"key_env" as:"secret" json:"-"` // likewise
	Timeout time.Duration `key:"timeout_ms" as:"1 to 10000"`   // of a search; 0 is the default
	// All lets a server on another computer see every note, not only those with the
	// property EMBED.
	All bool `key:"all" as:"truth"`
}

// Reranking returns how to connect to the reranker, nil if there is none.
func (r Rerank) Reranking() *embed.Reranking {
	if r.URL == "" {
		return nil
	}
	return &embed.Reranking{Timeout: r.Timeout, All: r.All, Connect: func(ctx context.Context) (embed.Reranker, error) {
		return embed.OpenReranker(ctx, embed.Config{Kind: r.Kind, URL: r.URL, Model: r.Model, Key: r.Key})
	}}
}

// rerank parses the table of the reranker.
func (v value) rerank() (Rerank, error) {
	r, err := tableOf[Rerank](v)
	if err != nil || v.isEmpty() {
		return Rerank{}, err
	}
	switch r.Kind = cmp.Or(r.Kind, embed.KindAuto); {
	case r.URL == "":
		return Rerank{}, fmt.Errorf("the table names no url; a reranker is a server, such as http://localhost:8080")
	case r.Kind != embed.KindAuto && r.Kind != embed.KindOpenAI && r.Kind != embed.KindTEI:
		return Rerank{}, fmt.Errorf("kind: %q is none; use openai, tei or auto", r.Kind)
	}
	return r, nil
}
