// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"reflect"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Detach copies the strings of a node that is not yet in a state, so that it does not
// retain the whole file it was parsed from. Strings and lists that equal those of was, the
// earlier version or nil, are shared with that version. O(len(Content)).
func (n *Node) Detach(was *Node) {
	if was == nil {
		was = &Node{Derived: &document.Derived{}}
	}
	d := *n.Derived
	for _, field := range [][2]any{
		{&n.ID, &was.ID}, {&n.Parent, &was.Parent}, {&n.Kids, &was.Kids}, {&n.Content, &was.Content}, {&d, was.Derived},
	} {
		detach(reflect.ValueOf(field[0]).Elem(), reflect.ValueOf(field[1]).Elem())
	}
	n.Derived = &d
	if d.Equal(was.Derived) {
		n.Derived = was.Derived
	}
}

// detach replaces each string and list in a value by the equal one of an earlier value, or else
// by a copy. It panics on unexported fields of structs; Derived has none.
func detach(v, was reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.String() == was.String() {
			v.Set(was)
		} else {
			v.SetString(strings.Clone(v.String()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			detach(v.Field(i), was.Field(i))
		}
	case reflect.Slice:
		switch {
		case v.IsNil():
			return
		case reflect.DeepEqual(v.Interface(), was.Interface()):
			v.Set(was)
			return
		}
		list, none := reflect.MakeSlice(v.Type(), v.Len(), v.Len()), reflect.Zero(v.Type().Elem())
		reflect.Copy(list, v)
		for i := range list.Len() {
			detach(list.Index(i), none)
		}
		v.Set(list)
	}
}
