// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// misses prints what the oracle and the scanner disagree about, in files that are not held back.
var misses = flag.String("misses", "", "print the disagreements of this language")

// perLanguage is the number of files of each language, of which a third is held back.
var perLanguage = flag.Int("files", 17, "files of each language")

// compared has the kinds that are compared, by language: those of ctags, letter and word, with
// the words of this package that they stand for.
var compared = map[string]struct {
	letters string
	kinds   map[string]string // of ctags to ours; "" leaves it out
}{
	"Go":         {"fstiacv", map[string]string{"func": "func method", "struct": "struct", "type": "type", "interface": "interface", "talias": "type", "const": "const", "var": "var"}},
	"Python":     {"cfm", map[string]string{"class": "class", "function": "function", "member": "method"}},
	"Java":       {"cgima", map[string]string{"class": "class record", "enum": "enum", "interface": "interface", "method": "method constructor", "annotation": "annotation"}},
	"C":          {"fsugtdp", map[string]string{"function": "function", "struct": "struct", "union": "union", "enum": "enum", "typedef": "typedef", "macro": "macro", "prototype": "prototype"}},
	"C++":        {"fcsugtdnp", map[string]string{"function": "function method", "class": "class", "struct": "struct", "union": "union", "enum": "enum", "typedef": "typedef alias", "macro": "macro", "namespace": "namespace", "prototype": "prototype"}},
	"Rust":       {"nsicfgtMPv", map[string]string{"module": "mod", "struct": "struct union", "interface": "trait", "implementation": "impl", "function": "fn method", "enum": "enum", "typedef": "type", "macro": "macro", "method": "fn method", "variable": "static"}},
	"Ruby":       {"cfmS", map[string]string{"class": "class", "method": "method", "module": "module", "singletonMethod": "method"}},
	"PHP":        {"cdfint", map[string]string{"class": "class enum", "define": "const", "function": "function method", "interface": "interface", "namespace": "namespace", "trait": "trait"}},
	"Shell":      {"f", map[string]string{"function": "function"}},
	"Emacs Lisp": {"fvcmaVsieMDCGHT", map[string]string{"function": "function", "subst": "function", "inline": "function", "variable": "variable", "const": "constant", "macro": "macro", "alias": "alias", "varalias": "alias", "error": "error", "minorMode": "mode", "derivedMode": "mode", "custom": "custom", "group": "group", "face": "face", "theme": "theme"}},
}

// sample is one file of the comparison.
type sample struct {
	language, path string
	src            []byte
	held           bool
}

// samples returns files of each language, chosen by the hash of their path below a root.
func samples(t testing.TB) []sample {
	type candidate struct {
		sample
		hash uint64
	}
	byLanguage := map[string][]candidate{}
	for _, root := range sourceRoots(t) {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !entry.Type().IsRegular() {
				return nil
			}
			if info, err := entry.Info(); err != nil || info.Size() < 1500 || info.Size() > 200_000 {
				return nil
			}
			if strings.HasSuffix(path, ".d.ts") || strings.HasSuffix(path, ".d.mts") || strings.HasSuffix(path, ".d.cts") || strings.Contains(path, ".min.") {
				return nil
			}
			head := readHead(path)
			language := Language(path, head)
			if language == "" {
				return nil
			}
			h := fnv.New64a()
			below, _ := filepath.Rel(root, path)
			h.Write([]byte(below))
			byLanguage[language] = append(byLanguage[language], candidate{sample{language: language, path: path, held: h.Sum64()>>8%3 == 0}, h.Sum64()})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var chosen []sample
	for language := range languages {
		list := byLanguage[language]
		slices.SortFunc(list, func(a, b candidate) int {
			return strings.Compare(string(fmtHash(a.hash)), string(fmtHash(b.hash)))
		})
		n := 0
		for _, c := range list {
			src, err := os.ReadFile(c.path)
			if err != nil {
				t.Fatal(err)
			}
			if n == *perLanguage || minified(src) || generated(src) {
				continue
			}
			n++
			c.src = src
			chosen = append(chosen, c.sample)
		}
		if n < min(*perLanguage, 17) {
			t.Errorf("%d files of %s", n, language)
		}
	}
	return chosen
}

func fmtHash(h uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(h >> (8 * (7 - i)))
	}
	return b
}

func minified(src []byte) bool { return len(src) > 200*(1+bytes.Count(src, []byte("\n"))) }

func generated(src []byte) bool {
	return bytes.Contains(src[:min(len(src), 2000)], []byte("DO NOT EDIT"))
}

func readHead(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 1<<16)
	n, _ := f.Read(head)
	return head[:n]
}

func sourceRoots(t testing.TB) []string {
	roots := []string{foveatest.NodePackages(t, "typescript")}
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	roots = append(roots, strings.TrimSpace(string(out)), os.Getenv("FOVEA_SOURCES"))
	for i, root := range roots {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			roots[i] = real
		}
	}
	return roots
}

// tag is a definition that an oracle found, in the form of the JSON of ctags.
type tag struct {
	Path, Name, Kind, Scope string
	Line                    int
}

// oracle returns the tags of the files of a language by path.
func oracle(t *testing.T, language string, files []sample) map[string][]tag {
	var paths strings.Builder
	for _, f := range files {
		paths.WriteString(f.path + "\n")
	}
	var command *exec.Cmd
	if language == "JavaScript" || language == "TypeScript" {
		script, err := filepath.Abs("testdata/definitions.cjs")
		if err != nil {
			t.Fatal(err)
		}
		command = exec.Command(foveatest.Part(t, "node"), script)
		command.Env = append(os.Environ(), "NODE_PATH="+foveatest.NodePackages(t, "typescript"))
	} else {
		name := map[string]string{"Shell": "Sh", "Emacs Lisp": "EmacsLisp"}[language]
		if name == "" {
			name = language
		}
		command = exec.Command(foveatest.Part(t, "ctags"), "--options=NONE", "--output-format=json", "--fields=+nK", "--extras=-{anonymous}", "--sort=no",
			"--language-force="+name, "--kinds-"+name+"="+compared[language].letters, "-o", "-", "-L", "-")
	}
	command.Stdin = strings.NewReader(paths.String())
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", language, err, stderr.String())
	}
	found := map[string][]tag{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one tag
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%s: %s: %v", language, lines.Text(), err)
		}
		found[one.Path] = append(found[one.Path], one)
	}
	return found
}

// score counts what was found.
type score struct{ both, oracle, ours int }

func (s score) recall() float64    { return float64(s.both) / max(float64(s.oracle), 1) }
func (s score) precision() float64 { return float64(s.both) / max(float64(s.ours), 1) }

func (s *score) add(o score) {
	s.both += o.both
	s.oracle += o.oracle
	s.ours += o.ours
}

// compare counts the definitions that both found: of the same name and kind, in the same
// line. Where a definition begins before the line of its name, as after an attribute, the
// nearest within its head counts.
func compare(t *testing.T, f sample, tags []tag) score {
	type key struct{ name, kind string }
	lines := map[key][]int{}
	var s score
	for _, one := range tags {
		k := key{plain(one.Name), group(f.language, one.Kind)}
		if k.kind == "" || strings.HasPrefix(one.Name, "__anon") || f.language == "Shell" && strings.HasSuffix(one.Name, "=") {
			continue
		}
		s.oracle++
		lines[k] = append(lines[k], one.Line)
	}
	for _, d := range Definitions(f.language, f.src) {
		k := key{plain(d.Name), ours(f.language, d.Kind)}
		if k.kind == "" {
			continue
		}
		s.ours++
		if i := slices.IndexFunc(lines[k], func(line int) bool {
			return line >= d.Line-1 && line <= d.EndLine && (line <= d.Line+12 || line == d.EndLine)
		}); i >= 0 {
			s.both++
			lines[k] = slices.Delete(slices.Clone(lines[k]), i, i+1)
		} else if *misses == f.language && !f.held {
			t.Logf("extra   %s:%d %s %s", f.path, d.Line, d.Kind, d.Name)
		}
	}
	for k, missing := range lines {
		for _, line := range missing {
			if *misses == f.language && !f.held {
				t.Logf("missing %s:%d %s %s", f.path, line, k.kind, k.name)
			}
		}
	}
	return s
}

// plain is a name without white space, which operators have in different places.
func plain(name string) string { return strings.Join(strings.Fields(name), "") }

// group returns the kinds of this package that a kind of an oracle stands for.
func group(language, kind string) string {
	kinds := compared[language].kinds
	if kinds == nil {
		return kind
	}
	return kinds[kind]
}

// ours returns the group that a kind of this package is in.
func ours(language, kind string) string {
	kinds := compared[language].kinds
	if kinds == nil {
		return kind
	}
	for _, group := range kinds {
		if slices.Contains(strings.Fields(group), kind) {
			return group
		}
	}
	return ""
}

// TestDefinitionsEqualThoseOfTheOracle compares the definitions of files that other people
// wrote with those of universal-ctags, for JavaScript and TypeScript of the compiler.
func TestDefinitionsEqualThoseOfTheOracle(t *testing.T) {
	files := samples(t)
	byLanguage := map[string][]sample{}
	for _, f := range files {
		byLanguage[f.language] = append(byLanguage[f.language], f)
	}
	for language, list := range byLanguage {
		tags := oracle(t, language, list)
		var dev, held score
		for _, f := range list {
			s := compare(t, f, tags[f.path])
			if f.held {
				held.add(s)
			} else {
				dev.add(s)
			}
			if *misses == language && !f.held {
				t.Logf("%.3f %.3f %d %s", s.recall(), s.precision(), s.oracle, f.path)
			}
		}
		t.Logf("%-10s files %d  dev recall %.3f precision %.3f (%d)  held recall %.3f precision %.3f (%d)", language, len(list), dev.recall(), dev.precision(), dev.oracle, held.recall(), held.precision(), held.oracle)
	}
}
