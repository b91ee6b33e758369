// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

// SetBehind makes the journal behind the newest image count as bytes long.
func (i *Images) SetBehind(bytes int64) { i.behind = bytes }
