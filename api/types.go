// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// ContextRequest asks for a window.
type ContextRequest struct {
	Focus     string `json:"focus,omitempty" jsonschema:"id, FILE:LINE, FILE:+BYTE, path or title" flag:"<NODE> being worked on: id, FILE:LINE, FILE:+BYTE, path or title" mcp:",id, title, path or FILE:LINE it is about"`
	Question  string `json:"question,omitempty" jsonschema:"what the model is asked" flag:"<QUESTION> that the model is asked" mcp:""`
	Task      string `json:"task,omitempty" jsonschema:"what it is working on" flag:"<TASK> that it is working on" mcp:""`
	Budget    int    `json:"budget,omitempty" jsonschema:"tokens; 0 means 8000, with the policy shares 100000" flag:"<TOKENS> the window may have (default 8000; with shares 100000)" mcp:",tokens, default 8000"`
	Policy    string `json:"policy,omitempty" jsonschema:"value (default), shares, foveal" flag:"<POLICY> that chooses: value (default), shares, foveal"`
	Reserve   *int   `json:"reserve,omitempty" jsonschema:"of the policy shares: percent of the budget that stay free for the answer, 0 to 100; by default the 5 to 20 that its classes leave" flag:"with shares, keep this <PERCENT> of the budget free for the answer and fill the rest (default: 5 to 20, as its classes leave)"`
	Format    string `json:"format,omitempty" jsonschema:"org (default), markdown, json" flag:"<FORMAT> of the text: org (default), markdown, json"`
	Counter   string `json:"counter,omitempty" jsonschema:"o200k (default), estimate" flag:"<COUNTER> of tokens: o200k (default, exact), estimate (over-counts)"`
	Layout    string `json:"layout,omitempty" jsonschema:"in a session: tree (default), what is new to it; sticky, appended to the previous window" flag:"<LAYOUT> in a session: tree (default) of what is new to it, sticky (appended to the previous window)" mcp:""`
	Fresh     bool   `json:"fresh,omitempty" jsonschema:"in a session: as if it had been shown nothing" flag:"ignore what the session was shown before" mcp:""`
	SinceLast bool   `json:"since_last,omitempty" jsonschema:"list what is new, changed and removed since the agent's previous window" flag:"list what is new, changed and removed since the agent's previous window" mcp:",say what changed since your last window"`
	Degrade   bool   `json:"degrade,omitempty" jsonschema:"lower the pinned parts when they do not fit" flag:"show the focus at a lower level when it does not fit"`
	Explain   bool   `json:"explain,omitempty" jsonschema:"give every reason in full" flag:"say why each part is there"`
	At        string `json:"at,omitempty" jsonschema:"the moment to look at, as in diff; empty means now" flag:"as it was at this <MOMENT>: snapshot, seq:N, commit or date"`
	Private   bool   `json:"private,omitempty" jsonschema:"record the window without the words of the question and the task"`
	Page      int    `json:"page,omitempty" jsonschema:"how many bytes of the text the agent is shown; if the text is longer, nothing counts as shown; 0 means all"`

	Threshold float64 `json:"threshold,omitempty" jsonschema:"the similarity from which the policy foveal shows a neighbour in full; 0 means 0.75" flag:"<SIMILARITY> from which foveal shows a neighbour in full (default 0.75)"`

	// Other keys of the focus (seed context.org). Focus goes before FovealFocus, and that before Payload.TargetID.
	FovealFocus string `json:"foveal_focus,omitempty" jsonschema:"another name for focus, which goes before it"`
	Payload     struct {
		TargetID string `json:"target_id,omitempty" jsonschema:"another name for focus, which goes before it"`
	} `json:"payload,omitzero" jsonschema:"another place for the focus"`
}

// ContextResponse is a window and the reason for every line of it.
type ContextResponse struct {
	window.Window
	Session    string       `json:"session,omitempty" jsonschema:"the session; what its earlier windows showed is left out"`
	Since      *minds.Since `json:"since,omitempty" jsonschema:"with since_last, how memory differs from the previous window"`
	Unmatched  bool         `json:"unmatched,omitempty" jsonschema:"no note has a word of the question"`
	Lockdown   []string     `json:"lockdown,omitempty" jsonschema:"files that were left out because another program changed them"`
	Unreviewed []string     `json:"unreviewed,omitempty" jsonschema:"files that were used although another program changed them and nobody reviewed that"`
}

// Part is one entry of a window.
type Part = window.Part

// QueryRequest runs a query of package query, on the nodes of a ready-made query if one is named.
type QueryRequest struct {
	Query string `json:"query,omitempty" jsonschema:"terms as fovea query --help lists them; empty is all" arg:"QUERY..."`
	Named string `json:"named,omitempty" jsonschema:"active-projects or completed"`
	Limit int    `json:"limit,omitempty" jsonschema:"0 means all, with completed 10" flag:"at most <N> nodes (0: all; with --completed, 10)"`
	At    string `json:"at,omitempty" jsonschema:"the moment to look at, as in diff; empty means now" flag:"as it was at this <MOMENT>: snapshot, seq:N, commit or date"`

	Content bool `json:"content,omitempty" jsonschema:"with the own text of each node"`
	Excerpt int  `json:"excerpt,omitempty" jsonschema:"with how the own text of each node begins, at most so many characters; 0 means without"`
}

// SearchRequest ranks nodes by words.
type SearchRequest struct {
	Text          string   `json:"text,omitempty" jsonschema:"the words" arg:"WORDS..." mcp:"query"`
	Limit         int      `json:"limit,omitempty" jsonschema:"0 means 10" flag:"at most <N> hits (default 10)" mcp:",default 10"`
	MinSimilarity *float64 `json:"min_similarity,omitempty" jsonschema:"0 to 1; hits that answer less of the question are left out; the default is 0.5 with mode semantic, else 0" flag:"leave out hits below this <SIMILARITY>, 0 to 1 (default 0.5 with --mode semantic, else 0)" mcp:",0 to 1"`
	Mode          string   `json:"mode,omitempty" jsonschema:"lexical, semantic or hybrid; by default hybrid where an embedder answers quickly" flag:"rank by words (lexical), vectors (semantic) or both (hybrid): <MODE>"`
	Query         string   `json:"query,omitempty" jsonschema:"an additional condition" flag:"only nodes that match this <QUERY>"`
	At            string   `json:"at,omitempty" jsonschema:"the moment to look at, as in diff; empty means now" flag:"as it was at this <MOMENT>: snapshot, seq:N, commit or date"`
	Blocks        bool     `json:"blocks,omitempty" jsonschema:"search the files of the agent's blocks, by chunk, instead of the notes; a hit's id is a block's, and show takes it" flag:"search the files of the agent's blocks, by chunk, instead of the notes" mcp:",instead the files in your working memory, by chunk"`
	Explain       bool     `json:"explain,omitempty" jsonschema:"with what each arm of the score gave" flag:"say what each arm of the score gave"`
	Content       bool     `json:"content,omitempty" jsonschema:"with the own text of each node"`
	Excerpt       int      `json:"excerpt,omitempty" jsonschema:"with how the own text of each node begins, at most so many characters; 0 means without"`
	Match         int      `json:"match,omitempty" jsonschema:"with the line of each node that has the most of the words, at most so many characters; 0 means without"`
}

// Node is a node in a list.
type Node struct {
	node.Place
	Todo   string   `json:"todo" jsonschema:"the keyword, empty for none"`
	Tags   []string `json:"tags" jsonschema:"its own"`
	Digest string   `json:"digest" jsonschema:"of the own bytes"`
	Handle string   `json:"handle" jsonschema:"the short name of the node, which every request takes for the id"`

	Opening string `json:"opening,omitempty" jsonschema:"how its text begins, where it has no title"`
	Content string `json:"content,omitempty" jsonschema:"where asked for, as in show"`
	Excerpt string `json:"excerpt,omitempty" jsonschema:"where asked for: how its text begins, without headline, planning, settings and drawers, on one line; … at the end where more follows"`

	Unreviewed bool `json:"unreviewed,omitempty" jsonschema:"another program changed the file, and its owner has not reviewed that"`
}

// Hit is a node found by a question. Similarity means the same in every answer.
type Hit struct {
	Node
	node.Relevance
	Arms     []string `json:"arms" jsonschema:"the ways of searching that found it"`
	Reranked *bool    `json:"reranked,omitempty" jsonschema:"false where a reranker was late or failed, true where it ordered what it may see; absent where none was asked"`

	Scores    map[string]float64 `json:"scores,omitempty" jsonschema:"with explain, what each arm gave; they add up to the score, but for that of a reranker"`
	Match     string             `json:"match,omitempty" jsonschema:"where asked for: the line of its text that has the most of the words; … where more of it precedes or follows"`
	MatchLine int                `json:"match_line,omitempty" jsonschema:"the number of that line in the file, from 1"`
}

// ShowRequest asks for one node, now or as it was.
type ShowRequest struct {
	ID string `json:"id" jsonschema:"the node: id, title, path, FILE:LINE or FILE:+BYTE" arg:"NODE" mcp:",id, title, path or FILE:LINE"`
	At string `json:"at,omitempty" jsonschema:"snapshot, commit, date or the node's own digest" flag:"as it was at this <MOMENT>: snapshot, seq:N, commit or date, or a digest of the node" mcp:",snapshot, commit, date or digest"`

	// For a caller that shows its agent one page of the text: what counts as shown to its session.
	Offset int `json:"offset,omitempty" jsonschema:"where the page that the agent is shown begins in the text, in bytes" mcp:""`
	Page   int `json:"page,omitempty" jsonschema:"the maximum length of the page in bytes; it ends after a line in its second half; 0 means the whole text"`
}

// Shown is a node in full.
type Shown struct {
	node.Place
	Digest        string         `json:"digest" jsonschema:"of the own bytes"`
	Version       string         `json:"version" jsonschema:"the digest of it and all below it"`
	Type          string         `json:"type" jsonschema:"document or headline, or the type of an element"`
	Attributes    map[string]any `json:"attributes" jsonschema:"keyword, tags, properties and dates"`
	Content       string         `json:"content" jsonschema:"with U+FFFD for what is not UTF-8"`
	Bare          bool           `json:"bare,omitempty" jsonschema:"it has no content at all: null, not an empty one"`
	ContentBase64 string         `json:"content_base64,omitempty" jsonschema:"the exact bytes, where content is not exact"`
	Parent        string         `json:"parent" jsonschema:"the id of the node above it, empty for none"`
	Children      []string       `json:"children" jsonschema:"ids of the nodes below it, in order"`
	Scope         string         `json:"scope" jsonschema:"memex, project/NAME or session/ID"`
	Modified      time.Time      `json:"modified" jsonschema:"when its file was last written"`
	Synced        time.Time      `json:"synced" jsonschema:"when it was read"`
	Unreviewed    bool           `json:"unreviewed,omitempty" jsonschema:"another program changed the file, and its owner has not reviewed that"`
	Handle        string         `json:"handle" jsonschema:"the short name of the node, which every request takes for the id"`
	Missing       string         `json:"missing,omitempty" jsonschema:"that the folder has lost the file, and what brings it back"`
	Backlinks     []Node         `json:"backlinks,omitempty" jsonschema:"the nodes that link to it, by its id or its name, at most 50"`
	BacklinkCount int            `json:"backlink_count,omitempty" jsonschema:"how many nodes link to it"`
	Doubled       string         `json:"doubled,omitempty" jsonschema:"that other nodes declare its ID, and where they are; or whose conflict copy its file is"`
}

// RememberRequest adds a headline.
type RememberRequest struct {
	Title    string   `json:"title" jsonschema:"one line" arg:"TITLE" mcp:",one line"`
	Under    string   `json:"under,omitempty" jsonschema:"the node to stand below, named as in show; or the path of an Org file, made if need be, or of a folder, with a slash at its end, for its file of the month; empty means inbox.org, for an agent its folder" flag:"<NODE>, Org file or folder/ it goes to (default inbox.org)" mcp:",id of a note or path of an .org file; default: your inbox"`
	Todo     string   `json:"todo,omitempty" jsonschema:"keyword" flag:"<KEYWORD> that the file declares" mcp:""`
	Priority string   `json:"priority,omitempty" jsonschema:"letter or number" flag:"<LETTER> or number" mcp:""`
	Tag      []string `json:"tag,omitempty" jsonschema:"tags" flag:"<TAG> it has" mcp:"tags"`
	Property []string `json:"property,omitempty" jsonschema:"each KEY=VALUE" flag:"property it has, as <KEY=VALUE>" mcp:"properties{}"`
	IDPrefix bool     `json:"id_prefix,omitempty" jsonschema:"the ID made for it is id- and a UUID; without it the UUID alone" flag:"make an ID of the form id-UUID, not the UUID alone"`
	Schedule string   `json:"schedule,omitempty" jsonschema:"2026-03-01, with a time or cookies" flag:"<DATE>, such as 2026-03-01, fri or +3d" mcp:"scheduled,2026-03-01"`
	Deadline string   `json:"deadline,omitempty" jsonschema:"likewise" flag:"<DATE>, such as 2026-03-01, fri or +3d" mcp:""`
	Body     string   `json:"body,omitempty" jsonschema:"the text below the headline" mcp:",Org text below the title, no headlines; formulas are text" flag:"@<TEXT> below the headline"`
}

// EditRequest changes one node. Absent fields change nothing; the others apply in this order.
type EditRequest struct {
	ID   string `json:"id" jsonschema:"the node: id, title, path, FILE:LINE or FILE:+BYTE" arg:"NODE" mcp:",id, title or FILE:LINE"`
	Base string `json:"base,omitempty" jsonschema:"the node's digest as it was read; without it whatever is there is changed" flag:"DIGEST" mcp:",digest as read"`

	Check            []int    `json:"check,omitempty" jsonschema:"lines of list items, from 1 in the file, to tick" flag:"tick the list item in this <LINE>" mcp:",lines of items"`
	Uncheck          []int    `json:"uncheck,omitempty" jsonschema:"likewise, to clear" flag:"untick the list item in this <LINE>" mcp:""`
	Todo             *string  `json:"todo,omitempty" jsonschema:"keyword; empty takes it away" flag:"<KEYWORD> that the file declares" mcp:",empty removes"`
	Title            *string  `json:"title,omitempty" jsonschema:"the new one" flag:"<TITLE> without keyword, priority and tags" mcp:""`
	Priority         *string  `json:"priority,omitempty" jsonschema:"letter or number; empty takes it away" flag:"<LETTER> or number" mcp:""`
	Tag              []string `json:"tag,omitempty" jsonschema:"tags to add" flag:"<TAG> to add" mcp:"add_tags"`
	Untag            []string `json:"untag,omitempty" jsonschema:"tags to take away" flag:"<TAG> to take away" mcp:"remove_tags"`
	Property         []string `json:"property,omitempty" jsonschema:"each KEY=VALUE, to set" flag:"property to set, as <KEY=VALUE>" mcp:"properties{},to set"`
	RemoveProperty   []string `json:"remove_property,omitempty" jsonschema:"keys to take away" flag:"<KEY> of a property to take away" mcp:"unset,properties to remove"`
	Schedule         *string  `json:"schedule,omitempty" jsonschema:"2026-03-01, with a time or cookies, or <…>; empty takes it away" flag:"<DATE>, such as 2026-03-01, fri or +3d" mcp:"scheduled"`
	Deadline         *string  `json:"deadline,omitempty" jsonschema:"likewise" flag:"<DATE>, written as for --schedule" mcp:""`
	Body             *string  `json:"body,omitempty" jsonschema:"replaces the text below headline and drawer" mcp:",replaces the text" flag:"@<TEXT> that replaces the text below headline and drawer"`
	Append           *string  `json:"append,omitempty" jsonschema:"goes behind that text" mcp:"" flag:"@<TEXT> to add at the end"`
	AllowSubheadings bool     `json:"allow_subheadings,omitempty" jsonschema:"body and append may hold headlines" flag:"the text may hold headlines"`
}

// EditResponse describes a node after a change.
type EditResponse struct {
	ID      string `json:"id" jsonschema:"the id of the node"`
	Digest  string `json:"digest" jsonschema:"of the own bytes"`
	Version string `json:"version" jsonschema:"the digest of it and all below it"`
	Seq     uint64 `json:"seq" jsonschema:"the number of the commit, 0 if nothing had to change"`
	Path    string `json:"path" jsonschema:"the file, below the memex"`
	Line    int    `json:"line" jsonschema:"in the file, from 1; 0 for a node in no file"`
	Handle  string `json:"handle,omitempty" jsonschema:"the short name of the node, which every request takes for the id"`

	Would  *Difference `json:"would,omitempty" jsonschema:"of a dry run: what would change"`
	Unseen []string    `json:"unseen,omitempty" jsonschema:"what others changed in it and the agent's session had not seen: lines, each after + or -"`

	Proposal string `json:"proposal,omitempty" jsonschema:"nothing was written: the owner decides about the proposal of this id"`
	Doubled  string `json:"doubled,omitempty" jsonschema:"that other nodes declare its ID, and where they are; of forget: where the text still is"`

	Plan *history.Difference `json:"-"` // of a dry run: what would change, nil for nothing

	Known       bool     `json:"known,omitempty" jsonschema:"of remember: memory had it already, and nothing was written"`
	Similar     []string `json:"similar,omitempty" jsonschema:"of remember: ids of nodes that say nearly the same"`
	SimilarFrom float64  `json:"similar_from,omitempty" jsonschema:"the share of words in common from which a node is similar"`
}

// MoveRequest moves a headline with all below it, or removes it.
type MoveRequest struct {
	ID     string `json:"id" jsonschema:"the node: id, title, path, FILE:LINE or FILE:+BYTE" arg:"NODE" mcp:""`
	To     string `json:"to,omitempty" jsonschema:"the node to move below, named likewise; only to refile" arg:"TARGET"`
	Base   string `json:"base,omitempty" jsonschema:"the digest of the node as it was read; without it whatever is there is changed" flag:"DIGEST" mcp:",digest as read"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
}

// AssignRequest names nodes to give an :ID:.
type AssignRequest struct {
	IDs  []string `json:"ids,omitempty" jsonschema:"the nodes, each named as in show" arg:"NODE..."`
	All  bool     `json:"all,omitempty" jsonschema:"every headline without one, below path if set" flag:"every headline that has none"`
	Path string   `json:"path,omitempty" jsonschema:"the file or folder that all means" flag:"with --all: only in this <FILE> or folder"`
	List bool     `json:"list,omitempty" jsonschema:"only list them" flag:"--dry-run only list them"`
}

// StatusRequest asks for the state of the memory.
type StatusRequest struct {
	Diagnostics bool `json:"diagnostics,omitempty" jsonschema:"list them" flag:"list problems found in the files"`
}

// Status is the state that the memory is in.
type Status = fovea.Status

// Problem is something a person may want to look at.
type Problem = document.Problem

// LogRequest asks for the history, of a node when ID is set.
type LogRequest struct {
	ID    string `json:"id,omitempty" jsonschema:"the node, named as in show; without one the history of all" arg:"NODE" mcp:",log, blame: of this note"`
	Limit int    `json:"limit,omitempty" jsonschema:"0 means all" flag:"at most <N> commits (0: all)" mcp:",log: default 20"`
}

// Commit is one durable step of the history.
type Commit struct {
	Seq        uint64    `json:"seq" jsonschema:"the number of the commit"`
	Commit     string    `json:"commit" jsonschema:"the digest that names it"`
	Root       string    `json:"root" jsonschema:"of the state that it made"`
	Author     string    `json:"author" jsonschema:"who made it: owner, file for what was found in files, fovea, or the name of an agent"`
	AuthorKind string    `json:"author_kind" jsonschema:"owner, file, agent or fovea"`
	Session    string    `json:"session" jsonschema:"the session that made it"`
	Time       time.Time `json:"time" jsonschema:"when"`
	Kind       string    `json:"kind" jsonschema:"ingest, edit, rollback, revert, merge, purge, retain, repair or guard"`
	Message    string    `json:"message" jsonschema:"what was done"`
	Changes    int       `json:"changes" jsonschema:"nodes that came, changed or left"`
	Documents  int       `json:"documents,omitempty" jsonschema:"in the state after it"`
	Op         string    `json:"op" jsonschema:"the idempotency key of the request"`
	Paths      []string  `json:"paths,omitempty" jsonschema:"of a commit on the stream of events as it is made: the files that it changed, at most 100"`
	MorePaths  int       `json:"more_paths,omitempty" jsonschema:"how many more files it changed"`
	VouchedBy  string    `json:"said_by,omitempty" jsonschema:"how the author is known: token if a token proves it, asserted if the caller only claimed it, empty if there was no caller, as for changes found in files"`
}

// DiffRequest compares two moments: a snapshot's index or name, a commit (seq:N or its digest), a date, or head.
type DiffRequest struct {
	From string `json:"from,omitempty" jsonschema:"a snapshot's index or name, seq:N, a commit's digest, a date, or head; by default snapshot 0" arg:"FROM" mcp:",diff: snapshot, commit or date; default: newest snapshot"`
	To   string `json:"to,omitempty" jsonschema:"likewise; by default head" arg:"TO" mcp:",diff: default: now"`
	Text bool   `json:"text,omitempty" jsonschema:"with text diffs" flag:"show the lines that changed" mcp:",diff: with changed lines"`
}

// Difference is what changed between two moments.
type Difference struct {
	Added   []Changed `json:"added" jsonschema:"new nodes"`
	Removed []Changed `json:"removed" jsonschema:"removed nodes"`
	Changed []Changed `json:"changed" jsonschema:"nodes with another text"`
	Moved   []Changed `json:"moved" jsonschema:"nodes in another place"`

	Lockdown []string `json:"lockdown,omitempty" jsonschema:"changed files that are withheld: protected, and not as their owner trusts them"`
}

// Changed is a node that was added, removed, changed or moved.
type Changed struct {
	ID    string `json:"id" jsonschema:"the id of the node"`
	Title string `json:"title" jsonschema:"without keyword and tags"`
	Path  string `json:"path" jsonschema:"the file, below the memex"`
	Was   string `json:"was,omitempty" jsonschema:"the path or id it had before"`
	Text  string `json:"text,omitempty" jsonschema:"a unified diff of its own bytes"`
}

// SnapshotRequest keeps the present state, under a name or as an automatic one.
type SnapshotRequest struct {
	Name string `json:"name,omitempty" jsonschema:"without one it is an automatic one" arg:"NAME"`
}

// Snapshot is a state kept for rollback; index 0 is the newest.
type Snapshot = history.Snapshot

// RollbackRequest makes an earlier state the present one.
type RollbackRequest struct {
	To         string `json:"to,omitempty" jsonschema:"as in diff; empty means snapshot 0" arg:"MOMENT" mcp:",snapshot, seq:N or date; default: newest"`
	Skip       bool   `json:"skip,omitempty" jsonschema:"leave out files that changed or are open, and go on" flag:"leave out files that changed or are open, roll back the rest"`
	MemoryOnly bool   `json:"memory_only,omitempty" jsonschema:"leave the files as they are; they differ from memory afterwards" flag:"leave the files alone and remember that they differ"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
	Text       bool   `json:"text,omitempty" jsonschema:"of a dry run: with text diffs"`
	Head       uint64 `json:"head,omitempty" jsonschema:"number that you expect of the newest commit; a newer commit is a conflict"`
}

// RollbackResponse is what a rollback did, or would do.
type RollbackResponse struct {
	Root          string      `json:"root" jsonschema:"the digest of the whole state"`
	Seq           uint64      `json:"seq" jsonschema:"the number of the commit"`
	RestoredFiles []string    `json:"restored_files" jsonschema:"written or removed"`
	RemovedFiles  []string    `json:"removed_files" jsonschema:"removed"`
	Drift         []string    `json:"drift" jsonschema:"with memory_only, files that differ afterwards"`
	Left          []string    `json:"left,omitempty" jsonschema:"with skip, files that were left out, each with the reason"`
	Would         *Difference `json:"would,omitempty" jsonschema:"of a dry run: what would change; empty for an agent"`
}

// RevertRequest reverts the named commits, or those of an author, of a session, or of both together.
type RevertRequest struct {
	Author  string   `json:"author,omitempty" jsonschema:"whose commits: owner, file, fovea, or the name of an agent, as log has it" flag:"take back the commits of this <AUTHOR>" mcp:",revert: all by"`
	Session string   `json:"session,omitempty" jsonschema:"of what session the commits are; with an author both count" flag:"take back the commits of the session <ID>"`
	Since   string   `json:"since,omitempty" jsonschema:"only later ones than this moment: a date, or as in diff" flag:"only those after this <MOMENT>, a date or a commit" mcp:",revert: only later ones"`
	Commits []string `json:"commits,omitempty" jsonschema:"a number, seq:N, or a commit" arg:"COMMIT..." mcp:",revert: seq:N"`
	DryRun  bool     `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing" mcp:",revert: only say what"`
	Text    bool     `json:"text,omitempty" jsonschema:"of a dry run: with text diffs"`
	Skip    bool     `json:"skip,omitempty" jsonschema:"leave out files that changed or are open" flag:"leave out files that changed or are open, revert the rest"`
	Head    uint64   `json:"head,omitempty" jsonschema:"number that you expect of the newest commit; a newer commit is a conflict"`
}

// RevertResponse is what a revert did, or would do.
type RevertResponse struct {
	Merged
	Commits []uint64 `json:"commits" jsonschema:"the reverted ones"`
	Removed []string `json:"removed" jsonschema:"the removed files"`
}

// Merged is what a merge of two states did here, or would do.
type Merged struct {
	Seq       uint64      `json:"seq" jsonschema:"of the commit, 0 if nothing had to change and for a dry run"`
	Root      string      `json:"root" jsonschema:"the digest of the whole state after it"`
	Files     []string    `json:"files" jsonschema:"written or removed; with memory_only those that differ now"`
	Left      []string    `json:"left,omitempty" jsonschema:"files that were left alone, each with the reason"`
	Conflicts []Conflict  `json:"conflicts" jsonschema:"between the two sides"`
	Would     *Difference `json:"would,omitempty" jsonschema:"of a dry run: what would change; empty for an agent"`
}

// Conflict is a field of a node that two sides changed in different ways. The node's text has both values.
type Conflict = document.Conflict

// ResolveRequest ends conflicts that a node keeps.
type ResolveRequest struct {
	ID     string `json:"id" jsonschema:"the node: id, title, path, FILE:LINE or FILE:+BYTE" arg:"NODE" mcp:",resolve: this note"`
	Base   string `json:"base,omitempty" jsonschema:"the digest of the node as it was read; without it whatever is there is changed"`
	Take   string `json:"take,omitempty" jsonschema:"ours, the default: what stands; theirs: what was lost; or the number of one conflict, from 1, whose lost value it is" flag:"<SIDE> to take: ours (the default), theirs, or the number of a conflict" mcp:",resolve: ours or theirs"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
}

// IngestRequest reads what changed in the folder.
type IngestRequest struct {
	AcceptDeletions bool `json:"accept_deletions,omitempty" jsonschema:"also if so many files are gone that it would be held otherwise" flag:"drop documents even if more than half are gone"`
	// Committed is called with each durable commit, Progress with the progress in documents. Both may be nil and are not sent.
	Committed func(Commit)          `json:"-"`
	Progress  func(done, total int) `json:"-"`
}
