// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/share"
)

// actor is the holder of the grant as the memory knows it. An agent has no rights by that,
// but where it is the owner who writes in its name.
func (g *Grant) actor() author.Actor {
	a := author.Actor{Author: g.author(), Vouched: g.Vouched}
	if g.Role == Owner && g.Agent != "" {
		a.May, a.Renames = func(string) error { return nil }, true
	}
	return a
}

// author is whose name the commits of the grant's holder bear. Who has another role
// than that of the owner is an agent, also without a name.
func (g *Grant) author() author.Author {
	if g.Role == Owner && g.Agent == "" {
		return author.Author{Kind: author.Owner}
	}
	return author.Named(g.Agent)
}

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
