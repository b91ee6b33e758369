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

// maxValues is the number of values in a completion, which the protocol limits.
const maxValues = 100

// completer returns values of an argument that begin with a text, the likeliest first, perhaps with duplicates.
type completer func(ctx context.Context, svc api.Service, text string) ([]string, error)

// completers are the completers of arguments: of prompts by the prompt's name, of resources
// by the template. Other arguments have no completions.
var completers = map[string]map[string]completer{
	"session-start":  {"focus": notesLike},
	"review-changes": {"since": snapshotsLike},

	"fovea://node/{+id}":                        {"id": notesLike},
	"fovea://outline/{+path}":                   {"path": pathsLike},
	"fovea://snapshot/{+name}":                  {"name": snapshotsLike},
	"fovea://skill/{+name}":                     {"name": skillsLike},
	"fovea://window/{+focus}{?question,budget}": {"focus": notesLike},
}

// complete answers completion/complete. Values for a template are escaped for a URI.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, text := req.Params.Ref, req.Params.Argument.Value
	c := completers[cmp.Or(ref.URI, ref.Name)][req.Params.Argument.Name]
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if c == nil {
		return out, nil
	}
	template := ref.URI != ""
	if plain, err := url.PathUnescape(text); template && err == nil {
		text = plain
	}
	found, err := c(ctx, s.service, text)
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

// notesLike returns paths of files and ids that begin with a text, and the ids of notes with it in their title. It returns
// no titles: any agent may have written them, and they need not be unique.
func notesLike(ctx context.Context, svc api.Service, text string) ([]string, error) {
	out, err := pathsLike(ctx, svc, text)
	if err != nil || len(out) > maxValues {
		return out, err
	}
	id := func(n *api.Node) string { return n.ID }
	ids, err := each(ctx, svc, "regexp:"+quoted(`^[ \t]*:(CUSTOM_)?ID:[ \t]+`+regexp.QuoteMeta(text)), id)
	if err != nil {
		return nil, err
	}
	if out = append(out, beginning(ids, text)...); len(out) > maxValues || text == "" {
		return out, nil
	}
	titled, err := each(ctx, svc, "heading:"+quoted(text), id)
	return append(out, titled...), err
}

func pathsLike(ctx context.Context, svc api.Service, text string) ([]string, error) {
	return each(ctx, svc, "type:document path:"+quoted("^"+regexp.QuoteMeta(text)), func(n *api.Node) string { return n.Path })
}

// each returns a value of each note that a query finds, at most maxValues+1.
func each(ctx context.Context, svc api.Service, query string, of func(*api.Node) string) ([]string, error) {
	nodes, err := api.OpQuery.Call(ctx, svc, api.QueryRequest{Query: query, Limit: maxValues + 1})
	var out []string
	for i := range nodes {
		out = append(out, of(&nodes[i]))
	}
	return out, err
}

// namesIn returns a completer from the names in the answer of an operation, in their order.
func namesIn[A any](op api.Op[api.None, A], names func(A) []string) completer {
	return func(ctx context.Context, svc api.Service, text string) ([]string, error) {
		list, err := op.Call(ctx, svc, api.None{})
		if err != nil {
			return nil, err
		}
		return beginning(names(list), text), nil
	}
}

// snapshotsLike returns snapshots, the newest first: by name, else by index.
var snapshotsLike = namesIn(api.OpSnapshots, func(list []api.Snapshot) (out []string) {
	for _, snapshot := range list {
		out = append(out, cmp.Or(snapshot.Name, strconv.Itoa(snapshot.Index)))
	}
	return out
})

var skillsLike = namesIn(api.OpSkills, func(list *api.Skills) (out []string) {
	for i := range list.Skills {
		out = append(out, list.Skills[i].Name)
	}
	return out
})

// beginning returns the values that begin with a text, ignoring case.
func beginning(values []string, text string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return len(v) < len(text) || !strings.EqualFold(v[:len(text)], text) })
}

func (s *Server) addPrompts() {
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: "session-start", Title: "Start with what is known", Description: "Context from memory for a task, before work begins",
		Arguments: []*mcp.PromptArgument{{Name: "task", Description: "What you are about to do"},
			{Name: "focus", Description: "The note, by id, title or FILE:LINE, that it is about"}},
	}, s.sessionStart)
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: "review-changes", Title: "Review what changed", Description: "What changed in memory since a moment, to look over",
		Arguments: []*mcp.PromptArgument{{Name: "since", Description: "Snapshot, commit or date; the newest snapshot by default"}},
	}, s.reviewChanges)
}

func (s *Server) sessionStart(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	r, err := contextTool(ctx, s.service, api.ContextRequest{Task: req.Params.Arguments["task"], Focus: req.Params.Arguments["focus"]}, extra{})
	if err != nil {
		return nil, refusal("session-start", err)
	}
	text := "Begin with what the memory holds about this.\n"
	if task := req.Params.Arguments["task"]; task != "" {
		text = "The task: " + task + "\nBegin with what the memory holds about it.\n"
	}
	return userPrompt(text + r.Text + "\nUse recall and read where this is not enough, and remember what you decide or learn."), nil
}

func (s *Server) reviewChanges(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	r, err := reply(ctx, s.service, api.OpDiff.Operation, api.DiffRequest{From: req.Params.Arguments["since"], Text: true})
	if err != nil {
		return nil, refusal("review-changes", err)
	}
	return userPrompt("Go through what changed in the memory. Name what looks wrong, contradicts other notes or was not meant, and propose for each " +
		"an edit or a rollback; change nothing yet.\n" + r.Text), nil
}

// userPrompt returns a prompt of one message.
func userPrompt(text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}
