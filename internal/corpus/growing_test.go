// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"io/fs"
	"math"
	"os"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// growing is a real folder in which the file name grows whenever it is read, during the
// first until openings, or always if until is 0.
type growing struct {
	vfs.FS
	name          string
	opened, until int
}

func (g *growing) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := g.FS.OpenFile(name, flag, perm)
	g.opened++
	until := g.until
	if until == 0 {
		until = math.MaxInt
	}
	if err != nil || g.opened > until {
		return f, err
	}
	return &grownFile{f, g.name}, nil
}

type grownFile struct {
	vfs.File
	name string
}

func (f *grownFile) Read(b []byte) (int, error) {
	out, err := os.OpenFile(f.name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	if _, err := out.WriteString("more"); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}
