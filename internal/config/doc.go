// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package config reads the configuration file and the environment, once, into
// one value.
//
// [Load] returns a [Config]; [StateDir] says where the state of a memex is kept
// and [Expand] resolves variables in a path as a person writes it. [Config.Keys]
// has the key that signs heads, [Config.Socket] where the daemon listens, [Tokens]
// who may ask it over HTTP.
//
// Invariants:
//
//   - Nothing else in Fovea reads the environment or the configuration file.
//   - A flag goes before the environment, the environment before the file, the
//     file before the default. A value that cannot be used counts as not given
//     and is named in Problems; it never changes its meaning silently.
//   - The state folder is never inside the memex and not made here: a file in
//     its place is an error and stays as it is.
//   - Nothing is written but the key of this machine, once, its public half, and
//     the hashes of tokens; all but the public half can be read by the owner alone.
//   - doc/configuration.md lists every setting; a test compares.
//
// Elsewhere: what the settings do (internal/corpus, window, the root package),
// and the flags of the command line, which cmd/fovea parses.
package config
