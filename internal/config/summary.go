// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/internal/embed"
)

// Summary says which model summarizes blocks that do not fit a window; the zero value says
// that none does.
type Summary struct {
	URL     string        `key:"url" as:"text"`                // as in embed.Config
	Model   string        `key:"model" as:"text"`              // likewise
	Key     string        `key:"key_env" as:"secret" json:"-"` // likewise
	Timeout time.Duration `key:"timeout_ms" as:"1 to 600000"`  // of one request; 0 is the default
	// All lets a server on another computer see every text that is not encrypted, not only
	// notes with the property EMBED.
	All bool `key:"all" as:"truth"`
}

// Summarizing returns the model to ask, nil if there is none.
func (s Summary) Summarizing() *embed.Summarizing {
	if s.URL == "" {
		return nil
	}
	return new(embed.Summarizing(s))
}

// summary parses the table of the model that summarizes.
func (v value) summary() (Summary, error) {
	s, err := tableOf[Summary](v)
	if err == nil && !v.isEmpty() && (s.URL == "" || s.Model == "") {
		return Summary{}, fmt.Errorf("the table must name a url and a model, such as http://localhost:11434 and llama3.2")
	}
	return s, err
}
