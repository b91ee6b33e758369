// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/config"
)

// Address is the daemon's URL on the loopback interface and a secret that authenticates the
// owner.
type Address struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

// overSocket admits the only user who can enter the socket's folder, as the owner, as an agent, or
// as the owner in an agent's name.
func (d *daemon) overSocket(r *http.Request) (api.Grant, error) {
	if len(r.Header.Values("Authorization")) == 0 {
		return d.asserted(r)
	}
	return d.overTCP(r) // a token takes precedence, even an invalid one
}

// overTCP admits the bearer of this run's secret or of a token. The token's agent overrides the one
// in the request. The case of the scheme does not matter.
func (d *daemon) overTCP(r *http.Request) (api.Grant, error) {
	scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "bearer") {
		return api.Grant{}, errors.New("send a token: Authorization: Bearer TOKEN; fovea token makes one")
	}
	if d.secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(d.secret)) == 1 {
		return d.asserted(r)
	}
	tokens, err := config.ReadTokens()
	if err != nil {
		return api.Grant{}, err
	}
	t, err := tokens.Find(secret)
	if err != nil {
		return api.Grant{}, err
	}
	g, err := d.grant(t.Agent, api.Role(t.Role))
	if err != nil {
		return g, fmt.Errorf("token %s: %w; remove it with fovea token remove, and create one for another name with fovea token add", t.Name, err)
	}
	g.Vouched, g.Scopes, g.Paths = true, t.Scopes, slices.Concat(g.Paths, t.Paths)
	return g, nil
}

// asserted trusts the headers of a request. An agent's name without a role means the role
// agent.
func (d *daemon) asserted(r *http.Request) (api.Grant, error) {
	agent, role := r.Header.Get(api.HeaderAgent), api.Role(r.Header.Get(api.HeaderRole))
	switch {
	case role == "" && agent == "":
		role = api.Owner
	case role == "":
		role = api.Agent
	}
	if !slices.Contains([]api.Role{api.Owner, api.Agent, api.Keeper, api.Reader}, role) {
		return api.Grant{}, fmt.Errorf("%s: %q is not a role", api.HeaderRole, role)
	}
	g, err := d.grant(agent, role)
	if err != nil {
		err = fmt.Errorf("%s: %w", api.HeaderAgent, err)
	}
	return g, err
}

// grant returns the grant of an agent, "" for none, with its rights from the configuration. It rejects an invalid name.
func (d *daemon) grant(agent string, role api.Role) (api.Grant, error) {
	if agent != "" {
		if err := author.Check(agent); err != nil {
			return api.Grant{}, err
		}
	}
	return d.terms.now.Load().config.Rights(agent, role), nil
}
