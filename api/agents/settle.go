// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/linediff"
)

// fieldsOf returns the request of a proposal as JSON has it. Errors: Invalid for a request that
// its operation would refuse.
func fieldsOf(p *Proposal) (map[string]any, error) {
	op, err := Proposed(p.Op)
	if err != nil {
		return nil, err
	}
	req, err := op.DecodeRequest(p.Request)
	if err == nil && api.IsDryRun(req) {
		err = invalid("propose", errDry)
	}
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(p.Request, &fields); err != nil {
		return nil, invalid("propose", err)
	}
	return fields, nil
}

// settle fills in what a proposal is about. Its request then names each node by its id, and the
// digest that the changed one has now: what the owner accepts is what both of them saw.
func settle(ctx context.Context, a api.Access, p *Proposal) error {
	fields, err := fieldsOf(p)
	if err != nil {
		return err
	}
	v, err := a.View(ctx)
	if err != nil {
		return err
	}
	word := func(key string) string {
		text, _ := fields[key].(string)
		return text
	}
	p.Title, p.Path = word("title"), api.FileIn(word("under"))
	body := ""
	if name := word("id"); name != "" {
		n, err := a.Find(v, "propose", name)
		if err != nil {
			return err
		}
		fields["id"], fields["base"] = n.ID, cmp.Or(word("base"), n.Own.String())
		p.Path, p.Title, body = n.Path, cmp.Or(n.Title(), n.Path), n.Body()
	}
	place := word("under") // where it goes: a file, or a node as the owner knows it
	for _, key := range []string{"under", "to"} {
		if word(key) == "" || key == "under" && api.FileIn(word(key)) != "" {
			continue
		}
		n, err := a.Find(v, "propose", word(key))
		if err != nil {
			return err
		}
		fields[key], p.Path, place = n.ID, cmp.Or(p.Path, n.Path), cmp.Or(n.Title(), n.Path)+"  "+n.Path
	}
	p.Change = changeOf(fields, body, place)
	p.Request, err = json.Marshal(fields)
	return err
}

// changeOf says line by line what a request would change of a node with this body. place is
// where it is put: the title and the path of a node, or a file.
func changeOf(fields map[string]any, body, place string) string {
	var b strings.Builder
	if now, ok := fields["body"].(string); ok {
		if now = strings.TrimSuffix(now, "\n"); now != "" {
			now += "\n"
		}
		before, after := linediff.Side{Name: "now", Line: 1}, linediff.Side{Name: "proposed", Line: 1}
		b.WriteString(linediff.Unified(before, after, body, now))
	}
	if text, ok := fields["append"].(string); ok {
		for line := range strings.Lines(text) {
			b.WriteString("+ " + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch key {
		case "id", "base", "body", "append":
		case "to", "under":
			fmt.Fprintf(&b, "%s: %s\n", key, place)
		default:
			fmt.Fprintf(&b, "%s: %s\n", key, onOneLine(fields[key]))
		}
	}
	return b.String()
}

// onOneLine returns a value of a request: a text of one line unchanged, another value as JSON.
func onOneLine(value any) string {
	if text, ok := value.(string); ok && text != "" && !strings.ContainsAny(text, "\r\n") {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value) // impossible: it was decoded from JSON
	}
	return string(text)
}
