// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package clients

import (
	"errors"
	"reflect"
)

// cutTOML takes the table mcp_servers.fovea out. It returns an error unless all else decodes as
// before.
func cutTOML(text string) (string, error) {
	was, err := decodeTOML(text)
	if err != nil {
		return "", err
	}
	servers, _ := was["mcp_servers"].(map[string]any)
	if _, ok := servers["fovea"]; !ok {
		return text, nil
	}
	next := cutTable(text, "[mcp_servers.fovea]")
	is, err := decodeTOML(next)
	if delete(servers, "fovea"); len(servers) == 0 {
		delete(was, "mcp_servers")
	}
	if left, _ := is["mcp_servers"].(map[string]any); len(left) == 0 {
		delete(is, "mcp_servers")
	}
	if err != nil || !reflect.DeepEqual(was, is) {
		return "", errors.New("mcp_servers.fovea stands there in a form that is not understood; take it out by hand")
	}
	return next, nil
}

// cutLisp takes Fovea's part of the file out.
func cutLisp(text string) (string, error) {
	before, after, _, err := splitLisp(text)
	return before + after, err
}
