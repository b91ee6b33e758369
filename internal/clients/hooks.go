// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package clients

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Hooks describes how a client configures the commands that it calls at events.
type Hooks struct {
	file   func(home string) string
	events []string // a session starts, a person asks, the model has answered
	flat   bool     // an event lists commands, not groups of commands
	begin  string   // content of a new file
	note   string   // see Part.Note
}

// HooksOf are the clients with hooks, by name. The map must not be changed.
var HooksOf = map[string]Hooks{
	"claude-code": {below(".claude/settings.json"), []string{"SessionStart", "UserPromptSubmit", "Stop"}, false, "{}\n", ""},
	"codex": {below(".codex/hooks.json"), []string{"SessionStart", "UserPromptSubmit", "Stop"}, false, "{}\n",
		"Codex calls a hook only once you have trusted it: open /hooks in Codex"},
	"cursor": {below(".cursor/hooks.json"), []string{"sessionStart", "beforeSubmitPrompt", "afterAgentResponse"}, true, "{\n  \"version\": 1\n}\n", ""},
}

// hookTimeout is the number of seconds that a client waits for a hook; a hook takes at most a tenth of one.
const hookTimeout = 5

// Part returns the hooks that call a command line; keep includes the hook that keeps the answers of
// the model. After Remove, a file that Write created has the content with which Write began it.
func (h Hooks) Part(command string, keep bool) Part {
	merge := func(keep bool) edit {
		return func(text string) (string, error) { return h.merged(text, command, keep) }
	}
	p := newPart(h.file, func(text string) (string, error) { return editJSON(text, cutHooks) }, merge(keep), merge(!keep))
	p.Note, p.begin = h.note, h.begin
	return p
}

// entry is the hook of one event.
func (h Hooks) entry(command string) string {
	one := fmt.Sprintf(`"command": %s, "timeout": %d}`, quoteJSON(command), hookTimeout)
	if h.flat {
		return "{" + one
	}
	return `{"hooks": [{"type": "command", ` + one + "]}"
}

// merged returns a file in which the hooks of a command replace all hooks of Fovea.
func (h Hooks) merged(text, command string, keep bool) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = h.begin
	}
	events := h.events
	if !keep {
		events = events[:2]
	}
	return putJSON(text, func(file *hujson.Value) error {
		places := map[string]int{} // the positions of Fovea's hooks among those of the person
		for event, list := range hookLists(file) {
			places[event] = max(0, slices.IndexFunc(list.Elements, isFovea))
		}
		err := cutHooks(file)
		for _, event := range events {
			err = cmp.Or(err, addHook(file, event, h.entry(command), places[event]))
		}
		return err
	})
}

// hookLists returns the hooks of each event.
func hookLists(file *hujson.Value) map[string]*hujson.Array {
	lists := map[string]*hujson.Array{}
	events, _ := cmp.Or(file.Find("/hooks"), &hujson.Value{}).Value.(*hujson.Object)
	if events == nil {
		return lists
	}
	for _, m := range events.Members {
		event := m.Name.Value.(hujson.Literal).String()
		if list, ok := file.Find(pointer("hooks", event)).Value.(*hujson.Array); ok {
			lists[event] = list
		}
	}
	return lists
}

// isFovea reports whether a hook calls fovea hook.
func isFovea(hook hujson.Value) bool {
	var one struct {
		Command string
		Hooks   []struct{ Command string }
	}
	if decode(hook, &one) != nil {
		return false
	}
	if len(one.Hooks) == 1 { // a group that the person has added to stays theirs
		one.Command = one.Hooks[0].Command
	}
	return strings.Contains(one.Command, " hook --memex ")
}

// addHook inserts a hook into the list of an event, at index place.
func addHook(file *hujson.Value, event, entry string, place int) error {
	at := file.Find(pointer("hooks", event))
	if at == nil {
		return set(file, "["+entry+"]", "hooks", event)
	}
	list, ok := at.Value.(*hujson.Array)
	if !ok {
		return fmt.Errorf("hooks: %s: it is not a list; change it by hand", event)
	}
	list.Elements = slices.Insert(list.Elements, place, hujson.Value{Value: valueOf(entry)})
	return nil
}

// cutHooks removes the hooks that call fovea. Lists stay, even if they become empty.
func cutHooks(file *hujson.Value) error {
	for event, list := range hookLists(file) {
		for i, hook := range slices.Backward(slices.Clone(list.Elements)) {
			if isFovea(hook) {
				if err := cut(file, "hooks", event, strconv.Itoa(i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// plainWord matches a word without special characters of a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9/._+,:@%-]+$`)

// Quote quotes a word for a shell.
func Quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
