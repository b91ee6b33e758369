// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/place/hosted"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Limits of the sources of credentials.
const (
	processWait  = 30 * time.Second
	maxProcess   = 64 << 10
	maxAWSConfig = 1 << 20
)

// Buckets returns the settings of buckets in the environment and the files of Amazon's tools. profile names a
// section of these files; with "" the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY come first, then
// the profile AWS_PROFILE, then default. Credentials are read on each call of the function Credentials.
func Buckets(profile string) (hosted.BucketSettings, error) {
	_, file, err := profileOf(profile)
	if err != nil {
		return hosted.BucketSettings{}, err
	}
	if len(file) == 0 && profile != "" {
		return hosted.BucketSettings{}, fmt.Errorf("config: the files of Amazon's tools have no profile %q", profile)
	}
	return hosted.BucketSettings{
		Region:   cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), file["region"]),
		Endpoint: cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), file["endpoint_url"]),
		Credentials: func(ctx context.Context) (hosted.Credentials, error) {
			return credentialsOf(ctx, profile)
		},
	}, nil
}

func credentialsOf(ctx context.Context, profile string) (hosted.Credentials, error) {
	if id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"); profile == "" && id != "" && secret != "" {
		return hosted.Credentials{KeyID: id, Secret: secret, Token: os.Getenv("AWS_SESSION_TOKEN")}, nil
	}
	profile, file, err := profileOf(profile)
	switch {
	case err != nil:
		return hosted.Credentials{}, err
	case file["aws_access_key_id"] != "" && file["aws_secret_access_key"] != "":
		return hosted.Credentials{KeyID: file["aws_access_key_id"], Secret: file["aws_secret_access_key"], Token: file["aws_session_token"]}, nil
	case file["credential_process"] != "":
		c, err := processCredentials(ctx, file["credential_process"])
		if err != nil {
			err = fmt.Errorf("credential_process of the profile %q: %w", profile, err)
		}
		return c, err
	case len(file) > 0:
		return hosted.Credentials{}, fmt.Errorf("the profile %[1]q has no key; if it signs in another way, give it the line "+
			"credential_process = aws configure export-credentials --profile %[1]s --format process", profile)
	}
	return hosted.Credentials{}, errors.New("no credentials are set; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
}

// profileOf returns the name of a profile, by default that of the environment, and its lines in both files of
// Amazon's tools, which may be missing. The credentials file overrides the other.
func profileOf(profile string) (string, map[string]string, error) {
	profile = cmp.Or(profile, os.Getenv("AWS_PROFILE"), "default")
	all := map[string]string{}
	home := os.Getenv("HOME")
	section := "profile " + profile
	if profile == "default" {
		section = profile
	}
	for _, f := range []struct{ name, standard, section string }{
		{os.Getenv("AWS_CONFIG_FILE"), "config", section},
		{os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), "credentials", profile},
	} {
		name := vfs.Expand(f.name, os.Getenv)
		if name == "" && filepath.IsAbs(home) {
			name = filepath.Join(home, ".aws", f.standard)
		}
		if name == "" {
			continue
		}
		text, err := readUpTo(name, maxAWSConfig, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return profile, nil, fmt.Errorf("config: read %s: %w", name, err)
		}
		readSection(string(text), f.section, all)
	}
	return profile, all, nil
}

// readSection reads the lines "key = value" of a section of a file of Amazon's tools. Indented lines belong to
// the key above them and are skipped.
func readSection(text, section string, into map[string]string) {
	within := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, _, _ = strings.Cut(name, "]")
			within = strings.Join(strings.Fields(name), " ") == section
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !within || !ok || indented || line[0] == '#' || line[0] == ';' {
			continue
		}
		into[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
}

// processCredentials runs the program that a profile names. Its output may be secret and is never part of an
// error.
func processCredentials(ctx context.Context, command string) (hosted.Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, processWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	out := &limited{left: maxProcess}
	cmd.Stdout = out
	cmd.WaitDelay = time.Second
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return hosted.Credentials{}, fmt.Errorf("the program did not end in time: %w", ctx.Err())
	case err != nil:
		return hosted.Credentials{}, fmt.Errorf("the program failed: %w; run it yourself to see why", err)
	}
	return parseProcess(out.text)
}

// parseProcess decodes the output of the program.
func parseProcess(data []byte) (hosted.Credentials, error) {
	var output struct {
		Version                                   int
		AccessKeyID                               string `json:"AccessKeyId"`
		SecretAccessKey, SessionToken, Expiration string
	}
	c := hosted.Credentials{}
	if json.Unmarshal(data, &output) != nil || output.Version != 1 || output.AccessKeyID == "" || output.SecretAccessKey == "" {
		return c, errors.New("the program prints no credentials of version 1")
	}
	c = hosted.Credentials{KeyID: output.AccessKeyID, Secret: output.SecretAccessKey, Token: output.SessionToken}
	if output.Expiration != "" {
		var err error
		if c.Expires, err = time.Parse(time.RFC3339, output.Expiration); err != nil {
			return hosted.Credentials{}, errors.New("the program prints an invalid time of expiration")
		}
	}
	return c, nil
}

// limited collects what is written to it, up to a limit. A bytes.Buffer would read without a limit.
type limited struct {
	text []byte
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errors.New("its output is too long")
	}
	l.text = append(l.text, p...)
	return len(p), nil
}
