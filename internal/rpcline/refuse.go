// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package rpcline

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
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

// RecoverPanics returns middleware that turns a panic of a handler into an error response
// and logs it with the stack. The SDK runs handlers in its own goroutines, where a panic
// would end the process. A nil log discards the record.
func RecoverPanics(log *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if why := recover(); why != nil {
					logPanic(log, method, why)
					res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: method +
						" failed because of a bug in Fovea. Next: ask the owner to report what the log says (serve.log in the state folder, or standard error)"}
				}
			}()
			return next(ctx, method, req)
		}
	}
}

// LogPanic is deferred by background functions. It recovers from a panic and logs it; a
// nil log discards the record.
func LogPanic(log *slog.Logger, what string) {
	if why := recover(); why != nil {
		logPanic(log, what, why)
	}
}

func logPanic(log *slog.Logger, what string, why any) {
	if log != nil {
		log.Error("panic", "in", what, "why", why, "stack", string(debug.Stack()))
	}
}
