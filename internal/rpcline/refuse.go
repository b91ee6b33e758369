// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package rpcline

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Refuse answers each call with an error whose message is why, until the client
// disconnects or the context is done. Errors: those of the reader and the writer.
func Refuse(ctx context.Context, t *Transport, why string) error {
	c, err := t.Connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		m, err := c.Read(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) || ctx.Err() != nil {
				err = nil
			}
			return err
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			if err := c.Write(ctx, &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: why}}); err != nil {
				return err
			}
		}
	}
}
