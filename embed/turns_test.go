// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestQueriesGoFirst: documents wait for queries and for one another, queries for nothing.
func TestQueriesGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, ctx := newTurns(), context.Background()
		take := func(p Purpose) func() {
			done, err := turns.take(ctx, p)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		first := take(Document)
		one, two := take(Query), take(Query) // not held up by a document
		var order []string
		for range 2 {
			go func() {
				done := take(Document)
				order = append(order, "document")
				done()
			}()
		}
		synctest.Wait()
		first()
		synctest.Wait()
		one()
		synctest.Wait()
		if len(order) != 0 {
			t.Error("a document did not wait for a query")
		}
		two()
		synctest.Wait()
		if len(order) != 2 {
			t.Errorf("%d documents went on", len(order))
		}
		take(Document)()
	})
}

// TestWaitingEnds: a document that waits, for another or for a query, leaves with its context.
func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, holder := range []Purpose{Document, Query} {
			turns := newTurns()
			done, err := turns.take(context.Background(), holder)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			result := make(chan error)
			go func() {
				_, err := turns.take(ctx, Document)
				result <- err
			}()
			synctest.Wait()
			cancel()
			if err := <-result; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			done()
			if done, err = turns.take(context.Background(), Document); err != nil {
				t.Fatal(err)
			}
			done()
		}
	})
}
