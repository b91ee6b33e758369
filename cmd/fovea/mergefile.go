// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/org"
)

// errUnmerged ends merge-file with the exit code that git reads as a conflict.
var errUnmerged = errors.New("conflicts were kept in the file")

func mergeFileCommand(s *session) *cobra.Command {
	var m fileMerge
	c := &cobra.Command{
		Use:   "merge-file BASE OURS THEIRS",
		Short: "Merge two versions of an Org file, as a merge driver of git too",
		Long: `Merge-file merges OURS and THEIRS, which both came from BASE, and writes the
result to OURS: note by note and field by field, text by lines. If both changed
the same thing, both versions are kept, one of them in a drawer of the note, and
the exit code is 1. A file that is not Org is left to git.`,
		Example: `  fovea merge-file base.org ours.org theirs.org --output -
  git config merge.fovea.driver 'fovea merge-file %O %A %B --path %P'
  echo '*.org merge=fovea' >> .gitattributes`,
		Args: cli.Args(3, 3, "three files: BASE, OURS and THEIRS"),
		RunE: func(_ *cobra.Command, a []string) error {
			text, told, err := m.run(a)
			if err != nil {
				return err
			}
			if m.Output == "-" {
				_, err = s.Out.Write([]byte(text))
			} else {
				err = os.WriteFile(cmp.Or(m.Output, a[1]), []byte(text), 0o666)
			}
			for _, line := range told {
				s.Report("%s", line)
			}
			if err == nil && len(told) > 0 {
				err = errUnmerged
			}
			return err
		},
	}
	cli.AddFlags(c.Flags(), &m)
	return c
}

type fileMerge struct {
	Output string `flag:"--output write to this <FILE> instead of OURS; - is standard output"`
	Path   string `flag:"--path <NAME> of the file, whose extension shows whether it is Org; by default it is"`
	Marker int    `flag:"--marker-size <LENGTH> of marks, which a merged Org file does not have; git may give it"`
}

// run merges three files and returns the conflicts.
func (m *fileMerge) run(files []string) (text string, told []string, err error) {
	var texts [3]string
	for i, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			return "", nil, cli.Misuse{Err: err}
		}
		if texts[i] = string(b); strings.Contains(texts[i], "\x00") {
			return "", nil, cli.Misusef("merge-file: %s is not text; choose one of the versions", name)
		}
	}
	formats := document.Formats{org.Format{}}
	if m.Path != "" && !formats.Owns(m.Path) {
		return "", nil, cli.Misusef("merge-file: %s is not Org, and stays as it is; name only *.org and *.org_archive "+
			"in .gitattributes", m.Path)
	}
	text, conflicts := graph.MergeFile(formats, "merge.org", texts[0], texts[1], texts[2], blob)
	for _, c := range conflicts {
		told = append(told, fmt.Sprintf("%s: %s is in conflict", cmp.Or(m.Path, files[1]), c.Field))
	}
	return text, told, nil
}

// blob returns the abbreviated git object name of a version, for git show.
func blob(text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	return fmt.Sprintf("git blob %x", sum[:6])
}
