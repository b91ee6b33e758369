// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import (
	"cmp"
	"fmt"
	"strings"
)

// CheckMailbox is the action of an agent that looks for messages.
const CheckMailbox = "check_mailbox"

// Action is what an agent did, with its result.
type Action struct {
	// Name is the kind of action: read_file, edit_file, write_file, search, run_command,
	// update_task, think, check_mailbox, or any other word.
	Name string `json:"action" jsonschema:"read_file, write_file, edit_file, search, run_command, update_task, think, check_mailbox or another word"`
	// Detail is the command, the query or the thought.
	Detail string `json:"detail,omitempty" jsonschema:"the command, the words searched for, or the thought"`
	Result string `json:"result,omitempty" jsonschema:"the result"`

	// Path, StartLine and EndLine name the file that was read or changed.
	Path      string `json:"path,omitempty" jsonschema:"the file that was read or changed"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"its first line that was read, from 1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"its last line that was read"`

	// Digest and Size describe the text that was read, for Automatic.
	Digest string `json:"-"`
	Size   int    `json:"-"`

	// TaskID and Status name the task that was updated, and its new status.
	TaskID string `json:"task_id,omitempty" jsonschema:"the task that was updated"`
	Status string `json:"status,omitempty" jsonschema:"the new status of the task"`
	// Messages are the contents of the mailbox.
	Messages []Mail `json:"messages,omitempty" jsonschema:"the messages in the mailbox; without any, check_mailbox takes the unread messages of the inbox"`
}

// Mail is a message in a mailbox.
type Mail struct {
	From    string `json:"from" jsonschema:"the agent that wrote it"`
	To      string `json:"to" jsonschema:"the agent that it is for"`
	Subject string `json:"subject,omitempty" jsonschema:"what it is about"`
	Content string `json:"content,omitempty" jsonschema:"the message"`
	Path    string `json:"path,omitempty" jsonschema:"the file that holds it"`
	Read    bool   `json:"read,omitempty" jsonschema:"it was read before"`
	ID      string `json:"id,omitempty" jsonschema:"of the message, if one file holds several"`
}

// FromAction returns the blocks that an action leaves in working memory, to be completed: for a file its
// block and, if it was changed, one of history; for a mailbox its status and a block for each unread
// message; for a task its block; for a thought a context; for any other action one of history.
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

// FocusStatus is the kind of the status that holds the id of the focus that a trigger gave an agent.
const FocusStatus = "focus"

// IsBackground reports whether Fovea itself made the block, of an action of the agent or of the focus that a
// trigger gave it. A block that the agent scored is its own.
func (b *Block) IsBackground() bool {
	return b.Priority == Low && (b.Automatic && b.Type == History || b.Type == Status && b.StatusType == FocusStatus)
}

// IsNoted reports whether the id of a node is that of such a block, even one that the agent scored.
func IsNoted(id string) bool {
	_, block, ok := strings.Cut(id, "/")
	return ok && IsNodeID(id) && (strings.HasPrefix(block, "did:") || block == "status:"+FocusStatus)
}

// Limits of the texts of an automatic block, in bytes.
const (
	maxDetail = 500
	maxResult = 1000
)

// Automatic returns the blocks of an action that the agent did not report: those of FromAction, marked as
// automatic. History blocks have low priority, and a repeated action has the same block.
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

// clip returns at most limit bytes of the beginning of a text, as UTF-8.
func clip(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}

// MailID returns the id of the block of a message in a mailbox.
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
