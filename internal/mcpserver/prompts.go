// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
)

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
	return userPrompt(text + r.text + "\nUse recall and read where this is not enough, and remember what you decide or learn."), nil
}

func (s *Server) reviewChanges(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	d, err := api.OpDiff.Call(ctx, s.service, api.DiffRequest{From: req.Params.Arguments["since"], Text: true})
	if err != nil {
		return nil, refusal("review-changes", err)
	}
	return userPrompt("Go through what changed in the memory. Name what looks wrong, contradicts other notes or was not meant, and propose for each " +
		"an edit or a rollback; change nothing yet.\n" + diffText(d)), nil
}

// userPrompt is a prompt of one message.
func userPrompt(text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}
