// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package skill

// builtIn are the skills that are part of Fovea. Like any other they are only
// told of: what they describe, the memory does by itself.
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

Every commit is on the disk before it is told. At a heartbeat, and when somebody
asks for it, Fovea makes a checkpoint besides: an image from which the next start
is quick. Where nothing changed since the last one, nothing is written.

It takes no model to do so. What triggered it goes on to other skills unchanged.
`,
}}
