// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fovea-memory/fovea/internal/place"
)

// Codes of JetStream that the client has no names for.
const (
	codeAccountFull    = 10002
	codeNoResources    = 10023
	codeMemory         = 10028
	codeStorage        = 10047
	codeStoreFailed    = 10077
	codeMaximumReached = 10027
)

// errFull is returned where the servers have no room.
var errFull = errors.New("the servers have no room for more; raise max_file_store or the limits of the stream, or remove what is no longer needed")

// errDisabled is returned by servers that keep nothing.
var errDisabled = errors.New("the servers have no JetStream for this account; start them with a jetstream block in their configuration")

// fault makes an error of a call one of places. nil stays nil.
func (c *cluster) fault(what string, err error) error {
	api, isAPI := errors.AsType[*jetstream.APIError](err)
	code := jetstream.ErrorCode(0)
	if isAPI {
		code = api.ErrorCode
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return fmt.Errorf("%s: %w", what, place.ErrNone)
	case code == jetstream.JSErrCodeStreamWrongLastSequence, code == jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return fmt.Errorf("%s: %w", what, place.ErrChanged)
	case code == jetstream.JSErrCodeJetStreamNotEnabled, code == jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return fmt.Errorf("%w: %w", place.ErrRight, errDisabled)
	case code == codeAccountFull, code == codeNoResources, code == codeMemory, code == codeStorage, code == codeStoreFailed, code == codeMaximumReached:
		return fmt.Errorf("%s: %w (%s)", what, errFull, api.Description)
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(c.conn.LastError(), nats.ErrPermissionViolation):
		return fmt.Errorf("%w: %w", place.ErrRight, c.conn.LastError())
	case isAPI && api.Code != 503, errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w from the servers of NATS: %w", what, place.ErrNoAnswer, err)
}

// connectFault makes an error of connecting one of places.
func connectFault(err error) error {
	for _, refused := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired,
		nats.ErrPermissionViolation, nats.ErrNkeysNotSupported, nats.ErrSecureConnRequired} {
		if errors.Is(err, refused) {
			return fmt.Errorf("%w: %w", place.ErrRight, err)
		}
	}
	return fmt.Errorf("%w from the servers of NATS: %w", place.ErrNoAnswer, err)
}
