// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"context"

	"github.com/fovea-memory/fovea/api"
)

// OpForgotten tells which notes were forgotten.
var OpForgotten = api.DefineOn(api.Operation{Name: "forgotten", Scan: true,
	Summary: "Say which notes were forgotten, so that an import leaves them out"}, findForgotten)

// ForgottenRequest names notes that somebody would bring in.
type ForgottenRequest struct {
	Notes []NoteText `json:"notes" jsonschema:"that somebody would bring in"`
}

// NoteText is what a note says.
type NoteText struct {
	Title string `json:"title" jsonschema:"of the headline"`
	Body  string `json:"body,omitempty" jsonschema:"the text below it"`
}

// ForgottenResponse lists the notes that were forgotten, by their places in the
// request, counted from 0: but for case, white space and Unicode form, somebody took
// such a one away, and nobody has brought it back since.
type ForgottenResponse struct {
	Notes []int `json:"notes" jsonschema:"those that were forgotten: places in the request, from 0"`
}

func findForgotten(ctx context.Context, a api.Access, req ForgottenRequest) (*ForgottenResponse, error) {
	out := &ForgottenResponse{Notes: []int{}}
	for i, n := range req.Notes {
		if a.On().Notes().Forgotten(n.Title, n.Body) {
			out.Notes = append(out.Notes, i)
		}
	}
	return out, nil
}
