// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

// goldenFormat0 is what TestGoldenFormat0 expects: ids by place, and digests.
var goldenFormat0 = map[string]string{
	"a.org A2":    "doc",
	"a.org One0":  "~dgid5megpq662n223zjjlqweae",
	"a.org One1":  "~5ms7xufxoyhe67pw5zl7hvc2yi",
	"a.org Two0":  "~vlwt7zkalqvpipp3azddhj5bti",
	"b.org One0":  "~fkcrgjofgb72tvmdckvn7eng7a::#c",
	"b.org b1":    "~fkcrgjofgb72tvmdckvn7eng7a",
	"commit":      "bafyreidd67flwbdzw5tjodzzjc5onfj46o4x4b3unkum3xrk5dkyuf5wpu",
	"derived":     "bafyreihxevf6zixazf2gxpj6ybxmiunlbjdrtjahxk5sd4yna2hx5473ey",
	"nodes":       "bafyreihcgl3bweqbtu4lhy4we2db6mwcgowjl46ip4xxnos5573ppir44i",
	"root":        "bafyreifxbnus5zj4ighurgyjhyvmoltooz6e7pez62icctrn5zyszkamwe",
	"skills/x x0": "~geoq545mqo6q653sbofizn4vf4",
}
