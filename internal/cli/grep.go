// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// grepFormat is the value of --format for the FILE:LINE:COLUMN lines that editors parse.
const grepFormat = "grep"

// formatFlag adds --format to a verb that lists nodes.
func formatFlag(c *cobra.Command, format *string) {
	c.Flags().StringVar(format, "format", "", "`FORMAT` of the list: grep prints FILE:LINE:COLUMN: TEXT for editors")
	OneOf(c, "format", grepFormat)
}

// takeFormat makes a list one for editors if the format is grep. It refuses other formats, and one with --json.
func takeFormat(s *Session, format string) error {
	switch {
	case format == "":
	case format != grepFormat:
		return Misusef("--format is grep, not %q", format)
	case s.JSON:
		return Misusef("choose one of --format and --json")
	default:
		dir, _ := os.Getwd() // without it paths are absolute
		s.jump = func(path, text string) string {
			return jumpPath(dir, filepath.Join(s.Memex(), filepath.FromSlash(path)), text)
		}
	}
	return nil
}

// ambiguous matches a text that Emacs could read as a line number.
var ambiguous = regexp.MustCompile(`^[ \t]*[0-9]+[:.]`)

// jumpPath returns file relative to dir. If text matches ambiguous, it adds ./ to a bare name: Emacs
// takes a word for a program's name if FILE:LINE seems to follow its colon.
func jumpPath(dir, file, text string) string {
	rel, err := filepath.Rel(dir, file)
	switch {
	case err != nil:
		return file
	case !strings.ContainsRune(rel, filepath.Separator) && ambiguous.MatchString(text):
		return "." + string(filepath.Separator) + rel
	}
	return rel
}
