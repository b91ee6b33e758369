// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"errors"
	"strings"

	"github.com/fovea-memory/fovea/window/render"
)

// errRecalled is returned for the text of a window.
var errRecalled = errors.New("it is text that was recalled; keep what is new, in words of its own")

// StripRecalled removes the fenced output of Fovea from a text, so that it is not
// remembered again. It returns an error for a text with an unfenced window, or with
// nothing but recalled text.
func StripRecalled(text string) (string, error) {
	var b strings.Builder
	rest := text
	for {
		before, after, found := strings.Cut(rest, render.FenceNote+"\n")
		b.WriteString(before)
		if !found {
			break
		}
		fence, inside, _ := strings.Cut(after, "\n")
		if len(fence) < 3 || strings.Trim(fence, "`") != "" {
			rest = after
			continue
		}
		_, rest, found = strings.Cut("\n"+inside, "\n"+fence)
		if !found {
			break
		}
	}
	remaining := b.String()
	if strings.Contains(remaining, strings.TrimSpace(render.Notice)) || strings.TrimSpace(remaining) == "" && strings.TrimSpace(text) != "" {
		return "", errRecalled
	}
	return remaining, nil
}
