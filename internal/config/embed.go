// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Embed configures the embedder; the zero value means that there is none.
type Embed struct {
	Kind           string `key:"kind" as:"text"`               // as in embed.Config
	URL            string `key:"url" as:"text"`                // likewise
	Model          string `key:"model" as:"text"`              // likewise
	Key            string `key:"key_env" as:"secret" json:"-"` // likewise
	QueryPrefix    string `key:"query_prefix" as:"text"`
	DocumentPrefix string `key:"document_prefix" as:"text"`
	Dimensions     int    `key:"dimensions" as:"0 to 65536"`
	Nested         bool   `key:"nested"`
	// All lets a server on another computer see every note, not only those with the property EMBED.
	All bool `key:"all"`
	// Folder holds a static model, "" for none.
	Folder string `key:"folder" as:"folder"`
}

// Connector returns a function that connects to the embedder of the memory in a state folder, nil if there is none.
func (e Embed) Connector(stateDir string) func(context.Context) (embed.Embedder, error) {
	if e.Kind == "" {
		return nil
	}
	c := embed.Config{
		Kind: e.Kind, URL: e.URL, Model: e.Model, Key: e.Key,
		QueryPrefix: e.QueryPrefix, DocumentPrefix: e.DocumentPrefix, Dimensions: e.Dimensions, Nested: e.Nested, Folder: e.Folder,
	}
	return func(ctx context.Context) (embed.Embedder, error) {
		of := c
		if kept, err := vfs.Dir(filepath.Join(stateDir, vector.Folder)); err == nil {
			models, _ := vector.Models(kept) // unreadable models are not known
			for _, m := range models {
				of.Known = append(of.Known, embed.Model{Fingerprint: m.Fingerprint, Dim: m.Dim})
			}
			_ = kept.Close()
		}
		return embed.Open(ctx, of)
	}
}

// complete sets the default kind and address.
func (e *Embed) complete() error {
	if e.Kind == embed.KindOllama {
		e.URL = cmp.Or(e.URL, OllamaAddress())
	}
	if e.Folder != "" {
		e.Kind = cmp.Or(e.Kind, embed.KindFile)
	}
	e.Kind = cmp.Or(e.Kind, embed.KindAuto)
	return nil
}

// OllamaAddress returns the address in Ollama's own variable, as Ollama reads it.
func OllamaAddress() string {
	const port = ":11434"
	host := os.Getenv("OLLAMA_HOST")
	scheme, rest, ok := strings.Cut(host, "://")
	if !ok {
		scheme, rest = "http", host
	}
	rest = strings.TrimSuffix(rest, "/")
	switch {
	case rest == "", strings.HasPrefix(rest, "0.0.0.0"):
		rest = "127.0.0.1" + cmp.Or(strings.TrimPrefix(rest, "0.0.0.0"), port)
	case !strings.Contains(rest, ":"):
		rest += port
	}
	return scheme + "://" + rest
}

// Text returns the table of the embedder for the configuration file.
func (e Embed) Text() string {
	var table struct {
		Embed struct {
			Kind  string `toml:"kind,omitempty"`
			URL   string `toml:"url,omitempty"`
			Model string `toml:"model,omitempty"`
		} `toml:"embed"`
	}
	table.Embed.Kind, table.Embed.URL, table.Embed.Model = e.Kind, e.URL, e.Model
	var text strings.Builder
	encoder := toml.NewEncoder(&text)
	encoder.Indent = ""
	_ = encoder.Encode(table) // texts can be encoded
	return text.String()
}

// AddEmbed adds an embedder to the configuration file, which it creates if missing, and returns the file's name.
// Every other byte stays. If the file has an embedder, it returns an error and does not change the file.
func (c *Config) AddEmbed(e Embed) (string, error) {
	name, err := c.edit(func(text string) (string, error) {
		values := map[string]any{}
		if _, err := toml.Decode(text, &values); err != nil {
			return "", err
		}
		if values["embed"] != nil {
			return "", fmt.Errorf("there is a table embed already; change it by hand to\n%s", e.Text())
		}
		if text != "" {
			text = strings.TrimRight(text, "\n") + "\n\n"
		}
		return text + e.Text(), nil
	})
	if err == nil {
		c.Embed = e
	}
	return name, err
}

// Rerank configures the reranker, which sorts the best hits of a search; the zero value means that there is none.
type Rerank struct {
	Kind    string        `key:"kind" as:"text"`               // as in embed.Config
	URL     string        `key:"url" as:"text"`                // likewise
	Model   string        `key:"model" as:"text"`              // likewise
	Key     string        `key:"key_env" as:"secret" json:"-"` // likewise
	Timeout time.Duration `key:"timeout_ms" as:"1 to 10000"`   // of a search; 0 is the default
	// All lets a server on another computer see every note, not only those with the property EMBED.
	All bool `key:"all"`
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

// complete sets the default kind, and requires a server.
func (r *Rerank) complete() error {
	switch r.Kind = cmp.Or(r.Kind, embed.KindAuto); {
	case r.URL == "":
		return fmt.Errorf("the table must name a url; a reranker is a server, such as http://localhost:8080")
	case r.Kind != embed.KindAuto && r.Kind != embed.KindOpenAI && r.Kind != embed.KindTEI:
		return fmt.Errorf("kind: there is no %q; use openai, tei or auto", r.Kind)
	}
	return nil
}

// Summary configures the model that summarizes blocks that do not fit a window; the zero value means that there is none.
type Summary struct {
	URL     string        `key:"url" as:"text"`                // as in embed.Config
	Model   string        `key:"model" as:"text"`              // likewise
	Key     string        `key:"key_env" as:"secret" json:"-"` // likewise
	Timeout time.Duration `key:"timeout_ms" as:"1 to 600000"`  // of one request; 0 is the default
	// All lets a server on another computer see every text that is not encrypted, not only notes
	// with the property EMBED.
	All bool `key:"all"`
}

// Summarizing returns how to connect to the model, nil if there is none.
func (s Summary) Summarizing() *embed.Summarizing {
	if s.URL == "" {
		return nil
	}
	return new(embed.Summarizing(s))
}

// complete requires a server and its model.
func (s *Summary) complete() error {
	if s.URL == "" || s.Model == "" {
		return fmt.Errorf("the table must name a url and a model, such as http://localhost:11434 and llama3.2")
	}
	return nil
}
