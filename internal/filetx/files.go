// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package filetx

import (
	"github.com/fovea-memory/fovea/internal/rights"
	"github.com/fovea-memory/fovea/internal/scope"
)

// Files changes the files of a scope together with its memory.
type Files struct {
	scope  *scope.Scope
	rights *rights.Rules
}

// New returns the Files of a scope.
func New(s *scope.Scope, r *rights.Rules) *Files { return &Files{scope: s, rights: r} }
