// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/working"
)

// Skills lists all skills and their problems.
type Skills struct {
	Skills   []Skill   `json:"skills" jsonschema:"highest priority first"`
	Order    []string  `json:"order" jsonschema:"their names, each after those it depends on"`
	Problems []Problem `json:"problems" jsonschema:"kinds malformed, doubled, missing, cycle, elsewhere"`
}

// Skill is a skill in a list. For a locked skill only path and name are filled in.
type Skill = corpus.Skill

// SkillRequest asks for one skill.
type SkillRequest struct {
	Name string `json:"name" jsonschema:"its name or its path" arg:"NAME"`
}

// SkillSource is a skill with its source.
type SkillSource struct {
	Skill
	Source string `json:"source" jsonschema:"with U+FFFD for what is not UTF-8"`
}

func listSkills(ctx context.Context, l *Local, _ None) (*Skills, error) {
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	r := l.Memex.Folder().Skills(ctx, v)
	out := &Skills{Skills: []Skill{}, Order: list(r.Order), Problems: []Problem{}}
	for i := range r.Skills {
		out.Skills = append(out.Skills, listedSkill(v, r.Skills[i]))
	}
	locked := l.Memex.Folder().LockedSkills(v)
	for _, path := range v.Lockdown() {
		if name, is := locked[path]; is {
			out.Skills = append(out.Skills, Skill{Name: name, Dependencies: []string{}, Triggers: []string{}, Format: "locked", Path: path})
		}
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, Problem{Kind: string(p.Kind), Path: cmp.Or(p.Path, p.Skill), Message: p.Skill + ": " + p.Detail})
	}
	return out, nil
}

func showSkill(ctx context.Context, l *Local, req SkillRequest) (*SkillSource, error) {
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	r := l.Memex.Folder().Skills(ctx, v)
	name := strings.TrimSuffix(req.Name, ".org")
	s, ok := r.Get(name)
	for path, bears := range l.Memex.Folder().LockedSkills(v) {
		if path == l.Below(req.Name) || !ok && bears == name {
			_, err := v.Resolve(path)
			if fovea.KindOf(err) == fovea.Locked {
				return nil, Named(err, "skill")
			}
		}
	}
	if !ok {
		i := slices.IndexFunc(r.Skills, func(s corpus.Skill) bool { return s.Path != "" && s.Path == l.Below(req.Name) })
		if i < 0 {
			return nil, fault.Wrap("skill", req.Name, fault.NotFound, noSkill(r))
		}
		s = r.Skills[i]
	}
	return &SkillSource{listedSkill(v, s), validText(s.Text)}, nil
}

// noSkill returns an error that lists the skills.
func noSkill(r *corpus.Registry) error {
	if len(r.Skills) == 0 {
		return errors.New("there are no skills")
	}
	return fmt.Errorf("no such skill; there are %s", scope.First(each(r.Skills, func(s corpus.Skill) string { return s.Name }), few))
}

func listedSkill(v *view.View, s Skill) Skill {
	s.Dependencies, s.Triggers, s.Unreviewed, s.Text = list(s.Dependencies), list(s.Triggers), unreviewed(v, s.Path), ""
	return s
}

// setFocus makes a node of a view the focus of the windows of the calling agent, and returns its id.
func (l *Local) setFocus(ctx context.Context, v *view.View, name string) (id string, err error) {
	n, err := v.Resolve(l.Below(name))
	if err != nil {
		return "", err
	}
	d, err := deskOf(ctx, l, "")
	if err != nil {
		return "", err
	}
	id = holder(v, n).ID
	b := working.Block{Type: working.Status, StatusType: working.FocusStatus, Value: id, Priority: working.Low}
	_, _, err = d.Add(ctx, v, working.Request{Agent: d.agent, Blocks: []working.Block{b}, Now: l.Options.Now()}, l.Write())
	return id, err
}

// focusOf returns the focus that an event set for the calling agent, "" if there is none or its node was removed.
func focusOf(ctx context.Context, v *view.View) string {
	kept, ok := v.Get(working.NodeID(author.AgentOf(ctx), "status:"+working.FocusStatus))
	if !ok {
		return ""
	}
	if b, ok := working.OfNode(kept); ok {
		id, _ := b.Value.(string)
		if _, there := v.Get(id); there {
			return id
		}
	}
	return ""
}
