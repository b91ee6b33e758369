// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import "testing"

// TestLinkAbbreviations checks that queries see addresses expanded by the #+LINK lines
// of the whole document and its setup files.
func TestLinkAbbreviations(t *testing.T) {
	v := view(map[string]string{
		"a.org": "#+LINK: g https://g/%s\n[[g:top]]\n* one\n[[g:zzz][words]]\n\n| [[g:cell]] |\n* open\n#+begin_src\n* two\n[[late:x]]\n" +
			"#+link: late https://late/\n* three [[g:head]]\n[[other:y]]\n",
		"b.org":        "#+SETUPFILE: set/s.org\n* four\n[[g:zzz]] and [[s:q r]]",
		"c.org":        "* five\n[[g:zzz]]\n",
		"d.org":        "#+LINK: g https://first/\n#+LINK: g https://second/\n* six\n[[g:1]]\n",
		"e.org":        "#+LINK: g https://g/\n* seven :crypt:\n[[g:zzz]]\n",
		"set/s.org":    "#+SETUPFILE: more.org\n#+LINK: s https://s/%h\n",
		"set/more.org": "#+LINK: g https://setup/\n",
	})
	for q, want := range map[string]string{
		`link:"https://g/zzz"`:                     "one",
		`link:"https://g/"`:                        "a, one, three [[g:head]]",
		`link:target=https://g/,description=words`: "one",
		`link:"g:zzz"`:                             "five",
		`link:"https://late/x"`:                    "two",
		`link:"https://setup/zzz"`:                 "four",
		`link:"https://s/q%20r"`:                   "four",
		`link:"https://first/"`:                    "",
		`link:"https://second/1"`:                  "six",
		`link:"other:y"`:                           "three [[g:head]]",
		`type:table link:"https://g/"`:             "| [[g:cell]] |",
		`type:paragraph link:"https://g/"`:         "[[g:top]], [[g:zzz][words]]",
	} {
		if got := titles(t, v, q); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
}
