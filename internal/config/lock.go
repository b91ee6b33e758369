// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/fovea-memory/fovea/internal/vfs"
)

const (
	// lockName locks the files in the configuration folder that are read, changed and
	// written back.
	lockName = ".lock"
	// lockWait bounds the wait for another command's change, which takes milliseconds.
	lockWait = 10 * time.Second
)

// exclusively runs change while no other process changes a file of the configuration folder,
// which it creates if missing. So change replaces exactly what it has read.
func exclusively(folder string, change func() error) error {
	in, err := vfs.CreateDir(folder, 0o700)
	if err != nil {
		return err
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	lock, err := vfs.LockFile(ctx, in, lockName, vfs.Holder{PID: os.Getpid(), Command: "fovea", Since: time.Now()})
	if err != nil {
		return err
	}
	return errors.Join(change(), lock.Unlock())
}
