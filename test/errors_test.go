// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"testing"

	"github.com/fovea-memory/fovea"
)

func TestErrorsSayThingsOnce(t *testing.T) {
	for _, tc := range []struct {
		err  fovea.Error
		want string
	}{
		{fovea.Error{Op: "open", What: "/notes", Err: errors.New("corpus: open /notes: no such folder")}, "open: /notes: no such folder"},
		{fovea.Error{Op: "query", Err: errors.New("query: column 1: no ) for this (")}, "query: column 1: no ) for this ("},
		{fovea.Error{Op: "context", Err: errors.New("window: budget of 10 tokens")}, "context: budget of 10 tokens"},
		{fovea.Error{Op: "rollback", What: "a.org", Err: errors.New("a.org is a link")}, "rollback: a.org: a.org is a link"},
		{fovea.Error{Op: "log", Err: errors.New("")}, "log: "},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}
