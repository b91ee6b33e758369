// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/config"
)

func mergeHook(_ *Session, _ *cobra.Command, req *ops.MergeRequest, a []string) (err error) {
	if req.State, err = stateOf(a[0]); err != nil {
		return Misuse{err}
	}
	return nil
}

func remoteAddHook(_ *Session, c *cobra.Command, req *ops.RemoteAddRequest) func([]string) error {
	file := c.Flags().String("passphrase-file", "", "`FILE` with the passphrase of a sealed place on its first line")
	return func(a []string) (err error) {
		req.Name = a[0]
		if req.URL, err = RemoteURL(a[1]); err == nil {
			req.Passphrase, err = Passphrase(c.Context(), *file)
		}
		return err
	}
}

// stateOf returns the state folder at path, or that of the memex at path.
func stateOf(path string) (string, error) {
	if config.HasMemory(path) {
		return filepath.Abs(path)
	}
	state, err := config.StateDirOfOther(path)
	if err != nil {
		return "", err
	}
	if !config.HasMemory(state) {
		return "", fmt.Errorf("merge: %s is neither a state folder nor a memex with a memory on this machine; fovea status prints the state folder of the copy", path)
	}
	return state, nil
}

// RemoteURL makes a path absolute: the process with the memory may have another working directory.
func RemoteURL(text string) (string, error) {
	if strings.Contains(text, "://") || strings.HasPrefix(text, ops.IPFSPrefix) {
		return text, nil
	}
	return filepath.Abs(text)
}

// Passphrase returns the first line of a file, "" without one.
func Passphrase(ctx context.Context, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := ReadFile(ctx, file)
	first, _, _ := strings.Cut(text, "\n")
	if first = strings.TrimRight(first, "\r"); err == nil && first == "" {
		err = Misusef("%s has no passphrase on its first line", file)
	}
	return first, err
}
