// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/text"
)

// OpLogs returns the log.
var OpLogs = Define(Operation{Name: "logs", Group: "agents",
	Summary: "List the newest log lines; for an agent, those about its calls"}, listLogs)

// maxLogs is the maximum number of lines in an answer: no more are kept.
const maxLogs = 1000

// LogsRequest asks for lines of the log.
type LogsRequest struct {
	Limit int `json:"limit,omitempty" jsonschema:"how many, 1 to 1000; 0 means the setting log_limit, or 20" flag:"the newest <N> lines (default: log_limit, 20)"`
}

// LogsResponse has lines of the log.
type LogsResponse struct {
	Lines []string `json:"lines" jsonschema:"the newest ones, oldest first; those about calls are JSON"`
}

func listLogs(ctx context.Context, l *Local, req LogsRequest) (*LogsResponse, error) {
	if req.Limit < 0 || req.Limit > maxLogs {
		return nil, fault.Invalidf("logs", "limit is between 0 and %d", maxLogs)
	}
	var lines []string
	if l.Options.Logs != nil {
		log, calls := l.Options.Logs()
		g := author.GrantOf(ctx)
		if agent := cmp.Or(author.AgentOf(ctx), g.Agent); l.ByOwner(ctx) && agent == "" {
			lines = append(log, calls...)
			slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(timeOf(a), timeOf(b)) })
		} else {
			v, err := l.Readable(ctx)
			if err != nil {
				return nil, err
			}
			lines = ownCalls(calls, agent, g, len(v.Lockdown()) > 0)
		}
	}
	limit := cmp.Or(req.Limit, l.Options.LogLimit, 20)
	return &LogsResponse{append([]string{}, lines[max(0, len(lines)-limit):]...)}, nil
}

// timeOf returns the time that a line begins with, to the millisecond.
func timeOf(line string) string {
	at := max(0, strings.IndexAny(line, "0123456789"))
	return line[at:min(len(line), at+len("2026-01-02T03:04:05.678"))]
}

// Logged returns a middleware that logs calls by [LogCall], except further ones made to answer another call.
func Logged(log *slog.Logger) Middleware {
	return func(next Service) Service {
		return func(ctx context.Context, c Call) (any, error) {
			answer, err := next(ctx, c)
			if !c.Further {
				LogCall(ctx, log, c.Op, err)
			}
			return answer, err
		}
	}
}

// maxError is the largest number of characters of an error in the log.
const maxError = 500

// LogCall logs a call of an agent, or a failed one of the owner: the caller, operation, scopes and error. log may be nil.
func LogCall(ctx context.Context, log *slog.Logger, op *Operation, err error) {
	agent, scopes := cmp.Or(author.GrantOf(ctx).Agent, author.AgentOf(ctx)), author.ScopesOf(ctx)
	if log == nil || agent == "" && err == nil {
		return
	}
	attrs := []any{"agent", cmp.Or(agent, "owner"), "op", op.Name,
		"project", text.Truncate(scopes.Project, maxName), "session", text.Truncate(scopes.Session, maxName)}
	if err != nil { // the last key, see ownCalls
		attrs = append(attrs, "kind", fault.KindOf(err).String(), "error", text.Truncate(text.Line(err.Error()), maxError))
	}
	log.Info("call", attrs...)
}

// ownCalls returns the lines about the calls of an agent in scopes that its grant reaches. without leaves out
// the text of errors, which may name files that are now locked.
func ownCalls(calls []string, agent string, g Grant, without bool) (mine []string) {
	for _, line := range calls {
		var c struct{ Agent, Project, Session string }
		if json.Unmarshal([]byte(line), &c) != nil || c.Agent != agent ||
			slices.ContainsFunc(Scopes{Project: c.Project, Session: c.Session}.Names(), func(name string) bool { return !g.Reaches(name) }) {
			continue
		}
		if before, _, has := strings.Cut(line, `,"error":`); has && without {
			line = before + `,"error":"(withheld while files are locked down)"}`
		}
		mine = append(mine, line)
	}
	return mine
}
