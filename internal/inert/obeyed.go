// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Setter states who besides the owner may set a name that is obeyed, by an operation.
type Setter string

// The setters. Names that the owner saves in a file are always obeyed.
const (
	ByOwner  Setter = "the owner alone"
	ByFovea  Setter = "Fovea, also for agents"
	ByTree   Setter = "Fovea, and trees that are taken in"
	ByWriter Setter = "agents where they may write, no imported text"
	ByAnyone Setter = "agents where they may write, imported texts"
)

// Obeyed is a row of the table of names that Fovea, Org and packages of Emacs obey.
type Obeyed struct {
	Kind  string // property (of a drawer or a tree), keyword (of a line #+NAME:) or tag
	Names string // separated by blanks, in upper case except for tags; a trailing asterisk makes a name a prefix
	By    Setter
	Only  string // the only file in which it is obeyed: elsewhere agents may set it
	Why   string
}

const orgActs = "Org acts on it"

// Table lists all properties, keywords and tags that programs act on. All other names are text.
// [Text] turns each keyword into text.
var Table = []Obeyed{
	{"property", "EMBED", ByOwner, "", "the owner alone lets notes be sent to other computers"},
	{"property", "SKILL_PRIORITY SKILL_TRIGGERS SKILL_DEPENDS", ByOwner, "", "the owner alone says when a skill is read"},
	{"property", "HEADER-ARGS* TANGLE EVAL VAR NOWEB* EXPORTS RESULTS CACHE COMMENTS PROLOGUE EPILOGUE POST", ByOwner, "", orgActs},
	{"property", "EXPORT_* HTML_* LATEX_* BEAMER_* ODT_* REVEAL_* TABLE_EXPORT_* ALT_TITLE OPTIONS BIND", ByOwner, "", orgActs},
	{"property", "ATTACH_DIR* DIR ARCHIVE COLUMNS LOGGING LOG_INTO_DRAWER CLOCK_INTO_DRAWER", ByOwner, "", orgActs},
	{"property", "REPEAT_TO_STATE STYLE CRYPTKEY CLOCK_MODELINE_TOTAL", ByOwner, "", orgActs},
	{"property", "BLOCKER TRIGGER NOTER_DOCUMENT INTERLEAVE_PDF CALENDAR-ID ORG-GCAL* ROAM_EXCLUDE PROPERTIES END LOGBOOK", ByOwner, "", orgActs},
	{"property", "ID CUSTOM_ID", ByTree, "", "names the note"},
	{"property", "AUTHOR SESSION TRUST", ByFovea, "", "says where the note comes from"},
	{"property", "BLOCK PROPOSAL WINDOW FEEDBACK CONFLICT", ByFovea, "", "is what Fovea keeps in a tree of its own"},
	{"property", document.ClaimedBy + " " + document.ClaimKey + " " + document.LeaseUntil + " " + document.ClaimGranted, ByFovea, "", "says who does the task"},
	{"property", "IMPORTED_FROM IMPORTED_SOURCE IMPORTED_TEXT", ByFovea, "", "says what the next import does with the note"},
	{"property", "CREATED LAST_REPEAT ARCHIVE_TIME ARCHIVE_FILE ARCHIVE_OLPATH ARCHIVE_CATEGORY ARCHIVE_TODO ARCHIVE_ITAGS", ByTree, "", "says what was done"},
	{"property", "FROM TO THREAD SENT READ", ByFovea, "inbox.org", "says who sent the message, and whether it was read"},
	{"property", "TASK DEPENDS_ON", ByWriter, "", "makes a task, and says what it waits for"},
	{"property", "ORDERED NOBLOCKING", ByWriter, "", "says what waits"},
	{"property", "EFFORT CATEGORY COOKIE_DATA DATE SPEAKER SENDER BY SEMANTIC_SCORE VISIBILITY UNNUMBERED APPENDIX", ByAnyone, "", "is searched by, or shown"},
	{"property", "TITLE TODO TODO-TYPE TODO-STATE PRIORITY TAGS SCHEDULED DEADLINE CLOSED PATH FILE", ByAnyone, "", "is the heading of a tree, in no drawer"},
	{"property", "ALLTAGS BLOCKED CLOCKSUM CLOCKSUM_T ITEM TIMESTAMP TIMESTAMP_IA", ByAnyone, "", "is computed, and in no drawer"},
	{"keyword", "TITLE FILETAGS CATEGORY PROPERTY SETUPFILE TODO SEQ_TODO TYP_TODO TAGS PRIORITIES STARTUP ARCHIVE LINK COLUMNS", ByOwner, "", orgActs},
	{"keyword", "AUTHOR CONSTANTS DATE DESCRIPTION EMAIL KEYWORDS LANGUAGE OPTIONS SUBTITLE CALL", ByOwner, "", orgActs},
	{"keyword", "CAPTION DATA HEADER HEADERS LABEL NAME PLOT RESNAME RESULT RESULTS SOURCE SRCNAME TBLNAME ATTR_*", ByOwner, "", orgActs},
	{"tag", document.CryptTag, ByOwner, "", "Emacs encrypts what has it"},
	{"tag", "ARCHIVE project " + document.ConflictTag, ByWriter, "", "says whether windows show it"},
}

// Lookup returns the row of a name, a row By anyone if the name is text. Except for tags, case is
// ignored, and so is the + of a name that appends to a property.
func Lookup(kind, name string) Obeyed {
	if kind != "tag" {
		name = propertyKey(name)
	}
	for _, row := range Table {
		for word := range strings.FieldsSeq(row.Names) {
			begin, isPrefix := strings.CutSuffix(word, "*")
			if row.Kind == kind && (name == word || isPrefix && strings.HasPrefix(name, begin)) {
				return row
			}
		}
	}
	return Obeyed{By: ByAnyone}
}
