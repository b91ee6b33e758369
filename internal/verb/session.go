// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/terminal"
)

// Session is one run of the command line, as far as the verbs of operations go: what it
// prints, and the memory that it asks.
type Session struct {
	*terminal.Console
	// Service opens the memory, or connects to its daemon. It returns the same service for
	// all calls of a run.
	Service func(context.Context) (api.Service, error)
	Begun   func() bool   // whether there is a memory already, which Service would make
	Agent   func() string // in whose name the owner acts, "" for nobody; call it after Service
	Memex   func() string // the folder of the memory; call it after Service
	Claim   author.Claim  // under which the calls write, the zero Claim for none
}

// Misuse is an error in the flags or arguments of a verb.
type Misuse struct{ Err error }

// Error returns the text of the cause.
func (e Misuse) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e Misuse) Unwrap() error { return e.Err }

// failing is an answer that may say that a part of what was asked for was not done.
type failing interface{ Failed() error }

// Ask calls an operation and prints the answer: as JSON, or with show. Of an answer that says
// that a part failed, that is the error.
func Ask[Q, A any](s *Session, c *cobra.Command, op api.Op[Q, A], req Q, show func(A)) error {
	answer, err := Call(s, c, op, req)
	if err != nil {
		return err
	}
	if err := s.Answer(answer, func() { show(answer) }); err != nil {
		return err
	}
	if f, ok := any(answer).(failing); ok {
		return f.Failed()
	}
	return nil
}

// Call opens the memory and calls an operation as the owner, in the name that --agent gives,
// if any.
func Call[Q, A any](s *Session, c *cobra.Command, op api.Op[Q, A], req Q) (answer A, err error) {
	out, err := callAny(s, c, op.Operation, req)
	if err != nil {
		return answer, err
	}
	return out.(A), nil
}

// callAny is Call for types known only at run time.
func callAny(s *Session, c *cobra.Command, op *api.Operation, req any) (any, error) {
	defer s.Working()()
	svc, err := s.Service(c.Context())
	if err != nil {
		return nil, err
	}
	ctx := author.WithActor(c.Context(), author.Actor{Claim: s.Claim})
	return svc(author.WithGrant(ctx, api.Grant{Agent: s.Agent(), Role: api.Owner}), api.Call{Op: op, Request: req})
}
