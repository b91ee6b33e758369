// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"fmt"
	"strings"
)

// Unit returns a systemd unit that serves a memex for the user who installs it as
// ~/.config/systemd/user/fovea.service.
func Unit(command, memex string) string {
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$", "\n", `\n`).Replace(s) + `"`
	}
	return fmt.Sprintf(`[Unit]
Description=Fovea, the memory of %s

[Service]
ExecStart=%s serve --memex %s
Restart=on-failure
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
UMask=0077

[Install]
WantedBy=default.target
`, strings.ReplaceAll(strings.Join(strings.Fields(memex), " "), "%", "%%"), quote(command), quote(memex))
}
