// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package foveatest

import (
	"os/exec"
	"syscall"
)

// group makes a program start a process group, with its child processes.
func group(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a program and the rest of its group: the runners of Ollama would outlive it.
func killGroup(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
