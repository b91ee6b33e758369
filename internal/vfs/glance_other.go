// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !unix

package vfs

import (
	"os"
	"path/filepath"
)

// Glance implements what the function Glance asks for.
func (d *Folder) Glance(name string) (Glimpse, error) {
	look := os.Lstat
	if name == "." {
		look = os.Stat
	}
	info, err := look(filepath.Join(d.path, filepath.FromSlash(name)))
	if err != nil {
		return Glimpse{}, err
	}
	return GlimpseOf(info), nil
}
