// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

// builtIn are the skills that are part of Fovea. Like all skills they are
// documentation only: the memory itself implements what they describe.
var builtIn = []Skill{{
	Name: "state-persistence", Format: BuiltIn, Priority: 100,
	Description: "keeps the memory on disk, and makes a checkpoint at a heartbeat or when asked",
	Triggers:    []string{"heartbeat", "manual-persist"},
	Text: `:PROPERTIES:
:SKILL_PRIORITY: 100
:SKILL_TRIGGERS: heartbeat manual-persist
:END:
#+TITLE: State persistence
#+DESCRIPTION: keeps the memory on disk, and makes a checkpoint at a heartbeat or when asked

Every commit is on the disk before it is acknowledged. On a heartbeat, and on
request, Fovea also writes a checkpoint: an image that makes the next start fast.
If nothing has changed since the last checkpoint, nothing is written.

No model is needed. Other skills receive the same trigger unchanged.
`,
}}
