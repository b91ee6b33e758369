// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/fault"
)

// nextSteps are the next steps of a model by the kind of an error.
var nextSteps = map[fovea.Kind]string{
	fovea.NotFound:    "find the right id with recall",
	fovea.Ambiguous:   "name one of the candidates by its id",
	fovea.Conflict:    "read the node again and repeat the change with the digest that you get",
	fovea.Invalid:     "correct the arguments and call again",
	fovea.Budget:      "ask again with at least that budget",
	fovea.Denied:      "do only what the reason allows, or ask the owner",
	fovea.Busy:        "it is in use; call again in a few seconds",
	fovea.Held:        "ask the owner: `fovea restore --missing` brings the lost files back, `fovea ingest --accept-deletions` lets them go",
	fovea.ReadOnly:    "the memory takes no writes; ask the owner to look at `fovea status`",
	fovea.Locked:      "another program changed a protected file; go on without it, and ask the owner to run `fovea guard diff`",
	fovea.Corrupt:     "ask the owner to run `fovea verify`",
	fovea.Unreachable: "go on without it, and call again later",
}

// nextOfDenied are the next steps of tools that were denied, if they depend on the tool.
var nextOfDenied = map[string]string{
	"forget":   "forget what you alone wrote, or ask the owner",
	"rollback": "take back your own commits with action revert and your name as author, or ask the owner",

	"restore-memory": "go on without it, or ask the owner to write that line and to start you by the name in it: fovea mcp --agent NAME",
}

// nextOfOp are the next steps by operation and kind, if those of the kind would mislead: reading a
// task again does not release it.
var nextOfOp = map[string]map[fovea.Kind]string{
	"claim": tasksAgain, "renew": tasksAgain, "release": tasksAgain, "done": tasksAgain,
	"send": {fovea.NotFound: "send it to a name that the reason has, or ask the owner to write to a new agent first",
		fovea.Conflict: "wait, and put several messages into one"},
}

var tasksAgain = map[fovea.Kind]string{fovea.Conflict: "history with action tasks lists the free tasks, the holders of the others, and the numbers of claims"}

// canRead reports whether a tool offers an operation that changes nothing.
func canRead(tool string) bool {
	return slices.ContainsFunc(api.Operations, func(o *api.Operation) bool {
		name, _, _ := strings.Cut(o.Tool, " ")
		return name == tool && o.Effect == api.Reads
	})
}

// otherwise is the next step if no better one is known.
const otherwise = "call again; if it fails again, ask the owner to look at `fovea status`"

// nextStep returns the next step after an error of a tool.
func nextStep(tool string, err error) string {
	if a, ok := errors.AsType[advice](err); ok {
		return a.next
	}
	kind := fovea.KindOf(err)
	of, _ := errors.AsType[*fovea.Error](err)
	switch {
	case of != nil && nextOfOp[of.Op][kind] != "":
		return nextOfOp[of.Op][kind]
	case of != nil && kind == fovea.Conflict && of.Theirs == "": // nobody changed the note
		return "if the reason names a claim, see history with action tasks; else " + nextSteps[kind]
	case kind == fovea.Denied && canRead(tool):
		return "go on without it, or ask the owner"
	case kind == fovea.Denied && nextOfDenied[tool] != "":
		return nextOfDenied[tool]
	}
	return cmp.Or(nextSteps[kind], otherwise)
}

// advice is an error with its own next step.
type advice struct {
	error
	next string
}

func (a advice) Unwrap() error { return a.error }

// toolError is an error for a model: what failed, the next step, and the reason in fences, since it may quote notes.
type toolError struct {
	tool string
	err  error
}

func (e toolError) Unwrap() error { return e.err }

func (e toolError) Error() string {
	reason := e.err.Error()
	if c, ok := errors.AsType[*fovea.Error](e.err); ok && c.Kind == fovea.Conflict && c.Theirs != "" {
		reason += "\nAs it is now:\n" + c.Theirs
	}
	return e.tool + " failed (" + fovea.KindOf(e.err).String() + "). Next: " + nextStep(e.tool, e.err) + ".\n" + face.Fenced(reason)
}

// refusal is the error of a prompt, a resource or a completion, with the text of a toolError.
func refusal(what string, err error) error {
	code := int64(jsonrpc.CodeInternalError)
	if slices.Contains([]fovea.Kind{fovea.Invalid, fovea.NotFound, fovea.Ambiguous, fovea.Budget}, fovea.KindOf(err)) {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: toolError{what, err}.Error()}
}

// sendable is middleware that drops error data that is not JSON: such an answer could not be sent, and the session would
// end. It adds a next step if the SDK names none.
func (s *Server) sendable(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		e, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok {
			return res, err
		}
		sent := *e
		sent.Message = err.Error() // with its wrappers
		if len(sent.Data) > 0 && !json.Valid(sent.Data) {
			sent.Data = nil
		}
		if !strings.Contains(sent.Message, "Next: ") {
			sent.Message += ". Next: " + cmp.Or(s.nextOfMethod(method), "correct the parameters and call again")
		}
		return nil, &sent
	}
}

// nextOfMethod returns the next step after the SDK refused a request for a method.
func (s *Server) nextOfMethod(method string) string {
	switch method {
	case "tools/call":
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(s.schemas)), func(name string) bool { return s.hidden[name] })
		return "call one of " + strings.Join(names, ", ")
	case "prompts/get":
		return "prompts/list names the prompts and their arguments"
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return "resources/list and resources/templates/list name the resources"
	}
	return ""
}

// misuse is an error of a call's arguments.
func misuse(text string) error {
	return fault.Wrap("arguments", "", fault.Invalid, errors.New(text))
}
