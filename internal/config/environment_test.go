// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

// environment turns a map into what os.Getenv is.
func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}
