// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// misses prints what the oracle and the scanner disagree about, in files that are not held back.
var misses = flag.String("misses", "", "print the disagreements of this language")

// filesOfLanguage makes 204 files of twelve languages.
const filesOfLanguage = 17

// perLanguage is the number of files of each language; a third is held back.
var perLanguage = flag.Int("files", filesOfLanguage, "files of each language")

// compared has the kinds that are compared, by language: the letters of ctags, and its words with those of this package
// that they stand for, where these differ.
var compared = map[string]struct{ letters, kinds string }{
	"Go":     {"fstiacv", "func=func method, struct, type, interface, talias=type, const, var"},
	"Python": {"cfm", "class, function, member=method"},
	"Java":   {"cgima", "class=class record, enum, interface, method=method constructor, annotation"},
	"C":      {"fsugtdp", "function, struct, union, enum, typedef, macro, prototype"},
	"C++":    {"fcsugtdnp", "function=function method, class, struct, union, enum, typedef=typedef alias, macro, namespace, prototype"},
	"Rust": {"nsicfgtMPv", "module=mod, struct=struct union, interface=trait, implementation=impl, function=fn method, method=fn method, " +
		"enum, typedef=type, macro, variable=static"},
	"Ruby":  {"cfmS", "class, method, module, singletonMethod=method"},
	"PHP":   {"cdfint", "class=class enum, define=const, function=function method, interface, namespace, trait"},
	"Shell": {"f", "function"},
	"Emacs Lisp": {"fvcmaVsieMDCGHT", "function, subst=function, inline=function, variable, const=constant, macro, alias, varalias=alias, error, " +
		"minorMode=mode, derivedMode=mode, custom, group, face, theme"},
	"JavaScript": {"", "class, function, method, getter, setter, constructor"},
	"TypeScript": {"", "class, function, method, getter, setter, constructor, interface, type, enum, namespace"},
}

// sample is one file of the comparison.
type sample struct {
	language, path string
	src            []byte
	hash           uint64 // of the path below its root
	held           bool   // held back: its disagreements are not shown
}

// sourcesEnv names the folder of source code of other people downloaded for this run.
const sourcesEnv = "FOVEA_SOURCES"

// sourcesOfOthers returns the folder that FOVEA_SOURCES names, with the packages that
// .ci/sources unpacks. If the variable is not set, it skips the test; if it names no folder,
// it fails it.
func sourcesOfOthers(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv(sourcesEnv)
	if dir == "" {
		tb.Skipf("%s is not set: %s needs the source code that .ci/sources downloads", sourcesEnv, tb.Name())
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		tb.Fatalf("%s=%s is not a folder; run .ci/parts again", sourcesEnv, dir)
	}
	return dir
}

// samples returns files of each language that other people wrote: of Go from the modules of
// this one, of JavaScript, TypeScript and Java from the packages of Node, and of the others
// from Debian packages. The hash of a path chooses.
func samples(tb testing.TB) []sample {
	tb.Helper()
	byLanguage := map[string][]sample{}
	collect := func(root string, languages ...string) {
		for _, f := range filesBelow(tb, root) {
			if slices.Contains(languages, f.language) {
				byLanguage[f.language] = append(byLanguage[f.language], f)
			}
		}
	}
	modules, err := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Dir}}{{end}}{{end}}", "github.com/fovea-memory/fovea/...").Output()
	if err != nil {
		tb.Fatal(err)
	}
	roots := strings.Fields(string(modules))
	slices.Sort(roots)
	for _, root := range slices.Compact(roots) {
		collect(root, "Go")
	}
	collect(foveatest.NodePackages(tb, "typescript"), "JavaScript", "TypeScript", "Java")
	collect(sourcesOfOthers(tb), "Python", "C", "C++", "Rust", "Ruby", "PHP", "Shell", "Emacs Lisp")
	var chosen []sample
	for _, language := range slices.Sorted(maps.Keys(languages)) {
		list := byLanguage[language]
		slices.SortFunc(list, func(a, b sample) int { return cmp.Or(cmp.Compare(a.hash, b.hash), strings.Compare(a.path, b.path)) })
		if len(list) < min(*perLanguage, filesOfLanguage) {
			tb.Errorf("%d files of %s, want %d", len(list), language, filesOfLanguage)
		}
		chosen = append(chosen, list[:min(len(list), *perLanguage)]...)
	}
	return chosen
}

// filesBelow returns the files of source code below root that people wrote.
func filesBelow(tb testing.TB, root string) []sample {
	tb.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		tb.Fatal(err)
	}
	var files []sample
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		const smallest, largest = 1500, 200_000
		info, err := entry.Info()
		if err != nil || info.Size() < smallest || info.Size() > largest || declarationFile.MatchString(path) {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		language := Language(path, src)
		if language == "" || generated(src) {
			return nil
		}
		below, err := filepath.Rel(root, path)
		h := fnv.New64a()
		h.Write([]byte(below))
		files = append(files, sample{language: language, path: path, src: src, hash: h.Sum64(), held: h.Sum64()>>8%3 == 0})
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// declarationFile matches files that a compiler of TypeScript wrote.
var declarationFile = regexp.MustCompile(`\.d\.[cm]?ts$|\.min\.`)

// generated reports whether a program wrote src, or shortened it.
func generated(src []byte) bool {
	return bytes.Contains(src[:min(len(src), 2000)], []byte("DO NOT EDIT")) || len(src) > 200*(1+bytes.Count(src, []byte("\n")))
}

// tag is a definition that an oracle found, in the form of the JSON of ctags.
type tag struct {
	Path, Name, Kind string
	Line, End        int // End is 0 where an oracle does not know it
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
		command = exec.Command(foveatest.Part(t, "ctags"), "--options=NONE", "--output-format=json", "--fields=+nKe", "--extras=-{anonymous}", "--sort=no",
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
type score struct {
	both, oracle, ours int
	ends, equal        int // of those that both found: an oracle knows the end, and it is the same
}

func (s score) recall() float64    { return float64(s.both) / max(float64(s.oracle), 1) }
func (s score) precision() float64 { return float64(s.both) / max(float64(s.ours), 1) }

// end is the share of equal ends.
func (s score) end() float64 { return float64(s.equal) / max(float64(s.ends), 1) }

func (s score) String() string {
	return fmt.Sprintf("recall %.3f, precision %.3f of %d definitions, %.3f of %d ends", s.recall(), s.precision(), s.oracle, s.end(), s.ends)
}

func (s *score) add(o score) {
	s.both += o.both
	s.oracle += o.oracle
	s.ours += o.ours
	s.ends += o.ends
	s.equal += o.equal
}

// compare counts the definitions that both found: of the same name and kind, in the same
// line. Where a definition begins before the line of its name, as after an attribute, the
// nearest within its head counts.
func compare(t *testing.T, f sample, tags []tag) score {
	type key struct{ name, kind string }
	show := func(format string, args ...any) {
		if *misses == f.language && !f.held {
			t.Logf(format, args...)
		}
	}
	lines := map[key][]tag{}
	var s score
	for _, one := range tags {
		k := key{plain(one.Name), group(f.language, one.Kind)}
		if k.kind == "" || strings.HasPrefix(one.Name, "__anon") || f.language == "Shell" && strings.HasSuffix(one.Name, "=") {
			continue
		}
		s.oracle++
		lines[k] = append(lines[k], one)
	}
	for _, d := range Definitions(f.language, f.src) {
		k := key{plain(d.Name), ours(f.language, d.Kind)}
		if k.kind == "" {
			continue
		}
		s.ours++
		i := slices.IndexFunc(lines[k], func(one tag) bool {
			return one.Line >= d.Line-1 && one.Line <= d.EndLine && (one.Line <= d.Line+12 || one.Line == d.EndLine)
		})
		if i < 0 {
			show("extra   %s:%d %s %s", f.path, d.Line, d.Kind, d.Name)
			continue
		}
		s.both++
		if end := lines[k][i].End; end > 0 {
			if s.ends++; end == d.EndLine {
				s.equal++
			} else {
				show("end %d  %s:%d-%d %s %s", end, f.path, d.Line, d.EndLine, d.Kind, d.Name)
			}
		}
		lines[k] = slices.Delete(slices.Clone(lines[k]), i, i+1)
	}
	for k, missing := range lines {
		for _, one := range missing {
			show("missing %s:%d %s %s", f.path, one.Line, k.kind, k.name)
		}
	}
	return s
}

// plain is a name without white space, which operators have in different places.
func plain(name string) string { return strings.Join(strings.Fields(name), "") }

// group returns the kinds of this package that a kind of an oracle stands for, "" for one that is not compared.
func group(language, kind string) string {
	for item := range strings.SplitSeq(compared[language].kinds, ", ") {
		if name, kinds, other := strings.Cut(item, "="); name == kind && other {
			return kinds
		} else if name == kind {
			return name
		}
	}
	return ""
}

// ours returns the group that a kind of this package is in.
func ours(language, kind string) string {
	for item := range strings.SplitSeq(compared[language].kinds, ", ") {
		name, kinds, other := strings.Cut(item, "=")
		if !other {
			kinds = name
		}
		if slices.Contains(strings.Fields(kinds), kind) {
			return kinds
		}
	}
	return ""
}

// TestDefinitionsEqualThoseOfTheOracle compares the definitions in files that other people
// wrote with those of universal-ctags, for JavaScript and TypeScript with those of the
// compiler. A third of the files is held back: nobody looks at what differs in them.
func TestDefinitionsEqualThoseOfTheOracle(t *testing.T) {
	const bar, meanBar = .92, .97
	byLanguage := map[string][]sample{}
	for _, f := range samples(t) {
		byLanguage[f.language] = append(byLanguage[f.language], f)
	}
	var recall, precision float64
	for _, language := range slices.Sorted(maps.Keys(byLanguage)) {
		files := byLanguage[language]
		tags := oracle(t, language, files)
		var all, held score
		for _, f := range files {
			s := compare(t, f, tags[f.path])
			if all.add(s); f.held {
				held.add(s)
			}
		}
		t.Logf("%-10s %d files: %v; held back: %v", language, len(files), all, held)
		if all.recall() < bar || all.precision() < bar {
			t.Errorf("%s: %v, want at least %.2f", language, all, bar)
		}
		if all.ends > 0 && all.end() < bar {
			t.Errorf("%s: %.3f of the ends are those of the oracle, want at least %.2f", language, all.end(), bar)
		}
		recall += all.recall() / float64(len(byLanguage))
		precision += all.precision() / float64(len(byLanguage))
	}
	t.Logf("mean recall %.3f, precision %.3f", recall, precision)
	if recall < meanBar || precision < meanBar {
		t.Errorf("mean recall %.3f, precision %.3f, want at least %.2f", recall, precision, meanBar)
	}
}
