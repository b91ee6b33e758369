// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"github.com/fovea-memory/fovea/internal/view"
)

// View returns an immutable view of the present state: one atomic load.
func (s *Scope) View() *view.View { return s.Chain.Head().Derived.(*view.View) }
