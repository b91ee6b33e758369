// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package foveatest

import "os/exec"

func group(*exec.Cmd) {}

func killGroup(c *exec.Cmd) error { return c.Process.Kill() }
