// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package gitref

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/place"
)

const (
	maxWait   = 5 * time.Minute // for a command of git, with an object of the largest size on its way
	stopWait  = 5 * time.Second // to end after that
	maxReport = 2000            // bytes of what git says, its end
	// maxFile is the largest file that git may write, in the blocks of ulimit: an object, its index, and some more.
	maxFile = "65536"
)

var memoryName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// usage says what an address is.
const usage = "a repository is git+https://HOST/PATH, git+ssh://HOST/PATH or git+file:///PATH, and behind ? stand name=NAME and branches=true"

// parse reads an address. Errors: place.ErrURL, without the address.
func parse(address string) (repo, refs string, err error) {
	wrong := func(what string) (string, string, error) {
		return "", "", fmt.Errorf("%w; %s: %s", place.ErrURL, what, usage)
	}
	u, err := url.Parse(strings.TrimPrefix(address, "git+"))
	if err != nil || u.Path == "" || u.Fragment != "" || strings.HasPrefix(u.Host, "-") {
		return wrong("it does not name a repository")
	}
	if _, has := u.User.Password(); has || u.User != nil && (u.Scheme != "ssh" || strings.HasPrefix(u.User.Username(), "-")) {
		return wrong("leave the password out of the address: git finds it as it always does")
	}
	name, base := "memory", "refs/fovea/"
	for key, values := range u.Query() {
		switch {
		case key == "name" && memoryName.MatchString(values[0]):
			name = values[0]
		case key == "branches" && values[0] == "true":
			base = "refs/heads/fovea/"
		default:
			return wrong("it has an unknown parameter, or a name with other signs than letters, digits, hyphens and underscores")
		}
	}
	u.RawQuery = ""
	return u.String(), base + name + "/", nil
}

// git runs git in the repository of this process, and returns what it prints. Nothing of the person's
// configuration runs but what finds credentials, and nobody is asked.
func (r *repository) git(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, maxWait)
	defer stop()
	all := []string{"-c", "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES; " +
		"ulimit -f " + maxFile + ` && exec git "$@"`, "sh", "--git-dir=" + r.home, "-c", "core.hooksPath=/dev/null", "-c", "transfer.fsckObjects=true",
		"-c", "gc.auto=0", "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30", "-c", "credential.interactive=false"}
	c := exec.CommandContext(ctx, "sh", append(all, args...)...)
	c.WaitDelay = stopWait
	c.Stdin = bytes.NewReader(input)
	c.Env = append(c.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "GIT_ALLOW_PROTOCOL=file:https:ssh:http")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		c.Env = append(c.Env, "GIT_"+who+"_NAME=fovea", "GIT_"+who+"_EMAIL=fovea@localhost", "GIT_"+who+"_DATE=1970-01-01T00:00:00Z")
	}
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%w; install git", err)
	case err != nil:
		text := strings.ToValidUTF8(strings.Join(strings.Fields(said.String()), " "), "\uFFFD")
		return nil, failed(text[max(0, len(text)-maxReport):])
	}
	return out, nil
}

// failed is what git said when it failed.
type failed string

// Error returns it.
func (f failed) Error() string { return "git: " + string(f) }

// fault makes an error of git one of places. nil stays nil.
func fault(what string, err error) error {
	said, isGit := errors.AsType[failed](err)
	if !isGit {
		return err
	}
	for _, known := range []struct {
		says string
		is   error
	}{
		{"couldn't find remote ref", place.ErrNone}, {"stale info", place.ErrChanged}, {"already exists", place.ErrChanged},
		{"but expected", place.ErrChanged}, {"cannot lock ref", place.ErrChanged}, {"fetch first", place.ErrChanged},
		{"does not appear to be a git repository", place.ErrAway}, {"not found", place.ErrAway},
		{"Authentication failed", place.ErrRight}, {"could not read Username", place.ErrRight}, {"Permission denied", place.ErrRight},
		{"pre-receive hook declined", place.ErrRight}, {"deny updating a hidden ref", place.ErrRight}, {"The requested URL returned error: 403", place.ErrRight},
		{"Host key verification failed", place.ErrRight},
	} {
		if strings.Contains(string(said), known.says) {
			return fmt.Errorf("%s: %w (%w)", what, known.is, err)
		}
	}
	return fmt.Errorf("%s: %w: %w", what, place.ErrNoAnswer, err)
}
