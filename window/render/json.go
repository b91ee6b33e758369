// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"

	"github.com/fovea-memory/fovea/window/choose"
)

// jsonRenderer renders an array with one entry per line. The commas are lines of their
// own, so that the tokens of entries add up.
type jsonRenderer struct{}

func (jsonRenderer) Head(Heading) string  { return "[\n" }
func (jsonRenderer) Separator() string    { return ",\n" }
func (jsonRenderer) Tail() string         { return "]\n" }
func (jsonRenderer) Remark(string) string { return "" }

// jsonEntry fixes the order of the keys.
type jsonEntry struct {
	ID         string  `json:"id"`
	Handle     string  `json:"handle,omitempty"`
	Content    string  `json:"content"`
	Confidence float64 `json:"confidence"`
	Priority   string  `json:"priority"`
	Metadata   any     `json:"metadata"`
}

type jsonMetadata struct {
	Type          string       `json:"type,omitempty"`
	Timestamp     string       `json:"timestamp,omitempty"`
	Author        string       `json:"author,omitempty"`
	Path          string       `json:"path,omitempty"`
	Parent        string       `json:"parent,omitempty"`
	Title         string       `json:"title"`
	Level         choose.Level `json:"level"`
	Depth         int          `json:"depth"`
	Todo          string       `json:"todo,omitempty"`
	Rank          string       `json:"rank,omitempty"`
	Tags          []string     `json:"tags,omitempty"`
	SemanticScore *float64     `json:"semantic_score,omitempty"`
	Corrected     bool         `json:"corrected,omitempty"`
	Planning      []string     `json:"planning,omitempty"`
	Properties    [][2]string  `json:"properties,omitempty"`
}

func (jsonRenderer) Piece(e *Entry) string {
	score := math.Round(e.Score*100) / 100
	meta := jsonMetadata{
		Type: e.Item.Type, Timestamp: e.Item.Date, Author: e.Item.Author, Path: e.Item.Path, Parent: e.Parent,
		Title: TitleOf(e.Item, e.Level), Level: e.Level, Depth: e.Stars,
		Todo: e.Item.Todo, Rank: e.Item.Priority, Tags: e.Item.Tags, Corrected: e.Corrected,
	}
	if e.Similar {
		meta.SemanticScore = &score
	}
	if e.Level == choose.Full {
		meta.Planning, meta.Properties = e.Item.Planning, e.Item.Properties
	}
	content := meta.Title
	if body := e.body(); body != "" {
		content += "\n" + body
	}
	entry := jsonEntry{e.Item.ID, e.Item.Handle, content, score, string(e.Class), meta}
	if w := e.Item.Working; w != nil {
		entry = workingEntry(e, w)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(entry); err != nil { // a value of Working.Entry cannot be encoded
		entry.Metadata = meta
		_ = enc.Encode(entry) // strings, numbers and lists of them cannot fail
	}
	return b.String()
}

// workingEntry returns the entry of a block. It has the block's confidence, priority and metadata, with the
// level added if the block is not shown whole.
func workingEntry(e *Entry, w *Working) jsonEntry {
	metadata := maps.Clone(w.Entry)
	content := e.body()
	if e.Level < choose.Full {
		if metadata == nil {
			metadata = map[string]any{}
		}
		metadata["level"] = e.Level
		if e.Compressed != "" {
			metadata["compressed"] = e.Compressed
		}
		content = cmp.Or(content, TitleOf(e.Item, e.Level))
	}
	return jsonEntry{ID: w.ID, Content: content, Confidence: w.Confidence, Priority: string(e.Class), Metadata: metadata}
}
