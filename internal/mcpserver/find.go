// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/text"
)

// maxBudget is the largest window that a client gets, in tokens.
const maxBudget = 1_000_000

func contextTool(ctx context.Context, svc api.Service, req api.ContextRequest, _ extra) (face.Reply, error) {
	if req.Budget > maxBudget {
		return face.Reply{}, misuse(fmt.Sprintf("budget is at most %d tokens", maxBudget))
	}
	return reply(ctx, svc, api.OpContext.Operation, req)
}

// Limits of a list as a model gets it; more would flood its window.
const (
	defaultHits    = 10
	defaultCommits = 20
	maxHits        = 200
	maxChildren    = 50 // a document can have thousands
	excerptRunes   = 160
	maxOffered     = 5 // of the caller's own notes, if a search finds little
)

// listed returns the limit of a list for the limit in a request, in which 0 means usual.
func listed(limit, usual int) (int, error) {
	if limit < 0 {
		return 0, misuse("limit is 0 or more")
	}
	return min(cmp.Or(limit, usual), maxHits), nil
}

func recallTool(ctx context.Context, svc api.Service, req api.SearchRequest, in extra) (r face.Reply, err error) {
	if req.Limit, err = listed(req.Limit, defaultHits); err != nil {
		return r, err
	}
	switch {
	case in.Mode != "query" && strings.TrimSpace(req.Text) == "":
		return reply(ctx, svc, api.OpSuggest.Operation, api.SuggestRequest{Notes: req.Limit, Excerpt: excerptRunes})
	case req.Blocks, slices.Contains([]string{"", meaning.Lexical, meaning.Semantic, meaning.Hybrid}, in.Mode):
		return searchTool(ctx, svc, req, in.Mode)
	case in.Mode != "query":
		return r, misuse("mode is lexical or query")
	}
	return reply(ctx, svc, api.OpQuery.Operation, api.QueryRequest{Query: req.Text, Limit: req.Limit + 1, Excerpt: excerptRunes})
}

// searchTool answers the modes that rank. It notes why there are no vectors if the client asked for them.
func searchTool(ctx context.Context, svc api.Service, req api.SearchRequest, mode string) (face.Reply, error) {
	req.Excerpt, req.Match, req.Mode = excerptRunes, excerptRunes, mode
	m := face.NewModel()
	err := put(ctx, api.WithWarn(svc, func(err error) {
		if why := err.Error(); strings.HasPrefix(why, meaning.ByWords(mode)) {
			m.Note("%s", text.Line(why))
		}
	}), m, api.OpSearch.Operation, req)
	if err == nil && !req.Blocks {
		offer := api.SuggestRequest{Text: req.Text}
		if m.Weak {
			offer.Notes = maxOffered
		}
		err = put(ctx, api.WithSync(svc, api.SyncNone), m, api.OpSuggest.Operation, offer)
	}
	if err != nil {
		return face.Reply{}, err
	}
	return m.Reply()
}

// readTool reads a note and lists its children.
func readTool(ctx context.Context, svc api.Service, req api.ShowRequest, _ extra) (face.Reply, error) {
	req.Page = face.MaxText
	m := face.NewModel()
	m.From = req.Offset
	err := put(ctx, svc, m, api.OpShow.Operation, req)
	if err == nil && m.Parent != "" {
		err = put(ctx, svc, m, api.OpQuery.Operation, api.QueryRequest{Query: "parent:(id:" + quoted(m.Parent) + ")", Limit: maxChildren + 1})
	}
	if err != nil {
		return face.Reply{}, err
	}
	return m.Reply()
}

// quoted returns a text as a word of the query language.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func logTool(ctx context.Context, svc api.Service, req api.LogRequest, _ extra) (r face.Reply, err error) {
	if req.Limit, err = listed(req.Limit, defaultCommits); err != nil {
		return r, err
	}
	return reply(ctx, svc, api.OpLog.Operation, req)
}
