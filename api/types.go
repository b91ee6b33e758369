// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"time"
)

// Service is every operation. Implementations are safe for concurrent use.
type Service interface {
	// Context chooses and renders what a model sees within a token budget.
	Context(ctx context.Context, req ContextRequest) (*ContextResponse, error)
	// Query lists the nodes that match, in document order unless the ready-made
	// query has one of its own.
	Query(ctx context.Context, req QueryRequest) ([]Node, error)
	// Search ranks nodes by words, best first.
	Search(ctx context.Context, req SearchRequest) ([]Hit, error)
	// Show returns one node, now or as it was.
	Show(ctx context.Context, req ShowRequest) (*Shown, error)
	// Status says how the memory is.
	Status(ctx context.Context, req StatusRequest) (*Status, error)
	// Log lists commits, newest first.
	Log(ctx context.Context, req LogRequest) ([]Commit, error)
	// Diff compares two moments.
	Diff(ctx context.Context, req DiffRequest) (*Difference, error)
	// Blame says of each line of a node which commit brought it.
	Blame(ctx context.Context, req BlameRequest) (*BlameResponse, error)
	// Snapshot keeps the present state.
	Snapshot(ctx context.Context, req SnapshotRequest) (*Snapshot, error)
	// Snapshots lists the states kept, newest first.
	Snapshots(ctx context.Context) ([]Snapshot, error)
	// Rollback makes an earlier state the present one.
	Rollback(ctx context.Context, req RollbackRequest) (*RollbackResponse, error)
	// Drift lists the files that differ from memory on purpose, or ends that.
	Drift(ctx context.Context, req DriftRequest) (*DriftResponse, error)
	// Revert takes back what commits did, and keeps what was done since.
	Revert(ctx context.Context, req RevertRequest) (*RevertResponse, error)
	// Merge brings in what another copy of the memory has done.
	Merge(ctx context.Context, req MergeRequest) (*MergeResponse, error)
	// Resolve ends conflicts that a node keeps.
	Resolve(ctx context.Context, req ResolveRequest) (*EditResponse, error)
	// Edit changes one node, and its file in the same step.
	Edit(ctx context.Context, req EditRequest) (*EditResponse, error)
	// Remember adds a headline.
	Remember(ctx context.Context, req RememberRequest) (*EditResponse, error)
	// Forget takes a headline away with all below it; history keeps it.
	Forget(ctx context.Context, req MoveRequest) (*EditResponse, error)
	// Forgotten says which notes were forgotten, so that an import leaves them out.
	Forgotten(ctx context.Context, req ForgottenRequest) (*ForgottenResponse, error)
	// Refile moves a headline, with all below it, below another node.
	Refile(ctx context.Context, req MoveRequest) (*EditResponse, error)
	// Archive moves a headline, with all below it, to the archive of its file.
	Archive(ctx context.Context, req MoveRequest) (*EditResponse, error)
	// AssignIDs lists headlines without an id of their own, or gives them one.
	AssignIDs(ctx context.Context, req AssignRequest) ([]Node, error)
	// Checkpoint writes an image of the present state and keeps it under a name.
	Checkpoint(ctx context.Context, req CheckpointRequest) (*Checkpoint, error)
	// Restore goes back to a checkpoint, files included.
	Restore(ctx context.Context, req RestoreRequest) (*RestoreResponse, error)
	// Head gives the newest commit as a signed note.
	Head(ctx context.Context) (*Head, error)
	// Verify proves the memory from its bytes, and against heads kept elsewhere.
	// It is NotFound where the folder was never read.
	Verify(ctx context.Context, req VerifyRequest) (*VerifyResponse, error)
	// Repair makes a damaged memory whole again, as far as that can be.
	Repair(ctx context.Context, req RepairRequest) (*RepairResponse, error)
	// Retain thins the history by age.
	Retain(ctx context.Context, req RetainRequest) (*RetainResponse, error)
	// Purge takes content out of history for good.
	Purge(ctx context.Context, req PurgeRequest) (*PurgeResponse, error)
	// Guard lists the protected files and how each stands.
	Guard(ctx context.Context) (*Protection, error)
	// GuardDiff says what became of a protected file since its owner trusted it.
	GuardDiff(ctx context.Context, req GuardDiffRequest) (*GuardDiff, error)
	// GuardAdopt trusts a protected file as it is.
	GuardAdopt(ctx context.Context, req GuardRequest) (*GuardDecision, error)
	// GuardReject puts back what was trusted of a protected file.
	GuardReject(ctx context.Context, req GuardRequest) (*GuardDecision, error)
	// Skills lists the skills, highest priority first.
	Skills(ctx context.Context) (*Skills, error)
	// Skill returns the source of one skill.
	Skill(ctx context.Context, req SkillRequest) (*SkillSource, error)
	// Trigger answers an event, and says which skills answer to it.
	Trigger(ctx context.Context, req TriggerRequest) (*Triggered, error)
	// IngestTree takes in an AST that stands in no file.
	IngestTree(ctx context.Context, req IngestTreeRequest) (*IngestTreeResponse, error)
	// Ingest reads what changed in the folder.
	Ingest(ctx context.Context, req IngestRequest) (*Status, error)
}

// ContextRequest asks for a window.
type ContextRequest struct {
	Focus    string `json:"focus,omitempty"`    // id, FILE:LINE, FILE:+BYTE, path or title
	Question string `json:"question,omitempty"` // what the model is asked
	Task     string `json:"task,omitempty"`     // what it is working on
	Budget   int    `json:"budget,omitempty"`   // tokens; 0 means 8000
	Policy   string `json:"policy,omitempty"`   // value (default), foveal
	Format   string `json:"format,omitempty"`   // org (default), markdown, json
	Counter  string `json:"counter,omitempty"`  // o200k (default), estimate
	Degrade  bool   `json:"degrade,omitempty"`  // lower the pinned parts when they do not fit
	Explain  bool   `json:"explain,omitempty"`  // give every reason in full
	At       string `json:"at,omitempty"`       // the moment to look at, as in DiffRequest; "" means now

	// Threshold is the similarity from which the policy foveal shows a
	// neighbour in full; 0 means 0.75.
	Threshold float64 `json:"threshold,omitempty"`

	// The names a signal carries the focus under (seed context.org). Focus
	// goes before FovealFocus, and that before Payload.TargetID.
	FovealFocus string `json:"foveal_focus,omitempty"`
	Payload     struct {
		TargetID string `json:"target_id,omitempty"`
	} `json:"payload,omitzero"`
}

// ContextResponse is a window and the reason for every line of it.
type ContextResponse struct {
	Text    string  `json:"text"`
	Tokens  int     `json:"tokens"`
	Budget  int     `json:"budget"`
	Counter string  `json:"counter"`
	Policy  string  `json:"policy"`
	Root    string  `json:"root"`
	Parts   []Part  `json:"parts"`
	Omitted int     `json:"omitted"`
	Bound   float64 `json:"bound"`

	Lockdown   []string `json:"lockdown,omitempty"`   // files that were left out: somebody else changed them
	Unreviewed []string `json:"unreviewed,omitempty"` // files that were not, though somebody else changed them
}

// Part is one entry of a window.
type Part struct {
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	Digest string  `json:"digest"`
	Level  string  `json:"level"`
	Tokens int     `json:"tokens"`
	Score  float64 `json:"score"`
	Reason string  `json:"reason"`
}

// QueryRequest runs a query in one of the syntaxes of package query, among the
// nodes of a ready-made query when one is named.
type QueryRequest struct {
	Query string `json:"query"`
	Named string `json:"named,omitempty"` // ActiveProjects or Completed
	Limit int    `json:"limit,omitempty"` // 0 means all, with Completed 10
	At    string `json:"at,omitempty"`    // the moment to look at, as in DiffRequest; "" means now

	Content bool `json:"content,omitempty"` // with the own text of each node
}

// SearchRequest ranks nodes by words.
type SearchRequest struct {
	Text          string  `json:"text"`
	Limit         int     `json:"limit,omitempty"`          // 0 means 10
	MinSimilarity float64 `json:"min_similarity,omitempty"` // 0 to 1, of the best hit's score
	Query         string  `json:"query,omitempty"`          // an additional condition
	At            string  `json:"at,omitempty"`             // the moment to look at, as in DiffRequest; "" means now
	Content       bool    `json:"content,omitempty"`        // with the own text of each node
}

// Node is a node in a list.
type Node struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Path   string   `json:"path"`
	Line   int      `json:"line"`
	Todo   string   `json:"todo"`
	Tags   []string `json:"tags"`
	Digest string   `json:"digest"`

	Opening string `json:"opening,omitempty"` // how its text begins, where it has no title
	Content string `json:"content,omitempty"` // where asked for, as in Shown

	Unreviewed bool `json:"unreviewed,omitempty"` // somebody else changed the file, and its owner has not looked
}

// Hit is a node found by its words. Similarity is its score as a share of the
// best hit's; Arms says which ways of searching found it.
type Hit struct {
	Node
	Score      float64  `json:"score"`
	Similarity float64  `json:"similarity"`
	Arms       []string `json:"arms"`
}

// ShowRequest asks for one node, now or as it was.
type ShowRequest struct {
	ID string `json:"id"`           // as a focus
	At string `json:"at,omitempty"` // snapshot, commit, date or the node's own digest
}

// Shown is a node in full.
type Shown struct {
	ID            string         `json:"id"`
	Digest        string         `json:"digest"`
	Version       string         `json:"version"`
	Type          string         `json:"type"`
	Title         string         `json:"title"`
	Attributes    map[string]any `json:"attributes"`
	Content       string         `json:"content"`                  // with U+FFFD for what is not UTF-8
	Bare          bool           `json:"bare,omitempty"`           // it has no content at all: Content is null, not ""
	ContentBase64 string         `json:"content_base64,omitempty"` // the exact bytes, where Content is not
	Parent        string         `json:"parent"`
	Children      []string       `json:"children"`
	Scope         string         `json:"scope"`
	Modified      time.Time      `json:"modified"`
	Synced        time.Time      `json:"synced"`
	Path          string         `json:"path"`
	Line          int            `json:"line"`
	Unreviewed    bool           `json:"unreviewed,omitempty"` // somebody else changed the file, and its owner has not looked
}

// StatusRequest asks how the memory is.
type StatusRequest struct {
	Diagnostics bool `json:"diagnostics,omitempty"` // list them
}

// Status says how the memory is.
type Status struct {
	Memex             string    `json:"memex"`
	StateDir          string    `json:"state_dir"`
	Scope             string    `json:"scope"`
	Scopes            []string  `json:"scopes,omitempty"` // beside the memex
	Root              string    `json:"root"`
	Head              string    `json:"head"`
	Seq               uint64    `json:"seq"`
	Nodes             int       `json:"nodes"`
	Documents         int       `json:"documents"`
	WithoutID         int       `json:"without_id"` // headlines whose id is derived
	Diagnostics       int       `json:"diagnostics"`
	DiagnosticList    []Problem `json:"diagnostic_list,omitempty"`
	Drift             []string  `json:"drift"`
	Lockdown          []string  `json:"lockdown"`
	Unreviewed        []string  `json:"unreviewed,omitempty"` // served though somebody else changed them
	PendingEmbeddings int       `json:"pending_embeddings"`
	ReadOnly          string    `json:"read_only,omitempty"`
	Recovered         string    `json:"recovered,omitempty"`
	History           int64     `json:"history"`              // bytes of journal and packs
	Large             string    `json:"large,omitempty"`      // that it is worth thinning
	SignedBy          string    `json:"signed_by,omitempty"`  // the known key that signed the head
	Signature         string    `json:"signature,omitempty"`  // why the newest signature does not vouch for the head
	Baselines         string    `json:"baselines,omitempty"`  // why nothing vouches for what is trusted of protected files
	RelaxedMs         int64     `json:"relaxed_ms,omitempty"` // power lost loses what was told in this time
}

// Problem is something a person may want to look at.
type Problem struct {
	Kind   string `json:"kind"`
	Where  string `json:"where"`
	Line   int    `json:"line,omitempty"`
	Detail string `json:"detail"`
}

// LogRequest asks for the history, of a node when ID is set.
type LogRequest struct {
	ID    string `json:"id,omitempty"`
	Limit int    `json:"limit,omitempty"` // 0 means all
}

// Commit is one durable step of the history.
type Commit struct {
	Seq       uint64    `json:"seq"`
	Commit    string    `json:"commit"`
	Root      string    `json:"root"`
	Author    string    `json:"author"`
	Session   string    `json:"session"`
	Time      time.Time `json:"time"`
	Kind      string    `json:"kind"`
	Message   string    `json:"message"`
	Changes   int       `json:"changes"`
	Documents int       `json:"documents,omitempty"`
	Op        string    `json:"op"`
	// Author is said by: token where a token stands for it, asserted where whoever
	// asked said so, nobody ("") for what was found in files.
	SaidBy string `json:"said_by,omitempty"`
}

// DiffRequest compares two moments: a snapshot's index or name, a commit
// (seq:N or its digest), a date, or head. From defaults to snapshot 0, To to
// head.
type DiffRequest struct {
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	Text bool   `json:"text,omitempty"` // with text diffs
}

// Difference is what lies between two moments.
type Difference struct {
	Added   []Changed `json:"added"`
	Removed []Changed `json:"removed"`
	Changed []Changed `json:"changed"`
	Moved   []Changed `json:"moved"`
}

// Changed is a node that came, left, changed or moved.
type Changed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Path  string `json:"path"`
	Was   string `json:"was,omitempty"`  // the path or id it had before
	Text  string `json:"text,omitempty"` // a unified diff of its own bytes
}

// SnapshotRequest keeps the present state, under a name or as an automatic one.
type SnapshotRequest struct {
	Name string `json:"name,omitempty"`
}

// Snapshot is a state kept for rollback; index 0 is the newest.
type Snapshot struct {
	Index int       `json:"index"`
	Name  string    `json:"name"`
	Seq   uint64    `json:"seq"`
	Root  string    `json:"root"`
	Time  time.Time `json:"time"`
	Note  string    `json:"note"`
}

// RollbackRequest makes an earlier state the present one.
type RollbackRequest struct {
	To         string `json:"to"` // as in DiffRequest; "" means snapshot 0
	Skip       bool   `json:"skip,omitempty"`
	MemoryOnly bool   `json:"memory_only,omitempty"`
	Head       uint64 `json:"head,omitempty"` // the newest commit's number; a newer one is a conflict
}

// RollbackResponse is what a rollback did.
type RollbackResponse struct {
	Root          string   `json:"root"`
	Seq           uint64   `json:"seq"`
	RestoredFiles []string `json:"restored_files"`
	RemovedFiles  []string `json:"removed_files"`
	Drift         []string `json:"drift"`
}

// VerifyRequest says what the history must agree with.
type VerifyRequest struct {
	Anchors []string `json:"anchors,omitempty"` // texts of signed heads, as Head gives them
	Files   bool     `json:"files,omitempty"`   // the files must hold what the memory does
}

// VerifyResponse is what verification found. Problems of the kinds purged, thinned
// and lost are no damage: a commit says that the content is gone.
type VerifyResponse struct {
	OK       bool      `json:"ok"`
	Checked  int       `json:"checked"` // commits, blocks and nodes recomputed
	Problems []Problem `json:"problems"`
}

// IngestRequest reads what changed in the folder.
type IngestRequest struct {
	AcceptDeletions bool `json:"accept_deletions,omitempty"`
	// Committed is called with each commit as it becomes durable; Progress
	// with how many documents of how many have been read. Both may be nil and
	// do not travel.
	Committed func(Commit)          `json:"-"`
	Progress  func(done, total int) `json:"-"`
}
