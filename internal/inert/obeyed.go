// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import (
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
)

// Kind is where in a file a name that is obeyed stands.
type Kind string

// The kinds of names.
const (
	PropertyName Kind = "property" // of a drawer, or of an attribute of a tree
	KeywordName  Kind = "keyword"  // of a line #+NAME: value
	TagName      Kind = "tag"
)

// Setter says who may set what is obeyed. Who may set more is later in the list.
type Setter string

// The setters. The owner sets everything, by saving the file or by an operation.
const (
	ByOwner  Setter = "the owner alone"
	ByFovea  Setter = "Fovea does"                            // in operations of agents too
	ByTree   Setter = "Fovea does, and trees that come along" // see fovea.Memory.IngestTree
	ByWriter Setter = "every agent that may write the note, and no imported text"
	ByAnyone Setter = "imported texts too"
)

// Obeyed is a row of the table of what Fovea, Org and packages of Emacs obey.
type Obeyed struct {
	Kind  Kind
	Names string // in upper case, between blanks; an asterisk at the end makes a name a prefix
	By    Setter
	Only  string // the file in which alone it is obeyed, as inbox.org; elsewhere everybody may set it
	Why   string
}

const orgActs = "Org acts on it"

// obeyed lists each property, keyword and tag that changes what is done. A name that is not
// here is text. Keywords are never an agent's: Text turns each into text.
var obeyed = []Obeyed{
	{PropertyName, "EMBED", ByOwner, "", "the owner alone lets notes be sent to other computers"},
	{PropertyName, "SKILL_PRIORITY SKILL_TRIGGERS SKILL_DEPENDS", ByOwner, "", "the owner alone says when a skill is read"},
	{PropertyName, "HEADER-ARGS* TANGLE EVAL VAR NOWEB* EXPORTS RESULTS CACHE COMMENTS PROLOGUE EPILOGUE POST", ByOwner, "", orgActs},
	{PropertyName, "EXPORT_* HTML_* LATEX_* BEAMER_* ODT_* REVEAL_* TABLE_EXPORT_* ALT_TITLE OPTIONS BIND", ByOwner, "", orgActs},
	{PropertyName, "ATTACH_DIR* DIR ARCHIVE COLUMNS LOGGING LOG_INTO_DRAWER REPEAT_TO_STATE STYLE CRYPTKEY CLOCK_MODELINE_TOTAL", ByOwner, "", orgActs},
	{PropertyName, "BLOCKER TRIGGER NOTER_DOCUMENT INTERLEAVE_PDF CALENDAR-ID ORG-GCAL* ROAM_EXCLUDE PROPERTIES END LOGBOOK", ByOwner, "", orgActs},
	{PropertyName, "ID CUSTOM_ID", ByTree, "", "names the note"},
	{PropertyName, "AUTHOR SESSION TRUST", ByFovea, "", "says where the note comes from"},
	{PropertyName, "BLOCK PROPOSAL WINDOW FEEDBACK CONFLICT", ByFovea, "", "is what Fovea keeps in a tree of its own"},
	{PropertyName, document.ClaimedBy + " " + document.ClaimKey + " " + document.LeaseUntil, ByFovea, "", "says who does the task"},
	{PropertyName, "IMPORTED_FROM IMPORTED_SOURCE IMPORTED_TEXT", ByFovea, "", "says what the next import does with the note"},
	{PropertyName, "CREATED LAST_REPEAT ARCHIVE_TIME ARCHIVE_FILE ARCHIVE_OLPATH ARCHIVE_CATEGORY ARCHIVE_TODO ARCHIVE_ITAGS", ByTree, "", "says what was done"},
	{PropertyName, "FROM TO THREAD SENT READ", ByFovea, "inbox.org", "says who sent the message, and whether it was read"},
	{PropertyName, "TASK DEPENDS_ON", ByWriter, "", "makes a task, and says what it waits for"},
	{PropertyName, "ORDERED NOBLOCKING", ByWriter, "", "says what waits"},
	{PropertyName, "EFFORT CATEGORY COOKIE_DATA DATE SPEAKER SENDER BY SEMANTIC_SCORE VISIBILITY UNNUMBERED APPENDIX", ByAnyone, "", "is searched by, or shown"},
	{PropertyName, "TITLE TODO TODO-TYPE TODO-STATE PRIORITY TAGS SCHEDULED DEADLINE CLOSED PATH FILE", ByAnyone, "", "is the heading of a tree, in no drawer"},
	{PropertyName, "ALLTAGS BLOCKED CLOCKSUM CLOCKSUM_T ITEM TIMESTAMP TIMESTAMP_IA", ByAnyone, "", "is computed, and in no drawer"},
	{KeywordName, "TITLE FILETAGS CATEGORY PROPERTY SETUPFILE TODO SEQ_TODO TYP_TODO TAGS PRIORITIES STARTUP ARCHIVE LINK COLUMNS", ByOwner, "", orgActs},
	{KeywordName, "AUTHOR CONSTANTS DATE DESCRIPTION EMAIL KEYWORDS LANGUAGE OPTIONS SUBTITLE CALL", ByOwner, "", orgActs},
	{KeywordName, "CAPTION DATA HEADER HEADERS LABEL NAME PLOT RESNAME RESULT RESULTS SOURCE SRCNAME TBLNAME ATTR_*", ByOwner, "", orgActs},
	{TagName, "CRYPT", ByOwner, "", "Emacs encrypts what has it"},
	{TagName, "ARCHIVE CONFLICT PROJECT", ByWriter, "", "says whether windows show it"},
}

// Lookup returns the row of a name in any case, and as Org writes what is added to a
// property, NAME+; the zero row if the name is text.
func Lookup(kind Kind, name string) Obeyed {
	name = propertyKey(name)
	for _, row := range obeyed {
		for word := range strings.FieldsSeq(row.Names) {
			begin, isPrefix := strings.CutSuffix(word, "*")
			if row.Kind == kind && (name == word || isPrefix && strings.HasPrefix(name, begin)) {
				return row
			}
		}
	}
	return Obeyed{By: ByAnyone}
}

// Table returns the rows. The caller owns the slice.
func Table() []Obeyed { return slices.Clone(obeyed) }
