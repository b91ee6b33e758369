// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import "reflect"

// decoded decodes a value of the file, or of the environment, into a table.
func decoded[T any](raw any, inFile bool) (T, error) {
	var into, none T
	if err := (value{raw: raw, inFile: inFile}).decodeTable(reflect.ValueOf(&into).Elem()); err != nil {
		return none, err
	}
	return into, nil
}
