// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/fault"
)

// CheckKinds rejects a state folder that contains anything but regular files and folders.
func (s *Scope) CheckKinds(op string) error {
	return fault.Wrap(op, s.StateDir, fault.Corrupt, disk.CheckKinds(s.FS))
}

// InPlace returns an error if the path of the memex now leads to another folder.
func (s *Scope) InPlace(op string) error {
	return fault.Wrap(op, s.Dir, fault.Conflict, s.Root.InPlace())
}
