// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/fovea-memory/fovea/api"
)

// TestHolder: each grant has a server of MCP of its own, and none goes without.
func TestHolder(t *testing.T) {
	ada := holder(api.Grant{Agent: "ada", Role: api.Agent}, api.Scopes{})
	if ada == "" {
		t.Error("a grant is served by nobody")
	}
	if again := holder(api.Grant{Agent: "ada", Role: api.Agent}, api.Scopes{}); again != ada {
		t.Errorf("the same grant is %q and %q", ada, again)
	}
	for name, other := range map[string]string{
		"agent":   holder(api.Grant{Agent: "eve", Role: api.Agent}, api.Scopes{}),
		"role":    holder(api.Grant{Agent: "ada", Role: api.Reader}, api.Scopes{}),
		"session": holder(api.Grant{Agent: "ada", Role: api.Agent}, api.Scopes{Session: "s"}),
	} {
		if other == ada {
			t.Errorf("another %s has the same server", name)
		}
	}
}
