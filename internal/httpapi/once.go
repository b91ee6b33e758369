// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

const (
	// So many requests with a key are known at least, and of how many of them,
	// the newest, the answer is kept.
	knownKeys   = 10_000
	keptAnswers = 1_000
	// An answer is kept up to so many bytes of JSON.
	longestAnswer = 16 << 10
)

// errOtherRequest refuses a key that another request came under.
var errOtherRequest = errors.New(api.HeaderOp + ": another request came under this key; use a new one for each")

// once carries each request with an idempotency key out once, as long as the process
// lives: one that comes again is answered with what the first was answered, also while
// that is still being carried out. One that failed is carried out when it comes again.
// Beyond that, and after a restart, the commits know the op that a key is. The zero
// value is ready.
type once struct {
	mu       sync.Mutex
	now, old map[string]*first // by who asks and the key: the newest, and those before them
	answered []*first          // whose answers are kept, the oldest first
}

// first is a request as it came the first time.
type first struct {
	sum    [sha256.Size]byte // of the request
	ended  chan struct{}     // closed when answer is final
	answer []byte            // nil when it failed, or is not kept
}

// longestKey is of how many bytes a key is at most, so that it fits into an op.
const longestKey = 150

// service is a service that carries out once what writes under a key that the context
// has, see api.WithOp: the same request is answered as the first time, whichever way in
// it took.
func (o *once) service(svc api.Service) api.Service {
	return api.Through(func(ctx context.Context, op *api.Operation, req any) (any, error) {
		key := api.OpOf(ctx)
		if op.Effect == api.Reads || key == "" {
			return op.Pass(ctx, svc, req)
		}
		if len(key) > longestKey {
			return nil, &fovea.Error{Op: op.Name, Kind: fovea.Invalid, Err: fmt.Errorf("%s: at most %d bytes; use a random UUID", api.HeaderOp, longestKey)}
		}
		body, err := json.Marshal(req)
		if err != nil {
			return nil, &fovea.Error{Op: op.Name, Kind: fovea.Invalid, Err: err}
		}
		whose := api.GrantOf(ctx).Holder() + "\x00" + key
		return o.do(ctx, whose, sumOf(op, api.ScopesOf(ctx), body), op, func() (any, error) { return op.Pass(ctx, svc, req) })
	})
}

// sumOf tells requests apart.
func sumOf(op *api.Operation, scopes api.Scopes, body []byte) [sha256.Size]byte {
	return sha256.Sum256([]byte(op.Name + "\x00" + scopes.Project + "\x00" + scopes.Session + "\x00" + string(body)))
}

// do returns the answer to a request of an operation under a key: that of the first
// time, or else that of call.
func (o *once) do(ctx context.Context, key string, sum [sha256.Size]byte, op *api.Operation, call func() (any, error)) (any, error) {
	for {
		f, mine := o.find(key, sum)
		if mine {
			return o.carryOut(f, call)
		}
		if f.sum != sum {
			return nil, &fovea.Error{Op: op.Name, Kind: fovea.Invalid, Err: errOtherRequest}
		}
		select {
		case <-f.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if answer := o.answerOf(f); answer != nil {
			return op.Decode(answer)
		}
		o.drop(key, f)
	}
}

// find returns what came under a key, which is the caller's to carry out where it came
// for the first time.
func (o *once) find(key string, sum [sha256.Size]byte) (f *first, mine bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f, known := o.now[key]
	if !known {
		if f, known = o.old[key]; !known {
			f = &first{sum: sum, ended: make(chan struct{})}
		}
		if o.now == nil || len(o.now) >= knownKeys {
			o.now, o.old = map[string]*first{}, o.now
		}
		o.now[key] = f
	}
	return f, !known
}

// carryOut calls, and keeps the answer.
func (o *once) carryOut(f *first, call func() (any, error)) (any, error) {
	defer close(f.ended)
	answer, err := call()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err == nil && len(text) <= longestAnswer {
		o.keep(f, text)
	}
	return answer, nil
}

func (o *once) keep(f *first, answer []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f.answer = answer
	if o.answered = append(o.answered, f); len(o.answered) > keptAnswers {
		o.answered[0].answer = nil
		o.answered = o.answered[1:]
	}
}

func (o *once) answerOf(f *first) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return f.answer
}

// drop makes a request that has no answer one that comes for the first time.
func (o *once) drop(key string, f *first) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, known := range []map[string]*first{o.now, o.old} {
		if known[key] == f {
			delete(known, key)
		}
	}
}
