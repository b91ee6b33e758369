// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package foveatest

import (
	"os/exec"
	"syscall"
)

// group has a program begin a group of processes with those that it starts.
func group(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a program that began a group, and those that it started: the runners of Ollama
// would outlive it.
func killGroup(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
