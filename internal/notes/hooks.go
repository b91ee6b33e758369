// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package notes

import (
	"context"
	"errors"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// RewriteNodes edits the files of several nodes in one commit. For tests.
func (ns *Notes) RewriteNodes(ctx context.Context, base merkle.Digest, ids []string, edit func(path, text string) string) error {
	_, err := ns.edit(ctx, editAction("edit", nil), func(e *editing) error {
		e.action.Message = "rewritten"
		for _, id := range ids {
			n, err := e.node(ctx, id, base, change{file: func(doc document.Text, _ int, _ time.Time) (string, error) { return edit("", doc.Source()), nil }})
			if err != nil {
				return err
			}
			e.put(n.Path, edit(n.Path, e.document(n.Path).Source()))
		}
		return nil
	})
	return err
}

// RememberTogether remembers notes of these titles that arrived while another writer was busy.
// For tests.
func (ns *Notes) RememberTogether(ctx context.Context, under string, titles []string) error {
	var all []*pending
	for _, title := range titles {
		r := &pending{ctx: ctx, action: editAction("remember", nil), under: under, h: document.InsertHeadline{Title: title, Body: "of " + title},
			author: ns.scope.Actor(ctx).Author}
		if err := r.prepare(ns); err != nil {
			return err
		}
		all = append(all, r)
	}
	tx := ns.scope.Chain.Begin()
	defer tx.End()
	ns.rememberAll(tx, all)
	var errs []error
	for _, r := range all {
		errs = append(errs, r.err)
	}
	return errors.Join(errs...)
}
