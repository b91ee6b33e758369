// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"errors"
	"fmt"
)

// batcher sends the parts of one call. If the server refuses a request, the batcher sends its
// halves: first half of the texts, and in the end half of a single text.
type batcher struct {
	server  *server
	purpose Purpose
	alive   bool // the server has embedded the text of the probe after a refusal
}

// send gives each part a vector or an error. It returns an error if the server fails.
// At most 2n requests find the bad ones among n parts, and 31 the bad end of one.
func (b *batcher) send(ctx context.Context, parts []*part, halvings int) error {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	got, err := b.server.ask(ctx, b.purpose, texts)
	var refused *refusal
	switch {
	case err == nil && len(parts) > 1 && b.short(got, texts): // one of them lost its end
	case err == nil:
		return b.accept(parts, got)
	case !errors.As(err, &refused):
		return err
	case len(parts) == 1:
		return b.refused(ctx, parts[0], refused, halvings)
	}
	half := len(parts) / 2
	if err := b.send(ctx, parts[:half], halvings); err != nil {
		return err
	}
	return b.send(ctx, parts[half:], halvings)
}

// short reports whether the server read fewer tokens than the texts have words.
func (b *batcher) short(got answer, texts []string) bool {
	found := b.server.probed.Load()
	return found != nil && found.counts && got.tokens < words(texts...)
}

func (b *batcher) accept(parts []*part, got answer) error {
	for i, p := range parts {
		p.vector, p.err = b.server.accept(got.vectors[i])
		if errors.Is(p.err, ErrDimension) {
			return p.err
		}
		if len(parts) == 1 && b.short(got, []string{p.text}) {
			p.truncated = true
		}
	}
	return nil
}

// refused embeds the halves of a part that the server refused. A part that cannot be halved
// any more fails, unless the server also refuses the text of the probe.
func (b *batcher) refused(ctx context.Context, p *part, why *refusal, halvings int) error {
	left, right, ok := halve(p.text)
	if !ok || halvings == maxHalvings {
		if !b.alive {
			if _, err := b.server.ask(ctx, b.purpose, probeTexts[:1]); err != nil {
				return wrong(err)
			}
			b.alive = true
		}
		p.err = fmt.Errorf("%s: %w", why, ErrRefused)
		return nil
	}
	halves := []*part{{text: left}, {text: right}}
	for i := range halves {
		if err := b.send(ctx, halves[i:i+1], halvings+1); err != nil {
			return err
		}
	}
	r := pool(halves)
	p.vector, p.err, p.truncated = r.Vector, r.Err, p.truncated || r.Truncated
	return nil
}

// wrong turns the refusal of a text that a server must accept into ErrProtocol.
func wrong(err error) error {
	if refused, ok := errors.AsType[*refusal](err); ok {
		return fmt.Errorf("%s: %w", refused, ErrProtocol)
	}
	return err
}
