// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"path"
	"strings"
)

// BaseName returns the name of a document without a title: its file name without folder
// and extension.
func BaseName(p string) string {
	b := path.Base(p)
	return strings.TrimSuffix(b, path.Ext(b))
}
