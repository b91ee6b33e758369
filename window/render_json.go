// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
)

// jsonRenderer renders an array with one entry per line. The commas are lines of their
// own, so that the tokens of entries add up.
type jsonRenderer struct{}

func (jsonRenderer) head(heading) string { return "[\n" }
func (jsonRenderer) separator() string   { return ",\n" }
func (jsonRenderer) tail() string        { return "]\n" }

func (jsonRenderer) remark(string) string { return "" }

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
	Type          string      `json:"type,omitempty"`
	Path          string      `json:"path,omitempty"`
	Title         string      `json:"title"`
	Level         Level       `json:"level"`
	Depth         int         `json:"depth"`
	Todo          string      `json:"todo,omitempty"`
	Rank          string      `json:"rank,omitempty"`
	Tags          []string    `json:"tags,omitempty"`
	SemanticScore *float64    `json:"semantic_score,omitempty"`
	Corrected     bool        `json:"corrected,omitempty"`
	Planning      []string    `json:"planning,omitempty"`
	Properties    [][2]string `json:"properties,omitempty"`
}

func (jsonRenderer) piece(e *entry) string {
	score := math.Round(e.score*100) / 100
	meta := jsonMetadata{
		Type: e.item.Type, Path: e.item.Path, Title: titleOf(e.item, e.level), Level: e.level, Depth: e.stars,
		Todo: e.item.Todo, Rank: e.item.Priority, Tags: e.item.Tags, Corrected: e.corrected,
	}
	if e.similar {
		meta.SemanticScore = &score
	}
	if e.level == Full {
		meta.Planning, meta.Properties = e.item.Planning, e.item.Properties
	}
	content := meta.Title
	if body := e.body(); body != "" {
		content += "\n" + body
	}
	entry := jsonEntry{e.item.ID, e.item.Handle, content, score, e.priority(), meta}
	if w := e.item.Working; w != nil {
		entry = workingEntry(e, w)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(entry); err != nil { // a value of Working.Entry is none of JSON
		entry.Metadata = meta
		_ = enc.Encode(entry) // strings, numbers and lists of them cannot fail
	}
	return b.String()
}

// workingEntry is the entry of a block: the confidence and the priority are its own, and so
// is its metadata, with the level if it is not shown whole.
func workingEntry(e *entry, w *Working) jsonEntry {
	metadata := maps.Clone(w.Entry)
	content := e.body()
	if e.level < Full {
		if metadata == nil {
			metadata = map[string]any{}
		}
		metadata["level"] = e.level
		content = cmp.Or(content, titleOf(e.item, e.level))
	}
	return jsonEntry{ID: w.ID, Content: content, Confidence: w.Confidence, Priority: string(w.Priority), Metadata: metadata}
}

// priority maps the level to a class of working memory, in lower case.
func (e *entry) priority() string {
	switch {
	case e.focus:
		return "critical"
	case e.level == Full:
		return "high"
	case e.level == Snippet:
		return "medium"
	default:
		return "low"
	}
}
