// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import "time"

// Request adds blocks to the working memory of an agent, and those that its actions leave.
type Request struct {
	Agent   string
	Home    string // what $HOME in a path stands for
	Blocks  []Block
	Actions []Action
	Remove  []string // ids of blocks that leave in the same commit
	Now     time.Time
}

// Added is a block that was added, or why it was not.
type Added struct {
	ID    string `json:"id" jsonschema:"the id of the block"`
	Error string `json:"error,omitempty" jsonschema:"why this block was not added"`
}

// Change is what one call does to the working memory of an agent.
type Change struct {
	Agent string
	// Put are complete blocks; one with the id of another replaces it.
	Put []Block
	// Remove are ids, or how they begin. One that is unknown is NotFound, and nothing is done.
	Remove []string
	// Score changes what a block counts. One that is unknown is NotFound.
	Score *Score
	// Sweep also removes what leaves by itself, see Block.Leaves.
	Sweep bool
}

// Score is what a block counts.
type Score struct {
	ID         string   `json:"id" jsonschema:"of the block" arg:"ID"`
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"0 to 1"`
	Priority   Priority `json:"priority,omitempty" jsonschema:"critical, high, medium or low"`
}
