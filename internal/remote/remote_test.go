// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remote

import (
	"errors"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

func TestFormatPage(t *testing.T) {
	foveatest.FormatPage(t, "../../doc/format/remote.md", map[string]int{
		"MaxObject": MaxObject, "PieceSize": PieceSize, "MaxPacks": MaxPacks, "MaxPieces": MaxPieces,
	})
}

// TestSSHArguments: nothing in an address becomes an option of ssh, or a command of the shell
// there.
func TestSSHArguments(t *testing.T) {
	for address, want := range map[string][]string{
		"ssh://box/srv/notes":            {"--", "box", "fovea remote serve '/srv/notes'"},
		"ssh://me@box:2222/~/my notes":   {"-p", "2222", "--", "me@box", "fovea remote serve 'my notes'"},
		"ssh://box/a'; rm -rf ~; echo '": {"--", "box", `fovea remote serve '/a'\''; rm -rf ~; echo '\'''`},
	} {
		got, err := sshArgs(address)
		if err != nil || !slices.Equal(got[len(got)-len(want):], want) {
			t.Errorf("%s: %q, %v, want %q", address, got, err, want)
		}
	}
	for _, address := range []string{"ssh://-oProxyCommand=x/srv", "ssh://-o@box/srv", "ssh:///srv", "ssh://box", "ssh://box/", "ssh://me:secret@box/srv"} {
		if got, err := sshArgs(address); err == nil {
			t.Errorf("%s: %q", address, got)
		}
	}
	if _, err := sshArgs("ssh:///srv"); !errors.Is(err, ErrURL) {
		t.Error(err)
	}
}

func TestNewMachine(t *testing.T) {
	for _, like := range []string{"", "laptop", "laptop.local", "a b/../c", "é", NewMachine("x")} {
		if name := NewMachine(like); !machineName.MatchString(name) || checkName(headFolder+name) != nil {
			t.Errorf("%q gives %q", like, name)
		}
	}
	if one, other := NewMachine("a"), NewMachine("a"); one == other {
		t.Error("two machines have one name")
	}
}
