// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !linux

package vfs

// SyncData implements File with a full sync.
func (f osFile) SyncData() error { return f.Sync() }
