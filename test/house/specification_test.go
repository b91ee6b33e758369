// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const specificationFile = "doc/specification.md"

// contractCounts is how many contracts each group has, in the page's order.
var contractCounts = []struct {
	group string
	count int
}{{"M", 53}, {"C", 24}, {"P", 31}, {"X", 31}, {"H", 50}}

// seedTests names the Go test that a contract asks for by name.
var seedTests = map[string]string{
	"M29": "TestMerkleHashConsistency", "M30": "TestMerkleHashCascading",
	"M31": "TestHistoryStoreImmutability", "M32": "TestCowSnapshotAndRollback",
	"C21": "TestMerkleHashDifferent", "C22": "TestIngestASTReturnsID",
	"C23": "TestMemoryObjectGet", "C24": "TestSnapshotAndRollback",
	"P28": "TestLocalRoundtrip", "P29": "TestChaosScenarioA", "P30": "TestChaosScenarioB",
	"X30": "TestFovealRendering", "X31": "TestAwarenessBudget",
}

// contract is one row of the specification.
type contract struct {
	line                      int
	number, text, state       string
	packages, tests, decision []string
}

// specification is the page with what its rows may name.
type specification struct {
	contracts []contract
	folders   func(name string) bool
	proofs    func(folder, test, name string) bool
	decisions func(number string) bool
}

var (
	rowStart   = regexp.MustCompile(`^\| [A-Z]\d+ \|`)
	stateForm  = regexp.MustCompile(`^(met|partly: .+|not yet|not applicable: .+)$`)
	testForm   = regexp.MustCompile(`^([^\s]+)\.((?:Test|Fuzz|Benchmark|Example)\w*)(?:/([^\s]+))?$`)
	proofStart = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)`)
)

// parseContracts reads the rows of the page.
func parseContracts(text string) (contracts []contract, complaints []string) {
	for i, line := range strings.Split(text, "\n") {
		if !rowStart.MatchString(line) {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 6 {
			complaints = append(complaints, fmt.Sprintf("line %d: %d cells, want 6: number, contract, state, packages, tests, decision", i+1, len(cells)))
			continue
		}
		contracts = append(contracts, contract{i + 1, cells[0], cells[1], cells[2], list(cells[3]), list(cells[4]), list(cells[5])})
	}
	return contracts, complaints
}

// list splits a cell at its commas; "-" is the empty list.
func list(cell string) []string {
	if cell == "-" {
		return nil
	}
	return strings.Split(cell, ", ")
}

// check returns what is wrong with the page.
func (s *specification) check() []string {
	complaints := checkNumbers(s.contracts)
	for _, c := range s.contracts {
		complain := func(format string, args ...any) {
			complaints = append(complaints, fmt.Sprintf("line %d: %s: %s", c.line, c.number, fmt.Sprintf(format, args...)))
		}
		if !stateForm.MatchString(c.state) {
			complain("state %q; write met, partly: what is missing, not yet, or not applicable: why", c.state)
		}
		if c.state == "met" && len(c.tests) == 0 {
			complain("met without a test; name one or say what is missing")
		}
		if want := seedTests[c.number]; c.state == "met" && want != "" &&
			!slices.ContainsFunc(c.tests, func(t string) bool { return strings.HasSuffix(t, "."+want) }) {
			complain("the contract is a test; a met row names %s", want)
		}
		kept := c.state == "met" || strings.HasPrefix(c.state, "partly")
		for _, folder := range c.packages {
			if kept && !s.folders(folder) {
				complain("there is no folder %s", folder)
			}
		}
		for _, test := range c.tests {
			m := testForm.FindStringSubmatch(test)
			if m == nil {
				complain("%q is no test; write folder.TestName", test)
			} else if !s.proofs(m[1], m[2], m[3]) {
				complain("there is no test %s", test)
			}
		}
		for _, number := range c.decision {
			if !s.decisions(number) {
				complain("there is no decision record %s", number)
			}
		}
	}
	return complaints
}

// checkNumbers complains about the first number that is not the one due.
func checkNumbers(contracts []contract) []string {
	var want []string
	for _, g := range contractCounts {
		for i := range g.count {
			want = append(want, g.group+strconv.Itoa(i+1))
		}
	}
	for i, number := range want {
		if i >= len(contracts) {
			return []string{fmt.Sprintf("the row %s is missing", number)}
		}
		if c := contracts[i]; c.number != number {
			return []string{fmt.Sprintf("line %d: row %s where %s is due; each number stands once, in order", c.line, c.number, number)}
		}
	}
	if len(contracts) > len(want) {
		return []string{fmt.Sprintf("line %d: row %s is one too many", contracts[len(want)].line, contracts[len(want)].number)}
	}
	return nil
}

// provedIn returns whether a folder holds a test function and, where a case is
// named, a script of that name or a literal of it in the folder's tests.
func provedIn(sources []*source) func(folder, test, name string) bool {
	return func(folder, test, name string) bool {
		if folder == "fovea" {
			folder = "."
		}
		found, named := false, name == ""
		for _, s := range sources {
			if s.dir() != folder || !s.isTest() {
				continue
			}
			for _, decl := range s.syntax.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && proofStart.MatchString(f.Name.Name) && f.Name.Name == test {
					found = true
				}
			}
			named = named || strings.Contains(s.text, strconv.Quote(name)) || strings.Contains(s.text, strconv.Quote(strings.ReplaceAll(name, "_", " ")))
		}
		if !named {
			scripts, err := filepath.Glob(filepath.Join(folder, "testdata", "*", name+".txt*"))
			named = err == nil && len(scripts) > 0
		}
		return found && named
	}
}

func TestSpecification(t *testing.T) {
	text, err := os.ReadFile(specificationFile)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	contracts, complaints := parseContracts(string(text))
	numbers := decisionNumbers(t)
	spec := specification{
		contracts: contracts,
		folders: func(name string) bool {
			_, err := os.Stat(name)
			return err == nil || name == "fovea"
		},
		proofs:    provedIn(sources),
		decisions: func(number string) bool { return numbers[number] },
	}
	for _, c := range append(complaints, spec.check()...) {
		t.Errorf("%s: %s", specificationFile, c)
	}
}

func TestSpecificationRulesCatch(t *testing.T) {
	text, err := os.ReadFile(specificationFile)
	if err != nil {
		t.Fatal(err)
	}
	sample := regexp.MustCompile(`(?m)^\| M40 \|.*$`)
	seed := regexp.MustCompile(`(?m)^\| M29 \|.*$`)
	if !sample.Match(text) || !seed.Match(text) {
		t.Fatal("the rows M29 and M40 are missing")
	}
	for _, tc := range []struct {
		name string
		at   *regexp.Regexp
		row  string
		want string
	}{
		{"missing", sample, "", "row M41 where M40 is due"},
		{"doubled", sample, "| M39 | a | not yet | - | - | - |", "row M39 where M40 is due"},
		{"cells", sample, "| M40 | a | not yet | - |", "4 cells"},
		{"state", sample, "| M40 | a | done | - | - | - |", "state \"done\""},
		{"partly without words", sample, "| M40 | a | partly | - | - | - |", "state \"partly\""},
		{"met without a test", sample, "| M40 | a | met | - | - | - |", "met without a test"},
		{"met by another test", seed, "| M29 | a | met | - | node.TestThere | - |", "TestMerkleHashConsistency"},
		{"no such test", sample, "| M40 | a | met | - | node.TestGone | - |", "no test node.TestGone"},
		{"no such case", sample, "| M40 | a | met | - | node.TestThere/gone | - |", "no test node.TestThere/gone"},
		{"not a test", sample, "| M40 | a | met | - | TestThere | - |", "write folder.TestName"},
		{"no such folder", sample, "| M40 | a | met | nowhere | node.TestThere | - |", "no folder nowhere"},
		{"no such record", sample, "| M40 | a | met | - | node.TestThere | 9999 |", "no decision record 9999"},
		{"good", sample, "| M40 | a | met | there | node.TestThere, node.TestThere/case_one | 0001 |", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			there, err := parseSource("node/a_test.go", "package node\nfunc TestThere() { run(\"case one\") }")
			if err != nil {
				t.Fatal(err)
			}
			contracts, complaints := parseContracts(tc.at.ReplaceAllLiteralString(string(text), tc.row))
			changed := "M40"
			if tc.at == seed {
				changed = "M29"
			}
			for i := range contracts { // only the changed row is under test
				if c := &contracts[i]; c.number != changed {
					c.packages, c.tests, c.decision, c.state = nil, nil, nil, "not yet"
				}
			}
			spec := specification{
				contracts: contracts,
				folders:   func(name string) bool { return name == "there" },
				proofs:    provedIn([]*source{there}),
				decisions: func(number string) bool { return number == "0001" },
			}
			got := append(complaints, spec.check()...)
			if tc.want == "" && len(got) > 0 || tc.want != "" && !slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, tc.want) }) {
				t.Errorf("got %q, want a complaint with %q", got, tc.want)
			}
		})
	}
}
