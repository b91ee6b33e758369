// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import (
	"cmp"
	"fmt"
	"strings"
)

// CheckMailbox is the action of an agent that looks for messages.
const CheckMailbox = "check_mailbox"

// Action is what an agent did, and what came of it.
type Action struct {
	// Name is what was done: read_file, edit_file, write_file, search, run_command,
	// update_task, think, check_mailbox, or any other word.
	Name string `json:"action" jsonschema:"read_file, write_file, edit_file, search, run_command, update_task, think, check_mailbox or another word"`
	// Detail is with what: a command, a query, a thought.
	Detail string `json:"detail,omitempty" jsonschema:"with what: the command, the words searched for, the thought"`
	Result string `json:"result,omitempty" jsonschema:"what came of it"`

	// Path, StartLine and EndLine are of the file that was read or changed.
	Path      string `json:"path,omitempty" jsonschema:"the file that was read or changed"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"its first line that was read, from 1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"its last line that was read"`

	// Digest and Size are of the text that was read, for Automatic.
	Digest string `json:"-"`
	Size   int    `json:"-"`

	// TaskID and Status are of the task that was updated.
	TaskID string `json:"task_id,omitempty" jsonschema:"the task that was updated"`
	Status string `json:"status,omitempty" jsonschema:"what the task is now"`
	// Messages are what the mailbox held.
	Messages []Mail `json:"messages,omitempty" jsonschema:"what the mailbox held; without any, check_mailbox takes the unread messages of the inbox"`
}

// Mail is a message in a mailbox.
type Mail struct {
	From    string `json:"from" jsonschema:"the agent that wrote it"`
	To      string `json:"to" jsonschema:"the agent that it is for"`
	Subject string `json:"subject,omitempty" jsonschema:"what it is about"`
	Content string `json:"content,omitempty" jsonschema:"the message"`
	Path    string `json:"path,omitempty" jsonschema:"the file that holds it"`
	Read    bool   `json:"read,omitempty" jsonschema:"it was read before"`
	ID      string `json:"id,omitempty" jsonschema:"of the message, where several stand in one file"`
}

// FromAction returns the blocks that an action leaves in working memory, to be completed: of
// a file that was read or changed its block and, if changed, one of history; of a mailbox
// its status and one for each unread message; of a task its block; of a thought a context;
// of any other action one of history.
func FromAction(a Action) []Block {
	file := Block{Type: File, Priority: High, Location: a.Path, StartLine: a.StartLine, EndLine: a.EndLine}
	history := Block{Type: History, ActionType: cmp.Or(a.Name, "unknown"), ActionDetail: a.Detail, Result: a.Result}
	switch {
	case a.Name == CheckMailbox:
		return fromMail(a.Messages)
	case a.Name == "read_file" && a.Path != "":
		return []Block{file}
	case (a.Name == "write_file" || a.Name == "edit_file") && a.Path != "":
		history.ActionDetail = cmp.Or(a.Detail, a.Path)
		return []Block{file, history}
	case a.Name == "update_task" && a.TaskID != "":
		return []Block{{Type: Task, TaskID: a.TaskID, Description: a.Detail, Status: a.Status}}
	case a.Name == "think" && a.Detail+a.Result != "":
		thought := cmp.Or(a.Detail, a.Result)
		return []Block{{Type: Context, ContextType: "thought", Summary: thought, ID: "context:thought-" + digestOf(thought)}}
	}
	return []Block{history}
}

// FocusStatus is the status that holds the focus that a trigger gave an agent, by id.
const FocusStatus = "focus"

// IsBackground reports whether Fovea itself noted the block: what its agent did, or what a trigger
// made its focus. One that the agent scored is its own.
func (b *Block) IsBackground() bool {
	return b.Priority == Low && (b.Automatic && b.Type == History || b.Type == Status && b.StatusType == FocusStatus)
}

// IsNoted reports whether a node, by its id, keeps such a block, or did.
func IsNoted(id string) bool {
	_, block, ok := strings.Cut(id, "/")
	return ok && IsNodeID(id) && (strings.HasPrefix(block, "did:") || block == "status:"+FocusStatus)
}

// Limits of what an automatic block says, in bytes.
const (
	maxDetail = 500
	maxResult = 1000
)

// Automatic returns the blocks of an action that nobody reported: those of FromAction, marked
// as automatic. What was done is in the background, and the same again is the same block.
func (a Action) Automatic() []Block {
	a.Detail, a.Result = clip(a.Detail, maxDetail), clip(a.Result, maxResult)
	blocks := FromAction(a)
	for i := range blocks {
		b := &blocks[i]
		b.Automatic = true
		switch b.Type {
		case File:
			b.Digest, b.Size = a.Digest, a.Size
		case History:
			b.Priority, b.ID = Low, "did:"+digestOf(b.ActionType, b.ActionDetail)
		}
	}
	return blocks
}

// clip returns the beginning of a text, as UTF-8.
func clip(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}

// MailID is the id of the block of a message in a mailbox.
func MailID(message string) string { return "message:" + message }

func fromMail(messages []Mail) []Block {
	blocks := []Block{{Type: Status, StatusType: "mailbox"}}
	for _, m := range messages {
		if m.Read {
			continue
		}
		b := Block{Type: Message, FromAgent: m.From, ToAgent: m.To, Subject: m.Subject, Preview: beginning(m.Content), FullPath: m.Path}
		if m.ID != "" {
			b.ID = MailID(m.ID)
		}
		blocks = append(blocks, b)
	}
	blocks[0].Value = fmt.Sprintf("%d unread of %d messages", len(blocks)-1, len(messages))
	return blocks
}
