// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"regexp"

	"github.com/fovea-memory/fovea/internal/text"
)

func pythonGrammar() *grammar {
	return &grammar{
		starts: `#"'`, asides: asides(hash, triple+`|'''(?:\\.|[^\\])*?(?:'''|\z)|`+quotes+`|`+apostro), byLine: true,
		rules: []rule{
			define("class", "fcb>c", `class (\w+) ?(?:\[\] ?)?(?:\(\))? ?`),
			define("function/method", "fcb>b", `(?:async )?def (\w+) ?(?:\[\] ?)?\(\)(?: ?->[^:;]*)?`),
			define(kindImport, "f", `(?:from|import) ([\w.]+)`),
		},
	}
}

func rubyGrammar() *grammar {
	return &grammar{
		starts: "\n#\"'`<%/?$",
		asides: asides("\n=begin\\b.*?(?:\n=end\\b|\\z)|\n__END__\n.*|"+hash,
			`"(?:[^"\\#]|\\.|#\{(?:[^{}"]|"[^"]*"|\{[^{}]*\})*\}|#)*"?|`+single+"|<<[-~]"+here+`|<<"?([A-Z]\w*)"?|\$['"/]`),
		operands: asides(`\z.`, "`[^(](?:[^`\\\\]|\\\\.)*`?"+`|/[^\s/=](?:[^/\\\n]|\\.)*/?|\?\w\b|`+
			`%[qQwWiIrsx]?(?:\((?:[^()\\]|\\.|\([^()]*\))*\)?|\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*\]?|`+
			`\{(?:[^{}\\]|\\.|\{[^{}]*\})*\}?|[|!/][^|!/\n]*.)`),
		byLine: true, unfinished: regexp.MustCompile(`,$`), ends: "end",
		whole: regexp.MustCompile(`\bend\s*$|^(?:\w+ )*def [^ (]+(?:\(.*\))? = `),
		rules: []rule{
			define("", "fcb>c", `(?P<kind>class|module) (?P<in>(?:\w+::)*)(\w+)(?: ?< ?[^;]*)?`),
			define("method", "fcb>b", `(?:\w+ )*def (?:\w+\.)?(\w+[?!=]?|\[\]=?|`+"`"+`|[-+*/%<>=!~^&|]+@?)(?: ?\(\)| [^;=]*)?`),
			define(kindImport, "f", `require(?:_relative)? ?(_+|\(\))`),
		},
	}
}

func shellGrammar() *grammar {
	return &grammar{
		starts: "#\"'`\\$<",
		asides: asides(`\z.`, `\\.|\$\{?#|\$'(?:[^'\\]|\\.)*'?|'[^']*'?|<<<|<<-?[ \t]*`+here+"|`(?:[^`\\\\]|\\\\.)*`?|"+
			`"(?:[^"\\$]|\\.|\$\((?:[^()"'\\]|\\.|'[^'\n]*'|"[^"\n]*"|\([^()]*\))*\)|\$\{(?:[^{}"\\]|\\.|"[^"\n]*")*\}|\$)*"?`),
		operands: asides(hash, `\z.`), byLine: true, unfinished: regexp.MustCompile(`[|&]$`), goesOn: regexp.MustCompile(`^\{`),
		ends: "}",
		rules: []rule{
			define(kindImport, "f", `(?:source|\.) ([^\s;]+)`),
			define("function", "fb>b", `(?:function )?([^\s(){}"';&|<>=$!]+) ?\(\) ?[{(]`),
			define("function", "fb>b", `function ([^\s(){}"';&|<>=$!]+) ?[{(]`),
		},
	}
}

func lispGrammar() *grammar {
	const named = ` '?([^\s()]+)`
	return &grammar{
		starts: `;"?\`, asides: asides(`;[^\n]*`, double+`|\\.`), operands: asides(`\z.`, `\?(?:\\[CMSHAs]-)*\\?.`),
		noise: regexp.MustCompile(`^\(`), byLine: true,
		rules: []rule{
			define(kindImport, "f", `require`+named),
			define("", "fb", `(?:cl-)?def(?P<kind>class|custom|group|face|theme|struct|macro|method|generic)\*?`+
				`(?:`+named+`| \((\.+)\))(?:[^(]*\(\))?`),
			define("function", "fb>b", `(?:cl-)?(?:iter-)?(?:defun|defsubst|define-inline)\*?`+named+`(?: \(\))?`),
			define("variable", "fb", `defvar(?:-local|-keymap)?`+named),
			define("constant", "fb", `defconst`+named),
			define("mode", "fb", `(?:define-(?:minor|derived|global|globalized|globalized-minor|generic)-mode|define-compilation-mode)`+named),
			define("alias", "fb", `(?:defalias|defvaralias|define-obsolete-\w+-alias)`+named),
			define("", "fb", `(?:define-|cl-def)(?P<kind>error|widget|type)`+named),
		},
	}
}

func javaGrammar() *grammar {
	const modifiers = `(?:(?:public|private|protected|static|final|abstract|default|sealed|non-sealed|` +
		`strictfp|synchronized|native|transient) )*`
	return &grammar{
		starts: `/"'`, asides: asides(slashes, triple+`|`+quotes+`|`+char), ends: "}",
		noise:    regexp.MustCompile(`^(?:@(?:[a-z]\w*\.)*[A-Z]\w*(?:\([^()]*\))?\s*)+`),
		reserved: text.WordSet("if for while switch catch return else do new throw try assert case static"),
		rules: []rule{
			define(kindPackage, "f", `package ([\w.]+)`),
			define(kindImport, "f", `import (?:static )?([\w.*]+)`),
			define("annotation", "fc>c", modifiers+`@interface (\w+) ?\{`),
			define("", "fc>c", modifiers+`(?P<kind>class|interface|enum|record) (\w+)[^;=]*\{`),
			define("constructor", "c>x", modifiers+`(?:`+angles+` )?(\w+)(?: ?\(\)[^=;{]*)?\{`),
			define("method", "c>x", modifiers+`(?:`+angles+` ?)?(?:[\w.]+(?: ?`+angles+`)?(?:\.\w+)*(?: ?\[\])*) (\w+) ?\(\)[^=;{]*[{;]`),
		},
	}
}

func rustGrammar() *grammar {
	const modifiers = `(?:(?:pub|pub ?\(\)|default|async|unsafe|const|extern|extern _*|auto) )*`
	return &grammar{
		starts: `/"'r`, asides: asides(slashes, double+`|r"[^"]*"?|r#".*?(?:"#|\z)|r##".*?(?:"##|\z)|`+char),
		ends: "}", noise: regexp.MustCompile(`^(?:#!?\[[^\[\]]*\]\s*)+`), lists: regexp.MustCompile(`^(?:pub *(?:\(\.*\))? *)?use [^{]*$`),
		rules: []rule{
			define(kindImport, "fb", modifiers+`use ([^;]+)`),
			define("fn/method", "fcb>b", modifiers+`fn ((?:r#)?\w+)[^{;]*[{;]`),
			define("", "fcb", modifiers+`(?P<kind>struct|union|enum) ((?:r#)?\w+)[^;{]*[{;]`),
			define("", "fb>c", modifiers+`(?P<kind>trait) (\w+)[^;{]*[{;]`),
			define("", "fb>f", modifiers+`(?P<kind>mod) (\w+) ?[;{]`),
			define("impl", "fb>c", modifiers+`impl ?(?:`+angles+` ?)?`+
				`(?:[^{;]*? for )?[&!]?(?:'\w+ )?(?:dyn |mut )?(?:\w+ ?:: ?)*(\w+|\[\]|\(\))[^{]*\{`),
			define("type", "fcb", modifiers+`type (\w+)(?: ?`+angles+`)?[^=;{]*`),
			define("static", "fcb", modifiers+`static (?:mut )?(\w+) ?:[^=;]*`),
			define("macro", "fb", `macro_rules! ?(\w+) ?[{(]`),
		},
	}
}

func phpGrammar() *grammar {
	const modifiers = `(?:(?:public|private|protected|static|final|abstract|readonly) )*`
	return &grammar{
		starts: "?/#\"'`<", asides: asides(`\?>.*?(?:<\?|\z)|`+slashes+`|#(?:[^\[\n][^\n]*|\n)`, double+`|`+single+"|`[^`]*`?|<<<[ \\t]*"+here),
		ends: "}", noise: regexp.MustCompile(`^(?:#\[[^\[\]]*\]\s*|<\?(?:php\b|=)?\s*)+`),
		rules: []rule{
			define("namespace", "f>f", `namespace ([\w\\]+) ?[;{]`),
			define(kindImport, "f", `use (?:function |const )?([\w\\]+)`),
			define("const", "fb", `define ?(\(\))`),
			define("const", "fc", `(?:final )?(?:(?:public|private|protected) )?const (?:[\w?\\|]+ )?(\w+)[^;]*`),
			define("", "fb>c", modifiers+`(?P<kind>class|interface|trait|enum) (\w+)[^;()]*\{`),
			define("function/method", "fbc>b", modifiers+`function ?&? ?(\w+) ?\(\)[^;{]*[{;]`),
		},
	}
}

func scriptGrammar() *grammar {
	const (
		exported = `(?:(?:export|default|declare|abstract|async|const) )*`
		members  = `(?:(?:public|private|protected|static|abstract|readonly|override|declare|async|accessor) )*`
		member   = `(\[\]|#?[\w$]+)`
		types    = ` ?(?:` + angles + `)? ?`
		arrow    = `(?:async ?)?(?:` + angles + ` ?)?(?:\(\)|[\w$]+)(?: ?:[^;]*?)? ?=>`
		function = `(?:async )?function\b ?\*? ?[\w$]*` + types + `\(\)(?: ?:[^;{]*)?`
		variable = `(?:(?:export )?(?:const|let|var) ([\w$]+)(?: ?:[^;]*?)?|(?:[\w$]+\.|this\.|\w+\[\]\.?)*([\w$]+)) ?= ?`
	)
	return &grammar{
		starts:   "#/`\"'",
		asides:   asides(`#!`+hash+`|`+slashes, quotes+`|`+apostro+"|`(?:[^`\\\\$]|\\\\.|\\$\\{(?:[^{}`]|`[^`]*`|\\{[^{}]*\\})*\\}|\\$)*`?"),
		operands: asides(`\z.`, `/[^/*\s](?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\]?)*/?`),
		byLine:   true, unfinished: regexp.MustCompile(`[=(<|&?:+\-*.{\[!^%/]$|=>$`),
		goesOn: regexp.MustCompile(`^(?:[{=,)<|&?:+*.]|extends |implements )`),
		ends:   "}", noise: regexp.MustCompile(`^(?:@[\w.]+(?:\([^()]*\))?\s*)+`),
		reserved: text.WordSet("if for while switch catch with return function else do new"), lists: regexp.MustCompile(`^import\b[^(=:{]*$`),
		rules: []rule{
			define(kindImport, "f", `import\b[^;]*?(_+)`),
			define("class", "fbc>c", exported+`class ([\w$]+)[^;]*\{`),
			define("class", "fb>c", variable+`class\b[^;]*\{`),
			define("", "fb", exported+`(?P<kind>interface|enum) ([\w$]+)[^;]*\{`),
			define("namespace", "fb>f", exported+`(?:namespace|module) ([\w$.]+) ?\{`),
			define("type", "fb", exported+`type ([\w$]+)`+types+`=`),
			define("function", "fb>b", exported+`function\b ?\*? ?([\w$]+)`+types+`\(\)(?: ?:[^;]*)?`),
			define("function", "fb>b", variable+`(?:`+function+`|`+arrow+`)`),
			define("method", "c>b", members+member+`[?!]?(?: ?:[^;]*?)? ?= ?(?:`+function+`|`+arrow+`)`),
			define("method", "fbc>b", member+` ?: ?(?:`+function+`|`+arrow+`)`),
			define("constructor", "c>b", members+`(constructor) ?\(\)`),
			define("getter", "fbc>b", members+`get `+member+` ?\(\)[^;]*[{;]`),
			define("setter", "fbc>b", members+`set `+member+` ?\(\)[^;]*[{;]`),
			define("method", "c>b", members+`\*? ?`+member+`\??`+types+`\(\)(?: ?:[^;]*)?`),
			define("method", "fb>b", `(?:async )?\*? ?`+member+types+`\(\)(?: ?:[^;]*)?\{`),
		},
	}
}

// Parts of the rules of C and C++.
const (
	macros    = `(?:[A-Z][A-Z0-9_]+(?: ?\(\))? )*`
	templates = macros + `(?:template ?(?:` + angles + `)? ?)*` + macros
	qualified = `(?P<in>(?:\w+(?: ?` + angles + `)? ?:: ?)*)(~ ?\w+|` + operators + `|\w+)`
	operators = `operator ?\(\)|operator ?\[\]|operator ?[^\s\w(]+|operator [\w:<>*& ]+`
	typesOfC  = `[\w:*&~ ,\[\]]*?(?:` + angles + `[\w:*&~ ,\[\]]*?)*?`
)

func cGrammar() *grammar {
	return &grammar{
		starts: `/"'R#`,
		asides: asides(slashes+`|#[ \t]*if[ \t]+0\b.*?(?:\n[ \t]*#[ \t]*(?:else|elif|endif)[^\n]*|\z)`,
			quotes+`|R"\w*\(.*?(?:\)\w*"|\z)|`+char),
		ends: "}",
		noise: regexp.MustCompile(`^(?:(?:(?:[A-Z][A-Z0-9_]+ )?(?:public|private|protected|signals|public slots|private slots)\s*:|` +
			`[A-Z][A-Z0-9_]+ *\(\w*\)|\[\[[^\[\]]*\]\]|__(?:attribute__|declspec) *\(\([^()]*\)\))\s+)+`),
		reserved: text.WordSet("if for while switch catch return else do new sizeof defined decltype alignas noexcept __attribute__"),
		rules: []rule{
			define(kindImport, "fc", `# ?include <?([^>]+)`),
			define("macro", "fc", `# ?define (\w+)(?:\(\))?`),
			define("namespace", "fc>f", macros+`(?:inline )?namespace (?P<in>(?:\w+ ?:: ?)*)(\w+)[^;]*\{`),
			define("", "fc>c", templates+`(?:(?:typedef|static|const|extern|friend|volatile) )*(?P<kind>class|struct|union) `+
				`(?:alignas\(\) ?|\[\] ?|[A-Z_0-9]+(?:\(\))? )*(?P<in>(?:\w+::)*)(\w+)(?: ?`+angles+`)?(?: final)?(?: ?:[^:][^;]*)?\{`),
			define("", "fc", macros+`(?:(?:typedef|static|const) )*(?P<kind>enum) (?:class |struct )?(?:\[\] ?)?(\w+)(?: ?:[^;]*)?\{`),
			define("alias", "fc", templates+`using (\w+) ?(?:\[\] ?)?=[^;]*`),
			define("typedef", "fc", macros+`typedef [^(]*(\(\)) ?\(\)[^;]*`),
			define("typedef", "fc", macros+`typedef .*?\b(\w+) ?(?:\(\)|\[\] ?)*;`),
			define("typedef", "f", `\} ?(\w+) ?(?:\[\])?;`),
			define("function/method", "fc>x", templates+`(?:extern _* )?`+typesOfC+`\b?`+qualified+`(?: ?`+angles+`)? ?\(\)`+
				`(?: ?(?:&&?|->[^;{]*|\w+(?: ?\(\))?))*(?: ?:[^:][^;]*)?\{`),
			define("prototype", "c", templates+`(?:[\w:]+ )*(~ ?\w+|[A-Z]\w*[a-z]\w*) ?\(\)[^;{]*;`),
			define("prototype", "fc", templates+`(?:extern _* )?`+typesOfC+`[\w*&>\]][ *&]+`+qualified+` ?\(\)`+
				`[^={};]*(?:= ?(?:0|default|delete) ?)?;`),
		},
	}
}
