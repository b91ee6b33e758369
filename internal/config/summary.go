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
	URL, Model string        // as in embed.Config
	Key        string        `json:"-"` // likewise
	Timeout    time.Duration // of one request; 0 is the default
	// All lets a server on another computer see every text that is not encrypted, not only
	// notes with the property EMBED.
	All bool
}

// Summarizing returns the model to ask, nil if there is none.
func (s Summary) Summarizing() *embed.Summarizing {
	if s.URL == "" {
		return nil
	}
	return new(embed.Summarizing(s))
}

// maxSummaryMs is the maximum time that one request for a summary takes.
const maxSummaryMs = 600_000

// summary parses the table of the model that summarizes.
func (v value) summary() (Summary, error) {
	var s Summary
	used, err := v.server(map[string]*string{"url": &s.URL, "model": &s.Model}, &s.Key, &s.Timeout, &s.All, maxSummaryMs)
	switch {
	case err != nil:
		return Summary{}, err
	case !used:
		return Summary{}, nil
	case s.URL == "" || s.Model == "":
		return Summary{}, fmt.Errorf("the table must name a url and a model, such as http://localhost:11434 and llama3.2")
	}
	return s, nil
}
