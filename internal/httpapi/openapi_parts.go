// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"maps"
	"net/http"

	"github.com/fovea-memory/fovea/api"
)

// asked describes what an operation takes beside its request.
func (s *shape) asked(method string) []any {
	sync := parameterOf("sync", "string", "scan reads the whole folder first, none leaves it alone")
	sync["schema"] = object{"type": "string", "enum": []string{string(api.SyncScan), string(api.SyncNone)}}
	list := append([]any{sync}, who()...)
	if s.op.Effect != api.Reads {
		list = append(list, headerOf(api.HeaderOp, "a request that was carried out under the same key is answered as the first time; use a random UUID"))
	}
	if s.based() {
		list = append(list, headerOf("If-Match", "the node's digest as it was read, quoted, instead of base: 412 when it is another by now; * is any that is there"))
	}
	if method == http.MethodGet && s.tagged() {
		list = append(list, headerOf("If-None-Match", "an ETag: 304 when the answer is the same still"))
	}
	return list
}

// who are the headers that say who asks, and where.
func who() []any {
	role := headerOf(api.HeaderRole, "what the request is held to; counts where "+api.HeaderAgent+" does")
	role["schema"] = object{"type": "string", "enum": []string{string(api.Owner), string(api.Agent), string(api.Reader)}}
	return []any{
		headerOf(api.HeaderAgent, "the name of an agent; counts over the socket and with the person's own token"), role,
		headerOf(api.HeaderSession, "the session: its scope is seen, and commits record it"),
		headerOf(api.HeaderClaim, "TASK:NUMBER, the claim of a task: a write fails once it is not in force any more"),
		headerOf(api.HeaderProject, "the project whose scope is seen"),
	}
}

func headerOf(name, about string) object {
	return object{"name": name, "in": "header", "schema": object{"type": "string"}, "description": about}
}

// responses describes the answers of an operation.
func (s *shape) responses(method string, result, problem object) object {
	headers := object{api.HeaderWarning: headerSchema("what a person should know though all went well, quoted; may be repeated")}
	responses := object{"default": problem}
	if s.tagged() {
		headers["ETag"] = headerSchema("the digest of the node, or the root of the memory that was read; absent where neither is certain")
	}
	if method == http.MethodGet && s.paged() {
		headers["Link"] = headerSchema("the next page, with rel=next; absent behind the last")
	}
	if method == http.MethodGet && s.tagged() {
		responses["304"] = object{"description": "The answer is the one that If-None-Match names", "headers": headers}
	}
	if s.based() {
		responses["412"] = described(problem, "The node is not as If-Match says; theirs is what it is", nil)
	}
	if s.op.Effect != api.Reads {
		responses["429"] = described(problem, "The agent writes too often", object{"Retry-After": headerSchema("seconds")})
	}
	responses["200"] = object{
		"description": "The answer", "headers": headers,
		"content": object{"application/json": object{"schema": result}},
	}
	return responses
}

// headerSchema describes a header of an answer.
func headerSchema(about string) object {
	return object{"description": about, "schema": object{"type": "string"}}
}

// described is an answer under another description.
func described(answer object, about string, headers object) object {
	answer = maps.Clone(answer)
	answer["description"] = about
	if headers != nil {
		answer["headers"] = headers
	}
	return answer
}

// beside describes what is no operation of the memory.
func beside(hello, problem object) object {
	get := func(summary, kind string, schema object, parameters ...any) object {
		return object{"get": object{
			"summary": summary, "parameters": append(who(), parameters...),
			"responses": object{"200": object{"description": "The answer", "content": object{kind: object{"schema": schema}}}, "default": problem},
		}}
	}
	text := object{"type": "string"}
	return object{
		"/v1/hello": get("Say who answers", "application/json", hello),
		"/v1/logs": get("List the newest lines of the log, oldest first", "application/json",
			object{"type": "array", "items": text}, parameterOf("limit", "integer", "at most so many lines, 0 to 1000")),
		"/v1/events": get("Stream commits and progress as server-sent events", "text/event-stream", text,
			parameterOf("since", "integer", "begin behind the commit of this number"),
			headerOf("Last-Event-ID", "the same, from a client that lost the stream; since counts before it")),
	}
}
