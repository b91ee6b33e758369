// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import "context"

// ForgottenRequest names notes that somebody would bring in.
type ForgottenRequest struct {
	Notes []NoteText `json:"notes"`
}

// NoteText is what a note says.
type NoteText struct {
	Title string `json:"title"`
	Body  string `json:"body,omitempty"`
}

// ForgottenResponse lists the notes that were forgotten, by their places in the
// request, counted from 0: but for case, white space and Unicode form, somebody took
// such a one away, and nobody has brought it back since.
type ForgottenResponse struct {
	Notes []int `json:"notes"`
}

func (l *local) Forgotten(ctx context.Context, req ForgottenRequest) (*ForgottenResponse, error) {
	if err := l.sync(ctx); err != nil {
		return nil, err
	}
	out := &ForgottenResponse{Notes: []int{}}
	for i, n := range req.Notes {
		if l.m.Forgotten(n.Title, n.Body) {
			out.Notes = append(out.Notes, i)
		}
	}
	return out, nil
}
