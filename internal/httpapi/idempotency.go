// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/fault"
)

const (
	minKeys        = 10_000   // requests whose keys are remembered, at least
	maxAnswers     = 1_000    // of them, the newest whose answers are stored
	maxAnswerBytes = 16 << 10 // of the JSON of a stored answer
	maxKeyBytes    = 150      // so that a key fits into the op of a commit
)

// errKeyReused refuses an idempotency key that another request has used.
var errKeyReused = errors.New(api.HeaderOp + ": another request has used this key; use a new one for each")

// idempotent returns a middleware that performs each write with a key once during the life of the process: a repeated
// request gets the stored answer, even if it arrives while the first one is running; a failed one is performed again.
// After a restart, the history recognizes the key (see fovea.WriteOptions). Keys of different grants differ. Own errors:
// Invalid for a key that is too long or belongs to another request, see errKeyReused.
func idempotent() api.Middleware {
	cache := &idempotencyCache{requests: bound.Map[string, *keyedRequest]{Size: minKeys}}
	return func(next api.Service) api.Service {
		return func(ctx context.Context, c api.Call) (any, error) {
			if c.Op.Effect == api.Reads || c.Key == "" {
				return next(ctx, c)
			}
			if len(c.Key) > maxKeyBytes {
				return nil, fault.Invalidf(c.Op.Name, "%s: at most %d bytes; use a random UUID", api.HeaderOp, maxKeyBytes)
			}
			body, err := json.Marshal(c.Request)
			if err != nil {
				return nil, fault.Wrap(c.Op.Name, "", fault.Invalid, err)
			}
			scopes := author.ScopesOf(ctx)
			sum := sha256.Sum256([]byte(c.Op.Name + "\x00" + scopes.Project + "\x00" + scopes.Session + "\x00" + string(body)))
			return cache.do(ctx, author.GrantOf(ctx).Holder()+"\x00"+c.Key, sum, c, next)
		}
	}
}

// idempotencyCache stores answers by the holder of a grant and the key.
type idempotencyCache struct {
	mu       sync.Mutex
	requests bound.Map[string, *keyedRequest]
	stored   []*keyedRequest // with a stored answer, the oldest first
}

// keyedRequest is the first request under a key.
type keyedRequest struct {
	sum    [sha256.Size]byte
	done   chan struct{} // closed when answer is final
	answer []byte        // nil if it failed or is not stored
}

// do returns the stored answer of a request under a key, or else calls next.
func (i *idempotencyCache) do(ctx context.Context, key string, sum [sha256.Size]byte, c api.Call, next api.Service) (any, error) {
	for {
		r, isFirst := i.find(key, sum)
		if isFirst {
			return i.carryOut(ctx, r, c, next)
		}
		if r.sum != sum {
			return nil, fault.Wrap(c.Op.Name, "", fault.Invalid, errKeyReused)
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if answer := i.answerOf(key, r); answer != nil {
			return c.Op.DecodeAnswer(answer)
		}
	}
}

// find returns the first request under a key, and whether this is the first one.
func (i *idempotencyCache) find(key string, sum [sha256.Size]byte) (r *keyedRequest, isFirst bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	r, known := i.requests.Get(key)
	if !known {
		r = &keyedRequest{sum: sum, done: make(chan struct{})}
		i.requests.Set(key, r)
	}
	return r, !known
}

// carryOut calls next and stores the answer.
func (i *idempotencyCache) carryOut(ctx context.Context, r *keyedRequest, c api.Call, next api.Service) (any, error) {
	defer close(r.done)
	answer, err := next(ctx, c)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err == nil && len(text) <= maxAnswerBytes {
		i.store(r, text)
	}
	return answer, nil
}

func (i *idempotencyCache) store(r *keyedRequest, answer []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	r.answer = answer
	if i.stored = append(i.stored, r); len(i.stored) > maxAnswers {
		i.stored[0].answer = nil
		i.stored = i.stored[1:]
	}
}

// answerOf returns the stored answer of a request. It drops a request without one, so that the next one counts as the first.
func (i *idempotencyCache) answerOf(key string, r *keyedRequest) []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	if known, _ := i.requests.Peek(key); known == r && r.answer == nil {
		i.requests.Delete(key)
	}
	return r.answer
}
