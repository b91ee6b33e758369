// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import "strings"

// Words is the name of the arm that ranks nodes by their own words.
const Words = "lexical"

// Hit is a node that a search found. The node is shared and must not be changed.
type Hit struct {
	Node *Node
	Ranked
}

// Contribution is what one arm adds to the score of a node.
type Contribution struct {
	Arm   string
	Score float64
}

// Ranked is a node with the sum of its arms.
type Ranked struct {
	ID string
	Relevance
	Near float64        // the similarity by vectors alone; 0 if they were not compared
	Arms []Contribution // in the order of the arms; they add up to Score
}

// Relevance is how well a node answers a request. Similarity is comparable between requests and
// models.
type Relevance struct {
	Score      float64 `json:"score" jsonschema:"the higher, the better"`
	Similarity float64 `json:"similarity" jsonschema:"share of the question that its words and neighbours cover, 0 to 1, or how far its vector is above chance"`
	Cosine     float64 `json:"cosine,omitempty" jsonschema:"the cosine of the vectors of the node and the question, if they were compared"`
}

// ArmNames returns the names of the arms that contributed to the hit.
func (r Ranked) ArmNames() []string {
	names := make([]string, len(r.Arms))
	for i, c := range r.Arms {
		names[i] = c.Arm
	}
	return names
}

// Reason names the arms other than Words that raise the score of a hit, "" if there are none.
func (r Ranked) Reason() string {
	var names []string
	for _, c := range r.Arms {
		if c.Arm != Words && c.Score > 0 {
			names = append(names, c.Arm)
		}
	}
	return strings.Join(names, ", ")
}
