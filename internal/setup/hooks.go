// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Hooks is how a client is told which command to call when.
type Hooks struct {
	File   func(home string) string
	events []string // a session starts, a person asks, the model has answered
	flat   bool     // an event lists commands, not groups of commands
	begin  string   // a file that does not exist yet
	Note   string   // what else the person has to do, "" for nothing
}

// HooksOf are the clients with hooks, by name. The map must not be changed.
var HooksOf = map[string]Hooks{
	"claude-code": {below(".claude/settings.json"), []string{"SessionStart", "UserPromptSubmit", "Stop"}, false, "{}\n", ""},
	"codex": {below(".codex/hooks.json"), []string{"SessionStart", "UserPromptSubmit", "Stop"}, false, "{}\n",
		"Codex calls a hook only once you have trusted it: open /hooks in Codex"},
	"cursor": {below(".cursor/hooks.json"), []string{"sessionStart", "beforeSubmitPrompt", "afterAgentResponse"}, true, "{\n  \"version\": 1\n}\n", ""},
}

// hookTimeout is how many seconds a client waits for a hook, which takes a tenth of one.
const hookTimeout = 5

// Text returns the hooks of a command line as a whole file; keep includes the one that keeps
// what the model answered.
func (h Hooks) Text(command string, keep bool) string {
	text, err := h.merged("", command, keep)
	if err != nil {
		panic(err) // programming error: the file that is begun with is not JSON
	}
	return text
}

// Write merges the hooks into a file, as [Client.Write] does its entry.
func (h Hooks) Write(file, command string, keep bool) (kept string, changed bool, err error) {
	return mergeFile(file, func(text string) (string, error) { return h.merged(text, command, keep) })
}

// Remove takes Fovea's hooks out of a file, as [Client.Remove] does its entry. A file that
// Write made is then as Write begins one.
func (h Hooks) Remove(file string) (kept string, changed bool, err error) {
	add := func(keep bool) func(string) (string, error) {
		return func(text string) (string, error) { return h.merged(text, "fovea hook --memex .", keep) }
	}
	return cutFile(file, func(text string) (string, error) {
		if strings.TrimSpace(text) == "" {
			return text, nil
		}
		left, err := withoutHooks(text)
		if err != nil || left == text {
			return left, err
		}
		for _, keep := range []bool{true, false} {
			if made, err := withoutHooks(h.Text("fovea hook --memex .", keep)); err == nil && made == left {
				return h.begin, nil
			}
		}
		return left, nil
	}, add(true), add(false))
}

// entry is the hook of one event.
func (h Hooks) entry(command string) string {
	one := fmt.Sprintf(`{"type": "command", "command": %s, "timeout": %d}`, quoteJSON(command), hookTimeout)
	if h.flat {
		return fmt.Sprintf(`{"command": %s, "timeout": %d}`, quoteJSON(command), hookTimeout)
	}
	return `{"hooks": [` + one + `]}`
}

// merged returns a file with the hooks of a command in place of those that it has of Fovea.
func (h Hooks) merged(text, command string, keep bool) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = h.begin
	}
	events := h.events
	if !keep {
		events = events[:2]
	}
	if has, err := h.has(text, events, command); has || err != nil {
		return text, err
	}
	text, err := withoutHooks(text)
	for _, event := range events {
		if err == nil {
			text, err = added(text, event, h.entry(command))
		}
	}
	return text, err
}

// has reports whether a file has the hooks of a command for these events, and no others of
// Fovea.
func (h Hooks) has(text string, events []string, command string) (bool, error) {
	all, err := hookLists(text)
	if err != nil {
		return false, err
	}
	count := 0
	for event, list := range all {
		for _, item := range list {
			if isFovea(text[item.start:item.end]) {
				count++
				var was, is any
				_ = json.Unmarshal([]byte(text[item.start:item.end]), &was)
				_ = json.Unmarshal([]byte(h.entry(command)), &is)
				if !reflect.DeepEqual(was, is) || !slices.Contains(events, event) {
					return false, nil
				}
			}
		}
	}
	return count == len(events), nil
}

// hookLists returns the places of the hooks of each event.
func hookLists(text string) (map[string][]span, error) {
	top, err := members(text, 0)
	if err != nil {
		return nil, err
	}
	lists := map[string][]span{}
	hooks, ok := top.at["hooks"]
	if !ok {
		return lists, nil
	}
	events, err := members(text, hooks.start)
	if err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	for event, at := range events.at {
		if lists[event], err = elements(text, at.start); err != nil {
			return nil, fmt.Errorf("hooks: %s: %w", event, err)
		}
	}
	return lists, nil
}

// elements returns the places of the elements of the list at an offset of a JSON text.
func elements(text string, from int) ([]span, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text[from:])))
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return nil, errors.New("it is not a list; change it by hand")
	}
	all := []span{}
	for d.More() {
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		end := from + int(d.InputOffset())
		all = append(all, span{end - len(value), end})
	}
	return all, nil
}

// isFovea reports whether a hook calls fovea hook.
func isFovea(raw string) bool {
	var one struct {
		Command string
		Hooks   []struct{ Command string }
	}
	if json.Unmarshal([]byte(raw), &one) != nil {
		return false
	}
	if len(one.Hooks) == 1 { // a group that the person has added to stays theirs
		one.Command = one.Hooks[0].Command
	}
	return strings.Contains(one.Command, " hook --memex ")
}

// added returns a text with a hook at the head of the list of an event.
func added(text, event, entry string) (string, error) {
	top, err := members(text, 0)
	if err != nil {
		return "", err
	}
	at, ok := top.at["hooks"]
	if !ok {
		return top.insert(text, "  ", "\"hooks\": {\n    \""+event+"\": ["+entry+"]\n  }"), nil
	}
	events, err := members(text, at.start)
	if err != nil {
		return "", fmt.Errorf("hooks: %w", err)
	}
	list, ok := events.at[event]
	if !ok {
		return events.insert(text, "    ", "\""+event+"\": ["+entry+"]"), nil
	}
	all, err := elements(text, list.start)
	if err != nil {
		return "", fmt.Errorf("hooks: %s: %w", event, err)
	}
	inside := list.start + 1
	if len(all) > 0 {
		entry += ", "
	}
	return text[:inside] + entry + text[inside:], nil
}

// withoutHooks returns a text without the hooks that call fovea. Lists that are empty then stay.
func withoutHooks(text string) (string, error) {
	for {
		lists, err := hookLists(text)
		if err != nil {
			return "", err
		}
		next, found := text, false
		for _, list := range lists {
			for i, item := range list {
				if !found && isFovea(text[item.start:item.end]) {
					next, found = withoutElement(text, list, i), true
				}
			}
		}
		if !found {
			return text, nil
		}
		text = next
	}
}

// withoutElement cuts an element and the comma beside it out of a list.
func withoutElement(text string, list []span, i int) string {
	from, to := list[i].start, list[i].end
	switch {
	case i+1 < len(list):
		to = list[i+1].start
	case i > 0:
		from = list[i-1].end
	}
	return text[:from] + text[to:]
}

// Quote returns a word as a shell takes it.
func Quote(word string) string {
	if word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r))
	}) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
