// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

const (
	maxWait      = 5 * time.Minute // for a git command that transfers the largest object
	stopWait     = 5 * time.Second // for git to end after that
	maxGitReport = 2000            // bytes of git's output, from its end
	// maxFile is the largest file that git may write, in blocks of ulimit: an object, its index and a margin.
	maxFile = "65536"
)

// SpaceName matches the name of a memory on a server that keeps several.
var SpaceName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// errGitAddress describes the form of an address without quoting it, as it may contain a password.
var errGitAddress = fmt.Errorf("%w; a repository is git+https://HOST/PATH, git+ssh://HOST/PATH or git+file:///PATH, without a password, which git gets "+
	"from its own configuration; after ? you can write branches=true and name=NAME, of 1 to 64 letters, digits, hyphens and underscores", ErrURL)

// parseGit parses an address. Errors: errGitAddress.
func parseGit(address string) (repo, refs string, err error) {
	u, err := url.Parse(strings.TrimPrefix(address, "git+"))
	if err != nil || u.Path == "" || u.Fragment != "" || strings.HasPrefix(u.Host, "-") ||
		u.User != nil && (u.Scheme != "ssh" || strings.HasPrefix(u.User.String(), "-") || strings.Contains(u.User.String(), ":")) {
		return "", "", errGitAddress
	}
	name, base := "memory", "refs/fovea/"
	for parameter, values := range u.Query() {
		switch value := values[0]; {
		case parameter == "name" && SpaceName.MatchString(value):
			name = value
		case parameter == "branches" && value == "true":
			base = "refs/heads/fovea/"
		default:
			return "", "", errGitAddress
		}
	}
	u.RawQuery = ""
	return u.String(), base + name + "/", nil
}

// repository is a place in the refs of a git repository.
type repository struct {
	url  string // that git fetches from and pushes to
	refs string // the prefix of the refs
	home string // a bare repository of this process, for objects in transfer
}

// OpenGit opens the place that an address names: git+https://HOST/PATH, git+ssh://[USER@]HOST/PATH or
// git+file:///PATH, with ?name=NAME and branches=true. It lists the refs of the repository. Errors:
// ErrURL, ErrNoAnswer, ErrRight, ErrAway.
func OpenGit(ctx context.Context, address string, _ bool) (Place, error) {
	url, refs, err := parseGit(address)
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "fovea-git-")
	if err != nil {
		return nil, err
	}
	r := &repository{url: url, refs: refs, home: home}
	if _, err = r.git(ctx, nil, "init", "--quiet", "--bare", "--template="); err == nil {
		_, err = r.List(ctx, "")
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// ref returns the ref of an object, with equals signs for dots, which git restricts.
func (r *repository) ref(name string) string { return r.refs + strings.ReplaceAll(name, ".", "=") }

func (r *repository) Get(ctx context.Context, name string) ([]byte, string, error) {
	if err := CheckObject(name); err != nil {
		return nil, "", err
	}
	here := "refs/got/" + rand.Text()
	if _, err := r.git(ctx, nil, "fetch", "--quiet", "--no-tags", "--depth=1", "--no-write-fetch-head", "--", r.url, "+"+r.ref(name)+":"+here); err != nil {
		return nil, "", err
	}
	found, err := r.git(ctx, []byte(here+"^{commit}\n"+here+":object\n"), "cat-file", "--batch-check")
	if err != nil {
		return nil, "", err
	}
	var tag, blob string
	var size int
	if _, err := fmt.Sscanf(string(found), "%s commit %d\n%s blob %d\n", &tag, &size, &blob, &size); err != nil || size > MaxObject {
		return nil, "", fmt.Errorf("%s is not an object of at most %d bytes, but %q: %w", name, MaxObject, found, ErrDamaged)
	}
	data, err := r.git(ctx, nil, "cat-file", "blob", blob)
	return data, tag, err
}

func (r *repository) Put(ctx context.Context, name, tag string, data []byte) error {
	if err := CheckObject(name); err != nil || len(data) > MaxObject {
		return cmp.Or(err, fmt.Errorf("%s has %d bytes, more than %d: %w", name, len(data), MaxObject, ErrDamaged))
	}
	here := "refs/put/" + rand.Text() // also the message
	commit := fmt.Appendf(nil, "commit %s\ncommitter fovea <fovea@localhost> 0 +0000\ndata %d\n%s\nM 100644 inline object\ndata %d\n%s\n",
		here, len(here), here, len(data), data)
	if _, err := r.git(ctx, commit, "fast-import", "--quiet"); err != nil {
		return err
	}
	_, err := r.git(ctx, nil, "push", "--quiet", "--force-with-lease="+r.ref(name)+":"+tag, "--", r.url, here+":"+r.ref(name))
	return err
}

func (r *repository) List(ctx context.Context, prefix string) (names []string, err error) {
	rows, err := r.git(ctx, nil, "ls-remote", "--quiet", "--refs", "--", r.url, r.refs+"*")
	for field := range strings.FieldsSeq(string(rows)) {
		if ref, isOurs := strings.CutPrefix(field, r.refs); isOurs {
			names = append(names, strings.ReplaceAll(ref, "=", "."))
		}
	}
	return Objects(names, prefix), err
}

func (r *repository) Remove(ctx context.Context, name string) error {
	if err := CheckObject(name); err != nil {
		return err
	}
	_, err := r.git(ctx, nil, "push", "--quiet", "--", r.url, ":"+r.ref(name))
	if errors.Is(err, ErrNone) {
		return nil
	}
	return err
}

func (r *repository) Close() error { return os.RemoveAll(r.home) }

// gitMeanings maps messages of git to errors of places. The first match counts.
var gitMeanings = []struct {
	report *regexp.Regexp
	means  error
}{
	{regexp.MustCompile(`exec: git: not found`), errors.New("this machine has no git; install it")},
	{regexp.MustCompile(`couldn't find remote ref|remote ref does not exist`), ErrNone},
	{regexp.MustCompile(`stale info|already exists|but expected|cannot lock ref|fetch first`), ErrChanged},
	{regexp.MustCompile(`does not appear to be a git repository|not found`), ErrAway},
	{regexp.MustCompile(`Authentication failed|could not read Username|Permission denied|pre-receive hook declined|deny updating a hidden ref|` +
		`requested URL returned error: 403|Host key verification failed`), ErrRight},
}

// git runs git in the repository of this process and returns its output. Of the user's configuration,
// only credential helpers and a replacement for ssh run; only that replacement may prompt at a terminal.
func (r *repository) git(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, maxWait)
	defer stop()
	all := []string{"-c", "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES; " +
		`test -n "$GIT_SSH_COMMAND$GIT_SSH$(git "$1" config core.sshCommand)" || export GIT_SSH_COMMAND="ssh -oBatchMode=yes"; ` +
		"ulimit -f " + maxFile + ` && exec git "$@"`, "sh", "--git-dir=" + r.home, "-c", "core.hooksPath=/dev/null", "-c", "transfer.fsckObjects=true",
		"-c", "fetch.negotiationAlgorithm=noop", "-c", "gc.auto=0", "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30",
		"-c", "credential.interactive=false"}
	c := exec.CommandContext(ctx, "sh", append(all, args...)...)
	c.WaitDelay = stopWait
	c.Stdin = bytes.NewReader(input)
	c.Env = append(c.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GIT_ALLOW_PROTOCOL=file:https:ssh:http")
	out, err := c.Output()
	failed, isFailed := errors.AsType[*exec.ExitError](err)
	if ctx.Err() != nil || !isFailed {
		return out, cmp.Or(ctx.Err(), err)
	}
	report := strings.Join(strings.Fields(string(failed.Stderr)), " ")
	report = strings.ToValidUTF8(report[max(0, len(report)-maxGitReport):], "\uFFFD")
	for _, m := range gitMeanings {
		if m.report.MatchString(report) {
			return nil, fmt.Errorf("%w (git %s: %s)", m.means, args[0], report)
		}
	}
	return nil, fmt.Errorf("%w (git %s: %s)", ErrNoAnswer, args[0], report)
}
