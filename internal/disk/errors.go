// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import "errors"

var (
	// ErrOtherMemex is returned by Open when the folder belongs to another memex.
	// After a move of the memex, Adopt makes it the new one's.
	ErrOtherMemex = errors.New("state folder belongs to another memex")
	// ErrForeignFolder is returned by Open when the folder has files and none of
	// them is FORMAT. They are left as they are.
	ErrForeignFolder = errors.New("folder is in use for something else")
)
