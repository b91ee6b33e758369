// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"sync/atomic"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/guard"
)

// Rules say who may write which file of a scope. They are safe for concurrent use.
type Rules struct {
	scope   *Scope
	Policy  *guard.Policy                 // which files are protected
	slot    chain.Slot[Trust]             // what the owner trusts
	watched atomic.Pointer[protectedDocs] // of the last state asked for
}

// NewRules returns the rules of a scope.
func NewRules(s *Scope, policy *guard.Policy) *Rules { return &Rules{scope: s, Policy: policy} }
