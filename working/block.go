// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Type is the kind of a block.
type Type string

// The types of blocks.
const (
	ROM       Type = "rom"       // the description of the agent, in a file that only the owner writes
	File      Type = "file"      // a file, or a range of its lines
	Status    Type = "status"    // the state of something, such as a mailbox
	Task      Type = "task"      // work that the agent has to do
	Message   Type = "message"   // a message from another agent
	Knowledge Type = "knowledge" // an entry of a knowledge base
	History   Type = "history"   // an action or a thought of the agent
	Context   Type = "context"   // a summary of a project or a conversation
)

// Types lists all types of blocks.
var Types = []Type{ROM, File, Status, Task, Message, Knowledge, History, Context}

// Priority is the class of a block. Windows fill up class by class.
type Priority string

// The priorities, highest first.
const (
	Critical Priority = "critical" // always shown
	High     Priority = "high"     // shown unless the budget is short
	Medium   Priority = "medium"   // shown by relevance
	Low      Priority = "low"      // background
)

// Priorities lists the priorities, highest first.
var Priorities = []Priority{Critical, High, Medium, Low}

// MaxTokens is the default budget of a window over an agent's working memory.
const MaxTokens = 100_000

// Block is one entry of an agent's working memory. Each type uses some of the fields; those of other types
// are rejected. The JSON names are those of the seed hive-mind-memory-model.md.
type Block struct {
	Type Type `json:"type" jsonschema:"rom, file, status, task, message, knowledge, history or context"`
	// ID names the block within the working memory of its agent. The default is derived from the
	// other fields.
	ID string `json:"id,omitempty" jsonschema:"names the block; a block with an existing id replaces that block. The default is derived from the other keys"`
	// Priority is by default Critical for ROM; High for Status, Task and an unread Message;
	// else Medium.
	Priority Priority `json:"priority,omitempty" jsonschema:"critical, high, medium or low, in any case, or 1 to 4; the default depends on the type"`
	// Confidence is between 0 and 1. nil means 1.
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"0 to 1; the default is 1"`
	// Timestamp is when the block was made; by default, when it is added.
	Timestamp time.Time `json:"timestamp,omitzero" jsonschema:"when it was made, by default now; a time without zone is local"`
	// Expiry is when the block leaves working memory; zero means never.
	Expiry time.Time `json:"expiry,omitzero" jsonschema:"when it leaves working memory; by default never"`
	// Automatic marks a block that Fovea made from an action of the agent.
	Automatic bool `json:"automatic,omitempty" jsonschema:"Fovea made it from an action of the agent"`
	// Metadata is shown to the model with the block; see Entry.
	Metadata map[string]any `json:"metadata,omitempty" jsonschema:"more keys and values for the model"`

	// Location is the path of a ROM, File or Knowledge block below the memex. StartLine and
	// EndLine select lines, both included; StartLine 0 selects the whole file, and EndLine 0 means
	// up to the end. Digest and Size are those of the text when the block was added.
	Location  string `json:"location,omitempty" jsonschema:"of rom, file and knowledge: the path, below the memex"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"of a file: the first line, from 1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"of a file: the last line; by default that of the file"`
	Digest    string `json:"digest,omitempty" jsonschema:"of a file: the digest of its text when it was added"`
	Size      int    `json:"size,omitempty" jsonschema:"of a file: the bytes of its text when it was added"`

	StatusType string `json:"status_type,omitempty" jsonschema:"of a status: mailbox, task_queue, system_health or another word"`
	Value      any    `json:"value,omitempty" jsonschema:"of a status: any value"`

	TaskID       string   `json:"task_id,omitempty" jsonschema:"of a task"`
	Description  string   `json:"description,omitempty" jsonschema:"of a task: what to do"`
	Project      string   `json:"project,omitempty" jsonschema:"of a task"`
	Dependencies []string `json:"dependencies,omitempty" jsonschema:"of a task: ids of tasks that must be done first"`
	Status       string   `json:"status,omitempty" jsonschema:"of a task: pending (default), in_progress, done or another word"`

	FromAgent string `json:"from_agent,omitempty" jsonschema:"of a message"`
	ToAgent   string `json:"to_agent,omitempty" jsonschema:"of a message"`
	Subject   string `json:"subject,omitempty" jsonschema:"of a message"`
	Preview   string `json:"preview,omitempty" jsonschema:"of a message: its beginning"`
	FullPath  string `json:"full_path,omitempty" jsonschema:"of a message: the file that holds it whole"`
	Read      bool   `json:"read,omitempty" jsonschema:"of a message: it was read"`

	Topic     string   `json:"topic,omitempty" jsonschema:"of knowledge"`
	Subtopic  string   `json:"subtopic,omitempty" jsonschema:"of knowledge"`
	Relevance *float64 `json:"relevance_score,omitempty" jsonschema:"of knowledge: 0 to 1; the default is 0.5"`

	ActionType   string `json:"action_type,omitempty" jsonschema:"of history: the kind of action, such as run_command"`
	ActionDetail string `json:"action_detail,omitempty" jsonschema:"of history: its object, such as the command"`
	Result       string `json:"result,omitempty" jsonschema:"of history: the result"`

	ContextType string   `json:"context_type,omitempty" jsonschema:"of a context: project_context, conversation_context or another word"`
	Summary     string   `json:"summary,omitempty" jsonschema:"of a context"`
	RelatedIDs  []string `json:"related_ids,omitempty" jsonschema:"of a context: ids of blocks and notes"`
}

// HasFile reports whether the content of the block is in a file: see Location and FullPath.
func (b *Block) HasFile() bool { return b.Path() != "" }

// Path returns the file that holds the content of the block, "" for none.
func (b *Block) Path() string {
	if b.Type == Message {
		return b.FullPath
	}
	return b.Location
}

// Lines returns the range of lines that a file block selects, as "3-7", or "3-" to the end; "" for the
// whole file.
func (b *Block) Lines() string {
	switch {
	case b.StartLine == 0:
		return ""
	case b.EndLine == 0:
		return fmt.Sprintf("%d-", b.StartLine)
	}
	return fmt.Sprintf("%d-%d", b.StartLine, b.EndLine)
}

// Title describes the block in one line. It may contain any character.
func (b *Block) Title() string {
	switch b.Type {
	case Status:
		return "Status: " + b.StatusType
	case Task:
		return strings.TrimSpace(fmt.Sprintf("Task %s (%s)", b.TaskID, b.Status))
	case Message:
		return fmt.Sprintf("Message from %s: %s", b.FromAgent, b.Subject)
	case Knowledge:
		return "Knowledge: " + strings.Join(nonEmpty(b.Topic, b.Subtopic, b.Location), ", ")
	case History:
		return "Did: " + b.ActionType
	case Context:
		return "Context: " + b.ContextType
	case ROM:
		return "ROM: " + b.Location
	default:
		return strings.TrimSuffix(b.Location+":"+b.Lines(), ":")
	}
}

// Content returns the text of the block for a model, unless it is in a file: the value of a status, the
// description of a task, the beginning of a message, an action with its result, the summary of a context.
func (b *Block) Content() string {
	switch b.Type {
	case Status:
		if text, ok := b.Value.(string); ok {
			return text
		}
		text, err := json.Marshal(b.Value)
		if err != nil { // Complete checked it
			return ""
		}
		return string(text)
	case Task:
		return cmp.Or(b.Description, b.TaskID)
	case Message:
		return b.Preview
	case Knowledge:
		return strings.Join(nonEmpty(b.Topic, b.Subtopic), ": ")
	case History:
		return strings.Join(nonEmpty(strings.TrimSpace(b.ActionType+" "+b.ActionDetail), b.Result), "\n")
	case Context:
		return strings.Join(nonEmpty(b.Summary, b.related()), "\n")
	default:
		return ""
	}
}

// related returns a line of links to what a context is related to, "" if there is nothing.
func (b *Block) related() string {
	var links []string
	for _, id := range b.RelatedIDs {
		if strings.ContainsAny(id, "[]") {
			links = append(links, id)
		} else {
			links = append(links, "[[id:"+id+"]]")
		}
	}
	if len(links) == 0 {
		return ""
	}
	return "Related: " + strings.Join(links, ", ")
}

// Entry returns the metadata of the block for a model: its type and times; its source and lines if it has a
// file; the fields of its type under their JSON names, except its content; and the other keys of Metadata.
func (b *Block) Entry() map[string]any {
	entry := map[string]any{}
	maps.Copy(entry, b.Metadata)
	set := func(key, value string) {
		if value != "" {
			entry[key] = value
		}
	}
	list := func(key string, values []string) {
		if len(values) > 0 {
			entry[key] = values
		}
	}
	entry["type"], entry["timestamp"] = b.Type, b.Timestamp.Format(time.RFC3339)
	if !b.Expiry.IsZero() {
		entry["expiry"] = b.Expiry.Format(time.RFC3339)
	}
	set("source", b.Path())
	set("lines", b.Lines())
	switch b.Type {
	case Status:
		set("status_type", b.StatusType)
	case Task:
		entry["task_id"], entry["status"] = b.TaskID, b.Status
		set("project", b.Project)
		list("dependencies", b.Dependencies)
	case Message:
		set("from_agent", b.FromAgent)
		set("to_agent", b.ToAgent)
		set("subject", b.Subject)
		entry["read"] = b.Read
	case Knowledge:
		set("topic", b.Topic)
		set("subtopic", b.Subtopic)
		if b.Relevance != nil {
			entry["relevance_score"] = *b.Relevance
		}
	case History:
		set("action_type", b.ActionType)
	case Context:
		set("context_type", b.ContextType)
		list("related_ids", b.RelatedIDs)
	}
	return entry
}

// Until returns the time after which a block leaves working memory, and why: it has expired, is faint and
// of low priority, or is old and of type History. The zero Time means never, as for all critical blocks.
// The history of the session keeps what leaves.
func (b *Block) Until() (after time.Time, why string) {
	const (
		faint  = 0.1
		recent = time.Hour
	)
	switch {
	case b.Priority == Critical:
		return time.Time{}, ""
	case b.Priority == Low && *b.Confidence < faint:
		after, why = b.Timestamp.Add(-1), "faint"
	case b.Type == History && b.Priority != High:
		after, why = b.Timestamp.Add(recent), "old"
	}
	if !b.Expiry.IsZero() && (after.IsZero() || b.Expiry.Before(after)) {
		return b.Expiry, "expired"
	}
	return after, why
}

// Leaves returns why a block has left working memory by now, "" if it has not.
func (b *Block) Leaves(now time.Time) string {
	if after, why := b.Until(); !after.IsZero() && now.After(after) {
		return why
	}
	return ""
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// Request adds blocks, and those that result from actions, to the working memory of an agent.
type Request struct {
	Agent   string
	Home    string // replaces $HOME in a path
	Blocks  []Block
	Actions []Action
	Remove  []string // ids of blocks that the same commit removes
	Now     time.Time
}

// Added is the result of adding one block.
type Added struct {
	ID    string `json:"id" jsonschema:"the id of the block"`
	Error string `json:"error,omitempty" jsonschema:"why this block was not added"`
}

// Change is a change of the working memory of an agent, made by one call.
type Change struct {
	Agent string
	// Put are complete blocks; one with the id of another replaces it.
	Put []Block
	// Remove lists ids, or their beginnings. If one is unknown, the call changes nothing: NotFound.
	Remove []string
	// Score sets the confidence or priority of a block. An unknown block is NotFound.
	Score *Score
	// Sweep also removes the blocks that are due to leave, see Block.Leaves.
	Sweep bool
}

// Score is a new confidence or priority of a block.
type Score struct {
	ID         string   `json:"id" jsonschema:"of the block" arg:"ID"`
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"0 to 1"`
	Priority   Priority `json:"priority,omitempty" jsonschema:"critical, high, medium or low"`
}
