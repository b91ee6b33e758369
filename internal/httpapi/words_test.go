// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestErrorsAreInWords: whatever is wrong with a field of a request, of any operation, the problem
// says it in words that are not those of Go.
func TestErrorsAreInWords(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* A\n"})
	for _, op := range api.Operations {
		fields := []string{""}
		for _, f := range reflect.VisibleFields(op.Request) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
				fields = append(fields, name)
			}
		}
		for _, v := range []string{`null`, `true`, `1.5`, `-1`, `1e400`, `99999999999999999999`, `"x"`, `"2020-13-45"`, `[]`, `[[]]`, `["x",{}]`, `{}`,
			`{"x":{"y":[1]}}`, `[{"type":7}]`, `{"type":"headline","attrs":{"a":[[]]},"children":7}`, `nul`, `{`, ``} {
			for _, field := range fields {
				body := v
				if field != "" {
					body = fmt.Sprintf(`{"%s":%s}`, field, v)
				}
				r := s.ask("POST", "/v1/"+op.Name, body)
				if word := foveatest.InnerWord(string(r.body)); r.status >= 400 && word != "" {
					t.Errorf("%s %s: %q in %d %s", op.Name, body, word, r.status, r.body)
				}
			}
		}
	}
}
