// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
)

// maxValues is how many values a completion has, as the protocol bounds it.
const maxValues = 100

// completer lists what an argument can be that begins with a text, at most a few more
// than maxValues, the likeliest first. It may offer the same value twice.
type completer func(ctx context.Context, text string) ([]string, error)

// completers say how arguments are completed: those of prompts by the prompt's name,
// those of resources by the template. No other has anything to offer.
func (s *Server) completers() map[string]map[string]completer {
	return map[string]map[string]completer{
		"session-start":  {"focus": s.notesLike},
		"review-changes": {"since": s.snapshotsLike},

		"fovea://node/{+id}":                        {"id": s.notesLike},
		"fovea://outline/{+path}":                   {"path": s.pathsLike},
		"fovea://snapshot/{+name}":                  {"name": s.snapshotsLike},
		"fovea://skill/{+name}":                     {"name": s.skillsLike},
		"fovea://window/{+focus}{?question,budget}": {"focus": s.notesLike},
	}
}

// complete answers completion/complete. A template's values are escaped as its address
// wants them.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, text := req.Params.Ref, req.Params.Argument.Value
	c := s.completers()[cmp.Or(ref.URI, ref.Name)][req.Params.Argument.Name]
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if c == nil {
		return out, nil
	}
	template := ref.URI != ""
	if plain, err := url.PathUnescape(text); template && err == nil {
		text = plain
	}
	found, err := c(ctx, text)
	if err != nil {
		return nil, refusal("completion", err)
	}
	seen := map[string]bool{}
	for _, v := range found {
		if template {
			v = strings.ReplaceAll(url.PathEscape(v), "%2F", "/")
		}
		switch {
		case v == "" || seen[v]:
		case len(out.Completion.Values) == maxValues:
			out.Completion.HasMore = true
			return out, nil
		default:
			seen[v] = true
			out.Completion.Values = append(out.Completion.Values, v)
		}
	}
	out.Completion.Total = len(out.Completion.Values)
	return out, nil
}

// notesLike offers what names a note: paths of files and ids that begin with a text, and
// the ids of notes that have it in their title. It offers no titles, which may be
// anybody's words and the same twice.
func (s *Server) notesLike(ctx context.Context, text string) ([]string, error) {
	out, err := s.pathsLike(ctx, text)
	if err != nil || len(out) > maxValues {
		return out, err
	}
	id := func(n *api.Node) string { return n.ID }
	ids, err := s.each(ctx, "regexp:"+quoted(`^[ \t]*:(CUSTOM_)?ID:[ \t]+`+regexp.QuoteMeta(text)), id)
	if err != nil {
		return nil, err
	}
	if out = append(out, beginning(ids, text)...); len(out) > maxValues || text == "" {
		return out, nil
	}
	titled, err := s.each(ctx, "heading:"+quoted(text), id)
	return append(out, titled...), err
}

func (s *Server) pathsLike(ctx context.Context, text string) ([]string, error) {
	return s.each(ctx, "type:document path:"+quoted("^"+regexp.QuoteMeta(text)), func(n *api.Node) string { return n.Path })
}

// each is something of each note that a query finds, of so many that one can see that
// there are more than maxValues.
func (s *Server) each(ctx context.Context, query string, of func(*api.Node) string) ([]string, error) {
	nodes, err := api.OpQuery.Call(ctx, s.service, api.QueryRequest{Query: query, Limit: maxValues + 1})
	var out []string
	for i := range nodes {
		out = append(out, of(&nodes[i]))
	}
	return out, err
}

// snapshotsLike offers snapshots, the newest first: by name, else by index.
func (s *Server) snapshotsLike(ctx context.Context, text string) ([]string, error) {
	list, err := api.OpSnapshots.Call(ctx, s.service, api.None{})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, snapshot := range list {
		out = append(out, cmp.Or(snapshot.Name, strconv.Itoa(snapshot.Index)))
	}
	return beginning(out, text), nil
}

func (s *Server) skillsLike(ctx context.Context, text string) ([]string, error) {
	list, err := api.OpSkills.Call(ctx, s.service, api.None{})
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range list.Skills {
		out = append(out, list.Skills[i].Name)
	}
	return beginning(out, text), nil
}

// beginning keeps what begins with a text, whatever the case of its letters.
func beginning(values []string, text string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return len(v) < len(text) || !strings.EqualFold(v[:len(text)], text) })
}
