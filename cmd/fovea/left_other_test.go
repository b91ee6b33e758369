// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import "testing"

// nothingLeft does nothing where the environments of processes cannot be read.
func nothingLeft(*testing.T, string) {}
