// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/internal/view"
)

// The operations by which the owner follows what agents write.
var (
	OpNews = api.Define(api.Operation{Name: "news",
		Summary: "List what agents wrote since the owner last looked, by session"}, readNews)
	OpNewsSeen = api.Define(api.Operation{Name: "news-seen", Effect: api.Mends,
		Summary: "Record up to which commits the owner has seen what agents wrote"}, noteSeen)
)

// maxNews is the maximum number of commits of a scope in News, the newest ones.
const maxNews = 1000

// News is what agents wrote since the owner last looked.
type News struct {
	Since    time.Time         `json:"since,omitzero" jsonschema:"when the owner last looked; absent for never"`
	Sessions []SessionNews     `json:"sessions" jsonschema:"by agent and session, the one that wrote last at the end"`
	Waiting  []WaitingChanges  `json:"waiting" jsonschema:"proposals that wait for the owner, by agent"`
	Earlier  uint64            `json:"earlier,omitempty" jsonschema:"the number of older commits since then, which are left out"`
	UpTo     map[string]uint64 `json:"upto" jsonschema:"the newest commit of each scope; pass it to news-seen when the owner has seen the answer"`
}

// SessionNews is what an agent wrote in a session.
type SessionNews struct {
	Agent   string       `json:"agent" jsonschema:"who wrote"`
	Session string       `json:"session,omitempty" jsonschema:"of the agent; absent for none"`
	Scope   string       `json:"scope" jsonschema:"whose history has the commits: memex, or a project"`
	Commits []api.Commit `json:"commits" jsonschema:"oldest first"`
}

// WaitingChanges counts the proposals of an agent.
type WaitingChanges struct {
	Agent     string    `json:"agent" jsonschema:"who proposes"`
	Proposals int       `json:"proposals" jsonschema:"how many wait"`
	Oldest    time.Time `json:"oldest" jsonschema:"when the oldest was made"`
}

// NewsSeenRequest is the position up to which the owner has seen what agents wrote.
type NewsSeenRequest struct {
	UpTo map[string]uint64 `json:"upto" jsonschema:"the upto of an answer of news: the number of a commit for each scope"`
}

// NewsSeenResponse is the position up to which the owner has looked.
type NewsSeenResponse struct {
	UpTo map[string]uint64 `json:"upto" jsonschema:"the newest commit seen of each scope that the request names"`
}

// byOwner refuses everybody but the owner.
func byOwner(ctx context.Context, a *api.Local, op string) error {
	if !a.ByOwner(ctx) || author.AgentOf(ctx) != "" {
		return fault.Errorf(op, "", fault.Denied, "only the owner may ask this")
	}
	return nil
}

// followed lists the scopes whose files agents write: the memex, and its projects that the caller's grant covers.
func followed(ctx context.Context, a *api.Local) ([]string, error) {
	all, err := a.Memex.Scopes()
	g := author.GrantOf(ctx)
	all = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !strings.HasPrefix(name, author.ProjectPrefix) || !g.Reaches(name) })
	return append([]string{"memex"}, all...), err
}

func readNews(ctx context.Context, a *api.Local, _ api.None) (*News, error) {
	if err := byOwner(ctx, a, "news"); err != nil {
		return nil, err
	}
	v, err := a.View(ctx) // to read the folder first
	if err != nil {
		return nil, err
	}
	last, err := fovea.HiveOf(a.Memex).Owner.Seen()
	if fovea.KindOf(err) == fovea.Corrupt {
		a.Warn(fmt.Errorf("everything is listed again: %w", err))
	} else if err != nil {
		return nil, err
	}
	scopes, err := followed(ctx, a)
	if err != nil {
		return nil, err
	}
	out := &News{Since: last.Time, Sessions: []SessionNews{}, UpTo: map[string]uint64{}}
	for _, name := range scopes {
		if err := out.add(ctx, a, v, name, last.UpTo[name]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out.Sessions, func(x, y SessionNews) int { return x.newest().Compare(y.newest()) })
	out.Waiting, err = waiting(ctx, a)
	return out, err
}

// newest returns the time of the last commit of a session.
func (s *SessionNews) newest() time.Time { return s.Commits[len(s.Commits)-1].Time }

// add adds what agents wrote in a scope after a commit.
func (n *News) add(ctx context.Context, a *api.Local, v *view.View, scope string, after uint64) error {
	on, err := a.InScope(ctx, scope)
	if err != nil {
		return err
	}
	head := on.On.View().Head().Seq
	after = min(after, head) // a restored history uses the numbers again
	var commits []api.Commit
	for head > after {
		if commits, err = on.Log(ctx, v, "", int(min(head-after, maxNews))); err != nil {
			return err
		}
		if commits[0].Seq == head {
			break
		}
		head = commits[0].Seq // others committed meanwhile: read again
	}
	n.UpTo[scope], n.Earlier = head, n.Earlier+head-after-min(head-after, maxNews)
	for _, c := range slices.Backward(commits) {
		if c.AuthorKind != author.Agent.String() || c.Seq <= after {
			continue
		}
		same := func(s SessionNews) bool { return s.Agent == c.Author && s.Session == c.Session && s.Scope == scope }
		i := slices.IndexFunc(n.Sessions, same)
		if i < 0 {
			i, n.Sessions = len(n.Sessions), append(n.Sessions, SessionNews{Agent: c.Author, Session: c.Session, Scope: scope})
		}
		n.Sessions[i].Commits = append(n.Sessions[i].Commits, c)
	}
	return nil
}

// waiting counts the proposals that wait.
func waiting(ctx context.Context, a *api.Local) ([]WaitingChanges, error) {
	all, err := proposals(ctx, a)
	out := []WaitingChanges{}
	for i := range all {
		p := &all[i]
		at := slices.IndexFunc(out, func(w WaitingChanges) bool { return w.Agent == p.Agent })
		if at < 0 {
			at, out = len(out), append(out, WaitingChanges{Agent: p.Agent, Oldest: p.Made})
		}
		out[at].Proposals++
		if p.Made.Before(out[at].Oldest) {
			out[at].Oldest = p.Made
		}
	}
	slices.SortFunc(out, func(x, y WaitingChanges) int { return cmp.Compare(x.Agent, y.Agent) })
	return out, err
}

func noteSeen(ctx context.Context, a *api.Local, req NewsSeenRequest) (*NewsSeenResponse, error) {
	if err := byOwner(ctx, a, "news-seen"); err != nil {
		return nil, err
	}
	scopes, err := followed(ctx, a)
	if err != nil {
		return nil, err
	}
	if len(req.UpTo) == 0 {
		return nil, fault.Invalidf("news-seen", "name the upto of an answer of news")
	}
	for name, seq := range req.UpTo {
		if !slices.Contains(scopes, name) {
			return nil, fault.Errorf("news-seen", name, fault.NotFound, "there is no such scope; name memex or a project")
		}
		m, err := a.Memex.Scope(ctx, name)
		if err != nil {
			return nil, err
		}
		if head := m.View().Head().Seq; seq > head {
			return nil, fault.Invalidf("news-seen", "%s has no commit %d yet; the newest is %d", name, seq, head)
		}
	}
	return &NewsSeenResponse{req.UpTo}, fovea.HiveOf(a.Memex).Owner.SetSeen(hive.Seen{Time: a.Options.Now().UTC(), UpTo: req.UpTo})
}
