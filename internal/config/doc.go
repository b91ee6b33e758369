// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package config reads the configuration file and the environment into one value.
//
// [Load] returns a [Config]; [StateDir] returns the state folder of a memex. [Config.Keys] returns
// the key that signs heads, [Config.Socket] the daemon's socket, [ReadTokens] the tokens that HTTP
// accepts.
//
// Invariants:
//
//   - Nothing else in Fovea reads the environment or the configuration file.
//   - A flag overrides the environment, the environment the file, the file the default. An
//     unusable value counts as not given and is reported in Problems.
//   - The state folder is never inside the memex and is not created here. A file in its
//     place is an error and is not changed.
//   - Writes are limited to this machine's key, trusted keys, the hashes of tokens and the
//     record of signed heads. Only the owner can read secrets.
//   - doc/configuration.md lists every setting; a test compares them.
//
// Elsewhere: what the settings do (internal/corpus, window, the root package), and the flags
// of the command line, which cmd/fovea parses.
package config
