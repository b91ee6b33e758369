// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/guard"
)

// errPolicy is wrapped by errors in a policy. Load fails with it, since ignoring it would
// leave files unprotected.
var errPolicy = errors.New("the policy cannot be read")

// guard parses lists of patterns by mode.
func (v value) guard() (guard.Rules, error) {
	var rules guard.Rules
	table, ok := v.raw.(map[string]any)
	if !ok {
		return rules, fmt.Errorf("%w: %v is not a table of lists of patterns", errPolicy, v)
	}
	for _, mode := range slices.Sorted(maps.Keys(table)) {
		into := map[string]*[]string{"lockdown": &rules.Lockdown, "ask": &rules.Ask, "trusted": &rules.Trusted}[mode]
		if into == nil {
			return rules, fmt.Errorf("%w: there is no mode %q; there are lockdown, ask and trusted", errPolicy, mode)
		}
		var err error
		if *into, err = list("patterns", value.pattern)(v.of(table[mode])); err != nil {
			return rules, fmt.Errorf("%w: %s: %w", errPolicy, mode, err)
		}
	}
	return rules, nil
}
