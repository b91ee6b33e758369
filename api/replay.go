// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import "context"

// OpReplay finds the answer to a call whose key the history has: see Operation.Replay. It
// changes nothing, and stands in no table.
var OpReplay = unlisted("replay", replay)

// unlisted returns an operation that is not in the table, so that only a memory in this
// process knows it, and nothing that takes it for another operation can carry out its request.
func unlisted[Q, A any](name string, run func(context.Context, *Local, Q) (A, error)) Op[Q, A] {
	o := Op[Q, A]{&Operation{Name: name}}
	o.complete(run)
	return o
}

// Replayed is the outcome of a request that was carried out before.
type Replayed struct {
	Answer any
	Err    error
}

// replay looks the key of the call up in each scope; nil stands for a request that was
// not carried out.
func replay(ctx context.Context, l *Local, c Call) (*Replayed, error) {
	if c.Op.Replay == "" || c.Key == "" {
		return nil, nil
	}
	for _, scope := range append([]string{""}, l.over...) {
		on, err := l.in(ctx, scope)
		if err != nil {
			return nil, err
		}
		id, done, err := on.m.Notes().Done(ctx, c.Key, c.Op.Replay)
		if err != nil {
			return nil, err
		}
		if done {
			on.known = id
			answer, err := c.Op.run(ctx, on, c.Request)
			return &Replayed{answer, err}, nil
		}
	}
	return nil, nil
}

// FileRequest names a file below the memex.
type FileRequest struct{ Path string }

// OpProtected reports whether the policy of the memory protects a file. It stands in no table.
var OpProtected = unlisted("protected", func(_ context.Context, l *Local, r FileRequest) (bool, error) {
	return l.memex.Guard().Protected(r.Path), nil
})
