// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hook

import "regexp"

// secrets match what is not kept, with what stands in its place: private keys, tokens of known
// forms, and what stands behind a word such as password.
var secrets = []struct {
	match *regexp.Regexp
	with  string
}{
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\z)`), "[…]"},
	{regexp.MustCompile(`\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|` +
		`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bglpat-[A-Za-z0-9_-]{16,}|\bAGE-SECRET-KEY-1[A-Z0-9]+|` +
		`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+`), "[…]"},
	{regexp.MustCompile(`(?i)\b((?:[a-z0-9]+[_-])*(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key)["']?\s*[:=]\s*)` +
		`("[^"\n]*"|'[^'\n]*'|[^\s,;"']+)`), "$1[…]"},
	{regexp.MustCompile(`(?i)\b(authorization:\s*(?:bearer|basic)\s+)\S+`), "$1[…]"},
	{regexp.MustCompile(`\b(Bearer\s+)[A-Za-z0-9._~+/=-]{16,}`), "$1[…]"},
	{regexp.MustCompile(`(\s(?:-u|--user)[ =]["']?[^\s:"']+:)[^\s"']+`), "$1[…]"},
	{regexp.MustCompile(`\b([a-z][a-z0-9+.-]*://[^\s:/@]+:)[^\s@/]+@`), "$1[…]@"},
}

// masked returns a text with […] for what looks like a secret.
func masked(text string) string {
	for _, s := range secrets {
		text = s.match.ReplaceAllString(text, s.with)
	}
	return text
}
