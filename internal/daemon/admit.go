// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Address says where a daemon listens on the loopback interface, and has a secret
// that stands for the person.
type Address struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

// ReadAddress reads where the daemon of a state folder listens.
func ReadAddress(stateDir string) (Address, error) {
	var a Address
	text, err := vfs.ReadPlain(filepath.Join(stateDir, addressName))
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err
}

func writeAddress(name string, a Address) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return config.PutSecret(name, append(text, '\n'))
}

func newSecret() string { return rand.Text() }

// overSocket admits the user whom the listener has let through: as the person, in
// the name of an agent, or as an agent that is held to what agents may do.
func (d *daemon) overSocket(r *http.Request) (api.Grant, error) {
	if len(r.Header.Values("Authorization")) == 0 {
		return d.asserted(r)
	}
	return d.overTCP(r) // who shows a token is held to it, also where it is none
}

// overTCP admits who has a token.
func (d *daemon) overTCP(r *http.Request) (api.Grant, error) {
	secret, ok := bearer(r)
	if !ok {
		return api.Grant{}, errors.New("send a token: Authorization: Bearer TOKEN; fovea token makes one")
	}
	return d.byToken(r, secret)
}

// bearer returns the token of a request. The word before it may be in any case.
func bearer(r *http.Request) (string, bool) {
	scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return secret, ok && strings.EqualFold(scheme, "bearer")
}

// byToken admits who has the secret of this run, or one that the person has given
// away: the name is the token's then, whatever the request says.
func (d *daemon) byToken(r *http.Request, secret string) (api.Grant, error) {
	if d.secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(d.secret)) == 1 {
		return d.asserted(r)
	}
	tokens, err := config.ReadTokens(nil)
	if err != nil {
		return api.Grant{}, err
	}
	t, err := tokens.Find(secret)
	if err != nil {
		return api.Grant{}, err
	}
	if err := mayBear(t.Agent); err != nil {
		return api.Grant{}, fmt.Errorf("token %s: %w; fovea token remove takes it away, fovea token add makes one for another name", t.Name, err)
	}
	g := d.grant(t.Agent, api.Role(t.Role))
	g.Vouched, g.Scopes, g.Paths = true, t.Scopes, slices.Concat(g.Paths, t.Paths)
	return g, nil
}

// asserted believes what a request says of itself. Who names an agent and no role comes as
// that agent.
func (d *daemon) asserted(r *http.Request) (api.Grant, error) {
	agent := r.Header.Get(api.HeaderAgent)
	if err := mayBear(agent); err != nil {
		return api.Grant{}, fmt.Errorf("%s: %w", api.HeaderAgent, err)
	}
	switch role := api.Role(r.Header.Get(api.HeaderRole)); {
	case role == "" && agent == "":
		return d.grant("", api.Owner), nil
	case role == "":
		return d.grant(agent, api.Agent), nil
	case slices.Contains([]api.Role{api.Owner, api.Agent, api.Keeper, api.Reader}, role):
		return d.grant(agent, role), nil
	default:
		return api.Grant{}, fmt.Errorf("%s: %q is no role", api.HeaderRole, role)
	}
}

// mayBear refuses a name that no agent may bear; "" is none.
func mayBear(agent string) error {
	if agent == "" {
		return nil
	}
	return author.Check(agent)
}

// grant adds what the configuration lets an agent do.
func (d *daemon) grant(agent string, role api.Role) api.Grant {
	more := d.opts.Config.Grants[agent]
	return api.Grant{Agent: agent, Role: role, Paths: more.Paths, Operations: more.Operations, Protected: d.opts.Memory.Protected}
}
