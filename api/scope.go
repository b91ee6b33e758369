// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/fault"
)

// aboutOne reports whether a call is about one scope: its history, or an earlier moment of it (At).
func (c Call) aboutOne() bool {
	at := reflect.ValueOf(c.Request).FieldByName("At")
	return c.Op.History || at.IsValid() && !at.IsZero()
}

// Scopes returns the scopes of a request. Those that it does not name come from the options, if the caller's grant covers them.
func (l *Local) Scopes(ctx context.Context) Scopes {
	named, g := author.ScopesOf(ctx), author.GrantOf(ctx)
	if named.Project == "" && g.Reaches(author.ProjectPrefix+l.Options.Project) {
		named.Project = l.Options.Project
	}
	if named.Session == "" && g.Reaches(author.SessionPrefix+l.Options.Session) {
		named.Session = l.Options.Session
	}
	return named
}

// Done is a call of an agent that was answered.
type Done struct {
	Memex   *fovea.Memory
	Agent   string
	Session string // the scope with the agent's own data
	Call    Call
	Answer  any
	Time    time.Time
}

// Serve performs a call on the scopes that it names.
func (l *Local) Serve(ctx context.Context, c Call) (any, error) {
	on := *l
	c.DryRun = c.DryRun || IsDryRun(c.Request)
	if text, _ := flag(c.Request, "Text"); text && !c.DryRun {
		if _, can := flag(c.Request, "DryRun"); can {
			return nil, fault.Invalidf(c.Op.Name, "text is for a dry run; say dry_run, too")
		}
	}
	on.Call, on.Over = c, l.Scopes(ctx).Names()
	if len(on.Over) > 0 && c.aboutOne() {
		var err error
		if on.On, err = narrowest(ctx, &on, on.Over); err != nil {
			return nil, err
		}
	}
	answer, err := c.Op.run(ctx, &on, c.Request)
	if err != nil && !c.DryRun { // a repeated request may name a node that the first one renamed or removed
		if r, replayErr := replay(ctx, &on, c); r != nil && replayErr == nil {
			answer, err = r.Answer, r.Err
		}
	}
	if len(on.Over) > 0 && err == nil { // a damaged history cannot be written, and the answer lacks its notes
		if broken := l.Memex.Writable(on.Over...); broken != nil {
			on.Warn(fmt.Errorf("%w; see fovea verify", broken))
		}
	}
	if err == nil && !c.Further && !c.DryRun && l.Options.Did != nil {
		if agent, session := l.agentAndSession(ctx, ""); agent != "" {
			l.Options.Did(ctx, Done{l.Memex, agent, session, c, answer, l.Options.Now()})
		}
	}
	return answer, err
}

// warnOthers warns which scopes an operation on a history did not cover. Those whose names begin with covered were covered.
func (l *Local) warnOthers(covered ...string) {
	others, err := l.Memex.Scopes()
	about := l.On.Status().Scope
	if about != "memex" {
		others = append([]string{"memex"}, others...)
	}
	others = slices.DeleteFunc(others, func(name string) bool {
		return name == about || slices.ContainsFunc(covered, func(kind string) bool { return strings.HasPrefix(name, kind) })
	})
	if err == nil && len(others) > 0 {
		l.Warn(fmt.Errorf("%s covered %s alone, not %s", l.Call.Op.Name, about, strings.Join(others, ", ")))
	}
}

// narrowest returns the memory of the last scope that exists. A session counts if something was ingested into
// it; records about agents are not enough.
func narrowest(ctx context.Context, l *Local, scopes []string) (*fovea.Memory, error) {
	if _, err := l.Memex.Over(ctx, scopes...); err != nil { // names that cannot be
		return nil, err
	}
	there, err := l.Memex.Scopes()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Backward(scopes) {
		if slices.Contains(there, name) {
			if m, err := l.Memex.Scope(ctx, name); err != nil || !recordedOnly(m) {
				return m, err
			}
		}
	}
	return l.Memex, nil
}

// InScope returns the same call on the memory of a scope; a session is created if need be.
func (l *Local) InScope(ctx context.Context, scope string) (*Local, error) {
	on := *l
	var err error
	on.On, err = l.Memex.Scope(ctx, scope)
	return &on, err
}

// In returns the same call in the scopes of a context.
func (l *Local) In(ctx context.Context) *Local {
	on := *l
	on.Over = on.Scopes(ctx).Names()
	return &on
}

type (
	// Role is the role of a caller.
	Role = author.Role
	// Grant names a caller and what that caller may do.
	Grant = author.Grant
	// Scopes are laid over the memex for a call.
	Scopes = author.Scopes
)

// The roles.
const (
	Owner  = author.RoleOwner
	Agent  = author.RoleAgent
	Reader = author.RoleReader
	Keeper = author.RoleKeeper
)

// BearerOf returns the bearer whose shares of a daemon a caller uses: an agent if a token vouches for its name,
// else the owner, so that a program cannot get more shares by inventing names.
func BearerOf(g Grant) bound.Bearer {
	if g.Vouched && g.Role != Owner {
		return bound.Agent(g.Agent)
	}
	return bound.Owner
}

// As returns a Service whose calls are made by the holder of a grant, see author.WithGrant.
func As(svc Service, g Grant) Service {
	return func(ctx context.Context, c Call) (any, error) { return svc(author.WithGrant(ctx, g), c) }
}
