// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
)

// copyName is how programs name the copy of a file that they make of a conflict.
type copyName struct {
	mark    string // in lower case; what the name has besides that of the file; with a blank at its end it comes first
	program string // and the form, as its documentation or source gives it
}

// copyNames are the forms that only a copy has. Those that notes have as well, such as
// "garden 2.org", "garden (1).org" or "garden-PC.org", need no row: see Originals.
var copyNames = []copyName{
	{".sync-conflict-", "Syncthing: NAME.sync-conflict-DATE-TIME-DEVICE (docs.syncthing.net, Synchronization)"},
	{"conflicted copy", "Dropbox: NAME (ANNA's conflicted copy DATE) (help.dropbox.com, conflicted-copy); Nextcloud, ownCloud, OpenCloud: NAME (conflicted copy DATE TIME)"},
	{"case conflict", "Dropbox: NAME (Case Conflict) (help.dropbox.com)"},
	{"konflikt", "Dropbox in German, Polish, Swedish: NAME (in Konflikt stehende Kopie von ANNA DATE)"},
	{"conflit", "Dropbox in French and Italian: NAME (Copie en conflit de ANNA DATE)"},
	{"conflito", "Dropbox in Portuguese: NAME (cópia em conflito de ANNA DATE)"},
	{"конфликт", "Dropbox in Russian"},
	{"競合", "Dropbox in Japanese: NAME (ANNA の競合コピー DATE)"},
	{"冲突", "Dropbox in Chinese, simplified"},
	{"衝突", "Dropbox in Chinese, traditional"},
	{"충돌", "Dropbox in Korean"},
	{"sfconflict", "Seafile: NAME (SFConflict ANNA DATE) (seafile, common/vc-utils.c)"},
	{".conflict", "Resilio: NAME.Conflict1 (help.resilio.com, 204753629); rclone bisync: NAME.conflict1 (rclone.org/bisync, --conflict-suffix)"},
	{"conflict_", "FileCloud: NAME(Conflict_ANNA_DATE) (getfilecloud.com, Managing Sync Conflicts)"},
	{"caseconflict", "Synology Drive: NAME_CLIENT_DATE_CaseConflict_1 (kb.synology.com, file conflict resolution)"},
	{"[conflicted]", "pCloud: NAME [conflicted] (rcfa/pCloudSync-deconflict)"},
	{"copy: conflict", "Unison: NAME (copy: conflict #1 on DATE) (unison, src/files.ml)"},
	{"conflict", "Tresorit, Box, SpiderOak, MEGA, Cozy, Parsec, Obsidian and others: NAME (conflict DATE)"},
	{"sync-clash", "orgzly: NAME.sync-clash"},
	{"safebackup", "onedrive for Linux: NAME-HOST-safeBackup-0001 (abraunegg/onedrive#2966)"},
	{"(edited by ", "Syncplicity: NAME (edited by ANNA on PC @ DATE)"},
	{"_local_", "git mergetool: NAME_LOCAL_1234 (git-mergetool.sh)"},
	{"_remote_", "git mergetool"},
	{"_base_", "git mergetool"},
	{"_backup_", "git mergetool"},
	{"autosave", "editors: NAME+autosave"},
	{".~", "Emacs and sync programs: NAME.~1~, NAME.~PHONE-DATE"},
	{"backup of ", "editors: Backup of NAME"},
	{"copy of ", "Google Drive, older Windows: Copy of NAME (support.google.com/drive)"},
	{"kopie von ", "the same in German"},
	{"copie de ", "the same in French"},
	{"copia de ", "the same in Spanish"},
	{"copia di ", "the same in Italian"},
	{"cópia de ", "the same in Portuguese"},
}

// How many cuts of a name Originals makes: before a mark, and at the end of any name.
const (
	maxMarkedCuts = 12
	maxPlainCuts  = 3
)

// Originals returns the paths of the files beside the one at path that it can be a conflict
// copy of by its name, the longest first; none for a document in memory. marked reports that
// only a copy is called so. Any name that goes on after that of another file, beyond a sign
// that is no letter or digit, can be the name of a copy.
func Originals(path string) (originals []string, marked bool) {
	slash := strings.LastIndexByte(path, '/') + 1
	folder, stem := path[:slash], path[slash:]
	dot := strings.LastIndexByte(stem, '.')
	if dot <= 0 || document.IsMemory(path) {
		return nil, false
	}
	stem, ext := stem[:dot], stem[dot:]
	end, cuts := len(stem), maxPlainCuts
	if at, first := markOf(strings.ToLower(stem)); first > 0 {
		return []string{folder + stem[min(first, len(stem)):] + ext}, true
	} else if at >= 0 {
		end, cuts, marked = at+1, maxMarkedCuts, true
	}
	for i, r := range backward(stem[:min(end, len(stem))]) {
		kept := strings.TrimRightFunc(stem[:i], isNameSign)
		if !isNameSign(r) || kept == "" || len(originals) == cuts {
			continue
		}
		if name := folder + strings.TrimSuffix(kept, ext) + ext; !slices.Contains(originals, name) {
			originals = append(originals, name)
		}
	}
	return originals, marked
}

// markOf returns where the mark of a copy begins in a name in lower case, -1 for none, and,
// for one that comes first, where it ends.
func markOf(name string) (at, first int) {
	for _, c := range copyNames {
		switch i := strings.Index(name, c.mark); {
		case i == 0 && strings.HasSuffix(c.mark, " "):
			return 0, len(c.mark)
		case i > 0:
			return i, 0
		}
	}
	return -1, 0
}

// backward yields the runes of s from the last to the first, with their places.
func backward(s string) func(yield func(int, rune) bool) {
	return func(yield func(int, rune) bool) {
		for len(s) > 0 {
			r, size := utf8.DecodeLastRuneInString(s)
			if s = s[:len(s)-size]; !yield(len(s), r) {
				return
			}
		}
	}
}

// isNameSign reports whether r separates the words of a name.
func isNameSign(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
