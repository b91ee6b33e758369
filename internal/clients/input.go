// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package clients

import (
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"strings"
)

// MaxHook is the maximum size of an input in bytes. More is refused.
const MaxHook = 4 << 20

// Event is an event in a client.
type Event string

// The events that are answered. The zero value is any other.
const (
	Start  Event = "start"  // a session began, was resumed, or its conversation was compacted
	Prompt Event = "prompt" // the person has asked something
	Stop   Event = "stop"   // the model has answered
)

// events are the names of the clients for the events.
var events = map[string]Event{
	"SessionStart": Start, "sessionStart": Start,
	"UserPromptSubmit": Prompt, "beforeSubmitPrompt": Prompt, "BeforeAgent": Prompt,
	"Stop": Stop, "AfterAgent": Stop, "afterAgentResponse": Stop,
}

// Input is the data that a client sends to a hook.
type Input struct {
	Client  string // claude-code, codex, cursor, vscode or gemini
	Event   Event
	Name    string // of the event, in the client's own words
	Session string // the client's name for the conversation, "" if it has none that can be used
	Source  string // of Start: startup, resume, clear or compact
	Prompt  string // of Prompt
	Last    string // of Stop: the answer of the model
	Again   bool   // of Stop: a hook has made the model go on
}

// wire has the fields that clients send; each client sends some of them.
type wire struct {
	SessionID      string `json:"session_id"`
	SessionIDCamel string `json:"sessionId"`
	Conversation   string `json:"conversation_id"`
	Event          string `json:"hook_event_name"`
	EventCamel     string `json:"hookEventName"`
	Source         string `json:"source"`
	Prompt         string `json:"prompt"`
	Last           string `json:"last_assistant_message"`
	Response       string `json:"prompt_response"`
	Text           string `json:"text"`
	Active         bool   `json:"stop_hook_active"`
	CursorVersion  string `json:"cursor_version"`
	Model          string `json:"model"`
	Transcript     string `json:"transcript_path"`
	Timestamp      string `json:"timestamp"`
}

// errInput refuses a malformed input.
var errInput = errors.New("the input of a hook is one JSON object of at most 4 MiB")

// session matches the names of conversations that can name a session.
var session = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ReadHook reads the input of a hook. For an unknown event, Event is empty.
func ReadHook(text string) (Input, error) {
	var w wire
	if len(text) > MaxHook || json.Unmarshal([]byte(text), &w) != nil {
		return Input{}, errInput
	}
	in := Input{
		Name: cmp.Or(w.Event, w.EventCamel), Session: cmp.Or(w.SessionID, w.SessionIDCamel, w.Conversation),
		Source: w.Source, Prompt: w.Prompt, Last: cmp.Or(w.Last, w.Response, w.Text), Again: w.Active,
	}
	in.Event, in.Client = events[in.Name], w.client(in.Name)
	if !session.MatchString(in.Session) {
		in.Session = ""
	}
	return in, nil
}

// client recognizes a client by the fields that only it sends.
func (w *wire) client(event string) string {
	switch {
	case w.CursorVersion != "", w.Conversation != "":
		return "cursor"
	case w.EventCamel != "":
		return "vscode"
	case event == "BeforeAgent", event == "AfterAgent", w.Timestamp != "":
		return "gemini"
	case w.Model != "" && (w.SessionID == "" || path.Base(strings.ReplaceAll(w.Transcript, `\`, "/")) != w.SessionID+".jsonl"):
		return "codex" // Claude Code names a model, too, when a session starts, and its transcript by the session
	}
	return "claude-code"
}

// output returns the text in the form of the client, nil if the text is empty or the client takes
// none at the event.
func (in Input) output(text string) []byte {
	var out any = map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": in.Name, "additionalContext": text}}
	switch {
	case text == "", in.Event == Stop:
		return nil
	case in.Client == "cursor" && in.Event == Start:
		out = map[string]string{"additional_context": text}
	case in.Client == "cursor":
		return nil // it takes no text there
	}
	line, _ := json.Marshal(out) // maps of texts are JSON
	return append(line, '\n')
}
