// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package rpcline

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Recovered answers a call whose handler panics with an error, and logs that with the
// stack. The SDK runs handlers in goroutines of its own, where a panic would end the
// process. nil discards the log.
func Recovered(log *slog.Logger) mcp.Middleware {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if why := recover(); why != nil {
					log.Error("panic", "in", method, "why", why, "stack", string(debug.Stack()))
					res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: method + " failed by a fault of the program. Next: ask the person to report what the log says (serve.log in the state folder, or standard error)"}
				}
			}()
			return next(ctx, method, req)
		}
	}
}
