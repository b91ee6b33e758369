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
	// lockName is the lock of the files in the configuration folder that are read,
	// changed and written back.
	lockName = ".lock"
	// lockWait bounds the wait for another command that changes one of them, which
	// takes milliseconds.
	lockWait = 10 * time.Second
)

// exclusively runs change while no other process changes a file of the configuration
// folder, which is made where it is missing. What change reads is then what it replaces.
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
