// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fovea-memory/fovea/internal/place/hosted"
)

const awsConfig = `
[default]
region = eu-west-1
s3 =
    endpoint_url = https://passed-over
[profile box]
region=us-west-2
endpoint_url = https://box:9000
credential_process = printf '{"Version":1,"AccessKeyId":"P","SecretAccessKey":"Q","SessionToken":"R","Expiration":"2030-01-02T03:04:05Z"}'
[profile failing]
credential_process = echo verysecret; echo verysecret >&2; exit 3
[profile talking]
credential_process = yes verysecret
[profile wrong]
credential_process = echo '{"Version":2,"AccessKeyId":"P","SecretAccessKey":"verysecret"}'
[profile sso]
sso_session = x
`

const awsCredentials = `# a comment
[default]
aws_access_key_id = D
aws_secret_access_key = E/+=
[other]
AWS_ACCESS_KEY_ID=O
aws_secret_access_key=P
aws_session_token=T
`

// awsHome makes the files of Amazon's tools, and an environment with them.
func awsHome(t *testing.T, env map[string]string) {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".aws"), 0o700); err != nil {
		t.Fatal(err)
	}
	file(t, filepath.Join(home, ".aws", "config"), awsConfig)
	file(t, filepath.Join(home, ".aws", "credentials"), awsCredentials)
	all := map[string]string{"HOME": home}
	maps.Copy(all, env)
	environment(t, all)
}

// TestBuckets: where credentials, region and endpoint come from, the first one first.
func TestBuckets(t *testing.T) {
	keys := map[string]string{"AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B", "AWS_SESSION_TOKEN": "C"}
	for _, c := range []struct {
		name, profile    string
		env              map[string]string
		want             hosted.Credentials
		region, endpoint string
	}{
		{"the environment", "", keys, hosted.Credentials{KeyID: "A", Secret: "B", Token: "C"}, "eu-west-1", ""},
		{"the default profile", "", nil, hosted.Credentials{KeyID: "D", Secret: "E/+="}, "eu-west-1", ""},
		{"a profile of the environment", "", map[string]string{"AWS_PROFILE": "other", "AWS_REGION": "r"},
			hosted.Credentials{KeyID: "O", Secret: "P", Token: "T"}, "r", ""},
		{"a profile of the address", "other", keys, hosted.Credentials{KeyID: "O", Secret: "P", Token: "T"}, "", ""},
		{"a program", "box", nil, hosted.Credentials{KeyID: "P", Secret: "Q", Token: "R", Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)},
			"us-west-2", "https://box:9000"},
		{"an endpoint of the environment", "box", map[string]string{"AWS_ENDPOINT_URL_S3": "https://e", "AWS_ENDPOINT_URL": "https://f"},
			hosted.Credentials{KeyID: "P", Secret: "Q", Token: "R", Expires: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}, "us-west-2", "https://e"},
	} {
		awsHome(t, c.env)
		s, err := Buckets(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Credentials(t.Context())
		if diff := cmp.Diff(c.want, got, cmpopts.EquateApproxTime(0)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", c.name, err, diff)
		}
		if s.Region != c.region || s.Endpoint != c.endpoint {
			t.Errorf("%s: region %q, endpoint %q", c.name, s.Region, s.Endpoint)
		}
	}
}

// TestBucketsWithoutKey: each way of having no credentials is an error that says what to do, and has
// no secret.
func TestBucketsWithoutKey(t *testing.T) {
	for profile, want := range map[string]string{
		"failing": "failed", "talking": "the program", "wrong": "no credentials of version 1", "sso": "aws configure export-credentials --profile sso",
	} {
		awsHome(t, nil)
		s, err := Buckets(profile)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Credentials(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%s: %v, want %s", profile, err, want)
		}
	}
	awsHome(t, nil)
	if _, err := Buckets("absent"); err == nil || !strings.Contains(err.Error(), `no profile "absent"`) {
		t.Error(err)
	}
	environment(t, nil)
	s, err := Buckets("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Credentials(t.Context()); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Error(err)
	}
	environment(t, map[string]string{"AWS_CONFIG_FILE": t.TempDir()})
	if _, err := Buckets(""); err == nil {
		t.Error("a folder is a file")
	}
}

// FuzzCredentials: what files and programs say is read or refused, without a panic or a secret in an
// error.
func FuzzCredentials(f *testing.F) {
	f.Add(awsConfig)
	f.Add(`{"Version":1,"AccessKeyId":"P","SecretAccessKey":"verysecret","Expiration":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		lines := map[string]string{}
		readSection(text, "default", lines)
		if _, err := parseProcess([]byte(text)); err != nil && len(err.Error()) > 100 {
			t.Error(err)
		}
	})
}
