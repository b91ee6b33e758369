// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxName is the longest name of a file or folder in bytes that is made here. File systems take
// 255, of which what is written beside a file until it is whole needs some.
const maxName = 200

// Fit returns a path in which no name is too long for a file system. It cuts a longer name and
// adds a digest of the whole name, before the ending.
func Fit(at string) string {
	names := strings.Split(at, "/")
	for i, name := range names {
		if len(name) <= maxName {
			continue
		}
		stem, end := name, ""
		if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 16 {
			stem, end = name[:dot], name[dot:]
		}
		sum := fmt.Sprintf("-%x", sha256.Sum256([]byte(name)))[:9]
		names[i] = cutText(stem, maxName-len(sum)-len(end)) + sum + end
	}
	return strings.Join(names, "/")
}

// Fold returns one text for all paths that some file systems treat as the same: those that
// differ only in case or in how an accent is composed.
func Fold(at string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(at))) }

// distinct returns a name with a digest of what it is the name of.
func distinct(stem, of string) string {
	return fmt.Sprintf("%s-%x", stem, sha256.Sum256([]byte(of)))[:len(stem)+9]
}

// Distinct returns another path, which ends with .org, for a note whose path is taken: it has a
// digest of the source.
func Distinct(at, source string) string {
	return distinct(strings.TrimSuffix(at, ".org"), source) + ".org"
}
