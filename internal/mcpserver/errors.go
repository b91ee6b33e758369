// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
)

// nextSteps says for a kind of error what a model can do about it.
var nextSteps = map[fovea.Kind]string{
	fovea.NotFound:  "find the right id with recall",
	fovea.Ambiguous: "name one of the candidates by its id",
	fovea.Conflict:  "read the node again and repeat the change with the digest that you get",
	fovea.Invalid:   "correct the arguments and call again",
	fovea.Budget:    "ask again with at least that budget",
	fovea.Denied:    "keep it below your own folder, or ask the person for a grant",
	fovea.Busy:      "somebody holds it at this moment; call again in a few seconds",
	fovea.Held:      "ask the person; `fovea ingest --accept-deletions` takes the deletions over",
	fovea.ReadOnly:  "the memory takes no writes; ask the person to look at `fovea status`",
	fovea.Locked:    "a protected file was changed by somebody else; go on without it, and ask the person to run `fovea guard diff`",
	fovea.Corrupt:   "ask the person to run `fovea verify`",
}

// toolError is a refusal as a model reads it: what failed, why, what next. The
// reason may quote notes, so it is fenced like them.
type toolError struct {
	tool string
	err  error
}

func (e toolError) Unwrap() error { return e.err }

func (e toolError) Error() string {
	kind := fovea.KindOf(e.err)
	var b strings.Builder
	b.WriteString(e.tool + " failed (" + kind.String() + ").")
	if next := nextSteps[kind]; next != "" {
		b.WriteString(" Next: " + next + ".")
	}
	reason := e.err.Error()
	if c, ok := errors.AsType[*fovea.Error](e.err); ok && c.Kind == fovea.Conflict && c.Theirs != "" {
		reason += "\nAs it is now:\n" + c.Theirs
	}
	b.WriteString("\n" + fenced(reason))
	return b.String()
}

// refusal is why a prompt, a resource or a completion was not given: a request that is at
// fault itself, or one that failed here, told as a tool tells it.
func refusal(what string, err error) error {
	code := int64(jsonrpc.CodeInternalError)
	switch fovea.KindOf(err) {
	case fovea.Invalid, fovea.NotFound, fovea.Ambiguous, fovea.Budget:
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: toolError{what, err}.Error()}
}

// sendable drops the data of an error that is no JSON: the SDK writes an address with
// control characters so, and the answer that it cannot send then ends the session.
func sendable(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok && len(e.Data) > 0 && !json.Valid(e.Data) {
			return nil, &jsonrpc.Error{Code: e.Code, Message: e.Message}
		}
		return res, err
	}
}

// misuse is an error of a call's arguments.
func misuse(text string) error {
	return &fovea.Error{Op: "arguments", Kind: fovea.Invalid, Err: errors.New(text)}
}
