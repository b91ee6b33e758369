// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/terminal"
	"github.com/fovea-memory/fovea/query"
)

// complain prints an error: as text, or as JSON.
func complain(out *terminal.Console, err error) {
	out.Clear()
	if !out.JSON {
		out.ReportAlways(err.Error())
		if wrong, ok := errors.AsType[*query.SyntaxError](err); ok && wrong.Excerpt() != "" {
			fmt.Fprintln(out.Err, wrong.Excerpt())
		}
		if e, ok := bothSides(err); ok {
			fmt.Fprintf(out.Err, "--- as it is now\n%s\n--- as you would have it\n%s\n",
				strings.TrimRight(e.Theirs, "\n"), strings.TrimRight(e.Mine, "\n"))
		}
		return
	}
	fields := map[string]string{"error": err.Error(), "kind": kindOf(err).String()}
	if e, ok := bothSides(err); ok {
		fields["mine"], fields["theirs"] = e.Mine, e.Theirs
	}
	_ = out.Err.JSON(fields)
}

// bothSides returns err as a conflict that holds both versions.
func bothSides(err error) (*fovea.Error, bool) {
	e, ok := errors.AsType[*fovea.Error](err)
	return e, ok && e.Kind == fovea.Conflict && e.Theirs != ""
}
