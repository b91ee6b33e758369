// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/embed"
)

// Rerank says what puts the best hits of a search in order; the zero value says that nothing
// does.
type Rerank struct {
	Kind, URL, Model string        // as in embed.Config
	Key              string        `json:"-"` // likewise
	Timeout          time.Duration // of a search; 0 is the default
	// All lets a server on another computer see every note, not only those with the
	// property EMBED.
	All bool
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

// maxRerankMs is the maximum time that a search waits for a reranker.
const maxRerankMs = 10_000

// rerank parses the table of the reranker.
func (v value) rerank() (Rerank, error) {
	r := Rerank{Kind: embed.KindAuto}
	texts := map[string]*string{"kind": &r.Kind, "url": &r.URL, "model": &r.Model}
	used, err := v.server(texts, &r.Key, &r.Timeout, &r.All, maxRerankMs)
	switch {
	case err != nil:
		return Rerank{}, err
	case !used:
		return Rerank{}, nil
	case r.URL == "":
		return Rerank{}, fmt.Errorf("the table names no url; a reranker is a server, such as http://localhost:8080")
	case r.Kind != embed.KindAuto && r.Kind != embed.KindOpenAI && r.Kind != embed.KindTEI:
		return Rerank{}, fmt.Errorf("kind: %q is none; use openai, tei or auto", r.Kind)
	}
	return r, nil
}

// server parses a table about a server: the texts, key_env, timeout_ms of at most maxMs, and
// all. used is false for an empty table.
func (v value) server(texts map[string]*string, secret *string, timeout *time.Duration, all *bool, maxMs int) (used bool, err error) {
	table, ok := v.raw.(map[string]any)
	if !ok {
		return false, fmt.Errorf("%v is not a table with url and model", v)
	}
	var keyName string
	texts["key_env"] = &keyName
	for _, key := range slices.Sorted(maps.Keys(table)) {
		of, err := v.of(table[key]), error(nil)
		switch text := texts[key]; {
		case text != nil:
			*text, err = of.text()
		case key == "all":
			*all, err = of.truth()
		case key == "timeout_ms":
			var ms int
			ms, err = of.whole(1, maxMs)
			*timeout = time.Duration(ms) * time.Millisecond
		default:
			known := append(slices.Sorted(maps.Keys(texts)), "all", "timeout_ms")
			slices.Sort(known)
			return false, fmt.Errorf("unknown key %q; there are %s", key, strings.Join(known, ", "))
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", key, err)
		}
	}
	*secret, err = v.secret(keyName)
	return len(table) > 0, err
}
