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

var (
	// errStream is returned for a stream that cannot hold a place.
	errStream = errors.New("fovea alters no stream that is there")
	// errFull is returned where the servers have no room.
	errFull = errors.New("the servers have no room for more; raise max_file_store or the limits of the stream, or remove what is no longer needed")
	// errDisabled is returned by servers that keep nothing.
	errDisabled = fmt.Errorf("%w: the servers have no JetStream for this account; start them with a jetstream block in their configuration", place.ErrRight)
)

// codes are those of JetStream that have a meaning of their own here. The client has no names for those of
// servers without room: the account, its resources, memory, streams, storage, a store that failed.
var codes = map[jetstream.ErrorCode]error{
	jetstream.JSErrCodeStreamWrongLastSequence: place.ErrChanged, jetstream.JSErrCodeStreamWrongLastSequenceConstant: place.ErrChanged,
	jetstream.JSErrCodeJetStreamNotEnabled: errDisabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount: errDisabled,
	jetstream.JSErrCodeMessageNotFound: place.ErrNone, jetstream.JSErrCodeStreamNotFound: place.ErrAway,
	10002: errFull, 10023: errFull, 10027: errFull, 10028: errFull, 10047: errFull, 10077: errFull,
}

// fault makes an error of a call one of places. nil stays nil.
func (c *cluster) fault(what string, err error) error {
	api, isAPI := errors.AsType[*jetstream.APIError](err)
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return fmt.Errorf("%s: %w", what, place.ErrNone)
	case isAPI && codes[api.ErrorCode] != nil:
		return fmt.Errorf("%s: %w (%s)", what, codes[api.ErrorCode], api.Description)
	case errors.Is(c.conn.LastError(), nats.ErrPermissionViolation):
		return fmt.Errorf("%w: %w", place.ErrRight, c.conn.LastError())
	case isAPI && api.Code != 503, errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w from the servers of NATS: %w", what, place.ErrNoAnswer, err)
}

// connectFault makes an error of connecting one of places.
func connectFault(err error) error {
	for _, refused := range []error{place.ErrRight, nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired,
		nats.ErrPermissionViolation, nats.ErrNkeysNotSupported, nats.ErrSecureConnRequired} {
		if errors.Is(err, refused) {
			return fmt.Errorf("%w: %w", place.ErrRight, err)
		}
	}
	return fmt.Errorf("%w from the servers of NATS: %w", place.ErrNoAnswer, err)
}
