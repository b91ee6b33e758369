// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"errors"
	"strings"

	"github.com/fovea-memory/fovea/window"
)

// errRecalled refuses what a window said.
var errRecalled = errors.New("it is text that was recalled; keep what is new, in words of its own")

// Unrecalled cuts out of a text what Fovea itself has answered with, between its
// fences, so that it is not remembered again. A text that has a window without
// fences, or nothing besides recalled text, is refused.
func Unrecalled(text string) (string, error) {
	var b strings.Builder
	rest := text
	for {
		before, after, found := strings.Cut(rest, window.FenceNote+"\n")
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
	kept := b.String()
	if strings.Contains(kept, strings.TrimSpace(window.Notice)) || strings.TrimSpace(kept) == "" && strings.TrimSpace(text) != "" {
		return "", errRecalled
	}
	return kept, nil
}
