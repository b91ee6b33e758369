// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"

	"github.com/fovea-memory/fovea/internal/share"
)

// Holder is the same text for all grants that allow the same to the same one, and another
// for any two that do not. What is kept for one who asks is kept under it.
func (g Grant) Holder() string {
	text, err := json.Marshal(g)
	if err != nil {
		panic("api: a grant is plain data: " + err.Error())
	}
	return string(text)
}

// Bearer says whose shares of a daemon a caller takes. The name of an agent counts where a
// token vouches for it; a program that comes with what is the owner's is the owner here,
// whatever it calls itself, so that invented names make no new bearers.
func (g Grant) Bearer() share.Bearer {
	if g.Vouched && g.Role != Owner {
		return share.Agent(g.Agent)
	}
	return share.Owner
}
