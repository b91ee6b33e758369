// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"strconv"
	"strings"
)

// maxIndent is the deepest indentation of an outline.
const maxIndent = 8

// maxImports is the number of imports that an outline names.
const maxImports = 12

// Text returns the outline of src: its package, its imports, and what it defines, one in a
// line, indented below what it belongs to, with the number of its line in src. It is "" if
// src defines nothing that is known.
func Text(language string, src []byte) string {
	var b strings.Builder
	var imports []string
	for _, d := range scan(language, src) {
		switch d.Kind {
		case kindImport:
			imports = append(imports, d.Name)
			continue
		}
		if imports != nil {
			writeImports(&b, imports)
			imports = nil
		}
		b.WriteString(strconv.Itoa(d.Line))
		b.WriteByte(' ')
		for range min(d.Depth, maxIndent) {
			b.WriteString("  ")
		}
		b.WriteString(d.Signature)
		b.WriteByte('\n')
	}
	writeImports(&b, imports)
	return b.String()
}

// writeImports writes one line with the names of imports.
func writeImports(b *strings.Builder, imports []string) {
	if len(imports) == 0 {
		return
	}
	b.WriteString("import ")
	b.WriteString(strings.Join(imports[:min(len(imports), maxImports)], ", "))
	if more := len(imports) - maxImports; more > 0 {
		b.WriteString(", … " + strconv.Itoa(more) + " more")
	}
	b.WriteByte('\n')
}
