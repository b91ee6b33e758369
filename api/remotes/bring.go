// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes

import (
	"context"
	"io"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/bundle"
	"github.com/fovea-memory/fovea/internal/remote"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/vfs"
)

func readInto(ctx context.Context, in vfs.FS, r io.Reader) (bundle.Header, error) {
	return remote.ReadInto(ctx, in, r, "")
}

func restoreStore(ctx context.Context, m *fovea.Memory, in vfs.FS, name string, opts *fovea.WriteOptions) (fovea.Commit, []string, error) {
	return travel.RestoreStore(ctx, m.History(), in, name, opts)
}

func mergeStore(ctx context.Context, m *fovea.Memory, in vfs.FS, name string, opts *fovea.WriteOptions) (fovea.Commit, []string, []api.Conflict, error) {
	c, files, conflicts, err := travel.MergeStore(ctx, m.History(), in, name, opts)
	return c, files, api.Conflicts(conflicts), err
}
