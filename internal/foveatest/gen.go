// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// headlineBytes is an upper bound for the size of a generated headline.
const headlineBytes = 800

// todoLine declares the keywords that every generated file uses.
const todoLine = "#+TODO: TODO NEXT | DONE\n"

// GenTree returns an Org file with a forest of n headlines, depth first in document
// order. Nodes 0 to 9 are at level 1; the parent of node i, i >= 10, is node i/10-1.
// Every headline has an :ID: node-NNNNNNN, three more properties and a body line of at
// least 500 bytes. n <= 0 gives a file without headlines. O(n).
func GenTree(n int) string {
	var b strings.Builder
	b.Grow(len(todoLine) + max(n, 0)*headlineBytes)
	b.WriteString(todoLine)
	var walk func(i, level int)
	walk = func(i, level int) {
		writeHeadline(&b, i, level, false)
		for c := 10 * (i + 1); c < min(n, 10*(i+2)); c++ {
			walk(c, level+1)
		}
	}
	for i := range min(10, n) {
		walk(i, 1)
	}
	return b.String()
}

// GenFile returns file f of a set of files with per headlines each: a drawer with the ID
// file-NNNNN, a title, then the nodes f*per to f*per+per-1. Within the file, node 0 is at
// level 1 and the parent of node j, j >= 1, is node (j-1)/3. Every body except that of
// node 0 of the set ends with an id link to a node with a lower number, in this file or
// an earlier one. O(per).
func GenFile(f, per int) string {
	var b strings.Builder
	b.Grow(200 + max(per, 1)*headlineBytes)
	fmt.Fprintf(&b, ":PROPERTIES:\n:ID: file-%05d\n:END:\n#+title: ", f)
	writeWords(&b, uint64(f), 900, 20)
	b.WriteString("\n" + todoLine + "\n")
	var walk func(j, level int)
	walk = func(j, level int) {
		writeHeadline(&b, f*per+j, level, true)
		for c := 3*j + 1; c < min(per, 3*j+4); c++ {
			walk(c, level+1)
		}
	}
	walk(0, 1)
	return b.String()
}

// GenFiles writes GenFile(0, per) to GenFile(files-1, per) as f00000.org,
// f00001.org and so on into dir, which it creates if missing. 2,000 files of 10
// headlines take well under a second.
func GenFiles(dir string, files, per int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("generate files: %w", err)
	}
	for f := range files {
		name := filepath.Join(dir, fmt.Sprintf("f%05d.org", f))
		if err := os.WriteFile(name, []byte(GenFile(f, per)), 0o644); err != nil {
			return fmt.Errorf("generate files: %w", err)
		}
	}
	return nil
}

// writeHeadline writes node i: its stars, keyword, title, tags, drawer and body, and if
// link is set, a line with a link to an earlier node.
func writeHeadline(b *strings.Builder, i, level int, link bool) {
	b.WriteString(strings.Repeat("*", level) + " " + todo(i))
	writeWords(b, uint64(i), 500, 24)
	b.WriteString(tags(i))
	fmt.Fprintf(b, "\n:PROPERTIES:\n:ID: node-%07d\n:CREATED: [2026-%02d-%02d]\n:EFFORT: %d:%02d\n:CATEGORY: cat-%02d\n:END:\n",
		i, 1+i%12, 1+i%28, i%8, 7*i%60, i%50)
	writeWords(b, uint64(i), 0, 500)
	b.WriteByte('\n')
	if link && i > 0 {
		fmt.Fprintf(b, "See [[id:node-%07d][link]].\n", mix(uint64(i))%uint64(i))
	}
}

// todo returns the keyword of node i followed by a space, or "".
func todo(i int) string {
	switch {
	case i < 10:
		return ""
	case i%7 == 3:
		return "TODO "
	case i%7 == 5:
		return "DONE "
	case i%29 == 0:
		return "NEXT "
	}
	return ""
}

// tags returns the tags of node i as written at the end of a headline, or "".
func tags(i int) string {
	var t string
	if i < 10 {
		t += "project:"
	}
	if i%11 == 0 {
		t += "work:"
	}
	if i%13 == 0 {
		t += "home:"
	}
	if t == "" {
		return ""
	}
	return " :" + t
}
