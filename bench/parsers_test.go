// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	goorg "github.com/niklasfasching/go-org/org"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// uniorg is the version of the npm package that is measured.
const uniorg = "uniorg-parse@3.2.2"

// parsed is what reading all files once took.
type parsed struct {
	cpu       time.Duration
	headlines int
	allocated uint64 // bytes; 0 where it is not known
}

// BenchmarkParsers reads the sample of the public corpus with Fovea, elements and
// objects and all, with go-org and with uniorg, by turns and on one thread, and
// reports megabytes of text for a second of processor time.
func BenchmarkParsers(b *testing.B) {
	files := sample(b)
	readUniorg := newUniorg(b, &files)
	size := 0
	for _, f := range files {
		size += len(f)
	}
	sides := map[string]func() parsed{
		"outline": func() parsed { return inProcess(files, readOutline) },
		"fovea":   func() parsed { return inProcess(files, readAll) },
		"go-org":  func() parsed { return inProcess(files, readGoOrg) },
		"uniorg":  readUniorg,
	}
	names := slices.Sorted(maps.Keys(sides))
	for b.Loop() {
		taken := map[string][]parsed{}
		for range rounds() {
			for _, name := range names {
				if read := sides[name]; read != nil {
					taken[name] = append(taken[name], read())
				}
			}
		}
		ours := taken["fovea"][0].headlines
		for name, runs := range taken {
			slices.SortFunc(runs, func(a, b parsed) int { return cmp.Compare(a.cpu, b.cpu) })
			middle := runs[len(runs)/2]
			if d := middle.headlines - ours; d*100 > ours || -d*100 > ours {
				b.Fatalf("%s saw %d headlines, fovea %d: no comparison", name, middle.headlines, ours)
			}
			b.ReportMetric(float64(size)/1e6/middle.cpu.Seconds(), name+"-MB/s")
			if middle.allocated > 0 {
				b.ReportMetric(float64(middle.allocated)/float64(size), name+"-B-alloc/B")
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}

// sample returns the texts of the public corpus' sample, or generated ones.
func sample(b *testing.B) []string {
	if os.Getenv("FOVEA_TESTDATA") == "" {
		var texts []string
		for f := range foveatest.Size(150, 20) {
			texts = append(texts, foveatest.GenFile(f, 20))
		}
		return texts
	}
	corpus := filepath.Join(foveatest.Testdata(b), "corpus")
	list, err := os.ReadFile(filepath.Join(corpus, "golden", "sample.txt"))
	if err != nil {
		b.Fatal(err)
	}
	var texts []string
	for name := range strings.Lines(string(list)) {
		if testing.Short() && len(texts) == 20 {
			break
		}
		text, err := os.ReadFile(filepath.Join(corpus, "org", strings.TrimSuffix(name, "\n")))
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// inProcess reads all files on one thread.
func inProcess(files []string, read func(string) int) parsed {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := processor()
	var p parsed
	for _, text := range files {
		p.headlines += read(text)
	}
	p.cpu = processor() - begun
	runtime.ReadMemStats(&after)
	p.allocated = after.TotalAlloc - before.TotalAlloc
	return p
}

// processor returns the processor time of this process, collections included.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func readOutline(text string) int { return len(org.Parse(text, nil).Headlines) }

func readAll(text string) int {
	d := org.Parse(text, nil)
	for i := -1; i < len(d.Headlines); i++ {
		d.Objects(i)
	}
	return len(d.Headlines)
}

func readGoOrg(text string) int {
	return len(allSections(goorg.New().Silent().Parse(strings.NewReader(text), "").Outline.Section))
}

func allSections(s *goorg.Section) []*goorg.Section {
	var out []*goorg.Section
	for _, child := range s.Children {
		out = append(append(out, child), allSections(child)...)
	}
	return out
}

// newUniorg installs uniorg into the user's cache, takes out of files those on which
// it fails, and returns what reads the others with it; nil, by name, where that
// cannot be done.
func newUniorg(b *testing.B, files *[]string) func() parsed {
	folder, node := installUniorg(b), foveatest.Part(b, "node")
	if folder == "" {
		return nil
	}
	input := filepath.Join(b.TempDir(), "texts.json")
	read := func() (p parsed, failed []int) {
		texts, err := json.Marshal(*files)
		if err == nil {
			err = os.WriteFile(input, texts, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
		out, err := exec.CommandContext(b.Context(), node, filepath.Join(folder, "read.mjs"), input).Output()
		var said struct {
			CPU       int64 `json:"cpu"` // microseconds
			Headlines int   `json:"headlines"`
			Failed    []int `json:"failed"`
		}
		if err == nil {
			err = json.Unmarshal(out, &said)
		}
		if err != nil {
			b.Fatal(err)
		}
		return parsed{cpu: time.Duration(said.CPU) * time.Microsecond, headlines: said.Headlines}, said.Failed
	}
	_, failed := read()
	for _, place := range slices.Backward(failed) {
		*files = slices.Delete(*files, place, place+1)
	}
	b.Logf("files on which uniorg fails, left out for all: %d", len(failed))
	return func() parsed {
		p, _ := read()
		return p
	}
}

// installUniorg returns the folder that holds uniorg and the script beside it.
func installUniorg(b *testing.B) string {
	npm := foveatest.Part(b, "npm")
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	folder := filepath.Join(cache, "fovea-bench", uniorg)
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "uniorg-parse")); err != nil {
		c := exec.CommandContext(b.Context(), npm, "install", "--prefix", folder, "--no-audit", "--no-fund", uniorg)
		if out, err := c.CombinedOutput(); err != nil {
			b.Logf("%s cannot be installed and is left out: %v\n%s", uniorg, err, out)
			return ""
		}
	}
	script, err := os.ReadFile("uniorg.mjs")
	if err == nil { // a module finds its packages from where it lies
		err = os.WriteFile(filepath.Join(folder, "read.mjs"), script, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	return folder
}
