// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import "strings"

// texCommand is a command or an environment of TeX that only sets type.
type texCommand struct {
	arguments int  // number of arguments
	option    bool // takes an option in brackets before the arguments
	math      bool // allowed only in math and environments
}

// typesetting lists the TeX commands that the text of an agent may use. None of them reads
// or writes a file, runs a program, defines a command, creates a link, or changes the
// display of text after its group. Entities of Org such as \alpha and \nbsp need no entry
// for running text, because Org replaces them.
var typesetting = map[string]texCommand{}

// environments lists the TeX environments that it may use.
var environments = map[string]texCommand{}

// init fills the tables. It is long because of their size.
func init() {
	for _, of := range []struct {
		texCommand
		names string
	}{
		{texCommand{}, `
			LaTeX LaTeXe TeX aa AA ae AE o O oe OE ss dh DH th TH P S copyright pounds dag ddag dots ldots today
			euro EUR EURtm EURcr EURhv EURdig checkmark smiley frownie blacksmiley textbackslash textbar textless
			textgreater textasciitilde textasciicircum textellipsis textemdash textendash textquoteleft textquoteright
			textquotedblleft textquotedblright textquotedbl quotesinglbase quotedblbase guillemotleft guillemotright guilsinglleft guilsinglright
			textbullet textperiodcentered textdegree textmu texttimes textdiv textpm textlnot textdagger textdaggerdbl
			textregistered texttrademark textcopyright textonequarter textonehalf textthreequarters textonesuperior
			texttwosuperior textthreesuperior textordfeminine textordmasculine texteuro textyen textcent textsterling
			textcurrency textbrokenbar textperthousand textasciimacron textasciiacute textasciidieresis textdollar
			textunderscore textsection textparagraph textvisiblespace quad qquad noindent newline`},
		{texCommand{arguments: 1, option: true}, `emph textbf textit texttt textrm textsf textsc textsl textup textmd textnormal mbox underline
			uline uuline sout textsuperscript textsubscript ref pageref eqref cite citet citep`},
		{texCommand{}, `
			alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda mu nu xi omicron pi varpi
			rho varrho sigma varsigma tau upsilon phi varphi chi psi omega digamma
			Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega Alpha Beta Epsilon Zeta Eta Iota Kappa Mu Nu Omicron Rho Tau Chi
			varGamma varDelta varTheta varLambda varXi varPi varSigma varUpsilon varPhi varPsi varOmega
			arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min
			Pr sec sin sinh sup tan tanh bmod injlim projlim varliminf varlimsup argmin argmax
			sum prod coprod int iint iiint iiiint oint oiint bigcap bigcup bigodot bigoplus bigotimes bigsqcup biguplus bigvee bigwedge
			le leq ge geq ne neq lt gt ll gg lll ggg leqslant geqslant lesssim gtrsim lessapprox gtrapprox lessgtr gtrless
			sim simeq approx approxeq cong equiv propto varpropto asymp doteq triangleq coloneqq eqqcolon prec succ preceq succeq precsim succsim
			subset supset subseteq supseteq subsetneq supsetneq sqsubset sqsupset sqsubseteq sqsupseteq
			in ni notin owns mid nmid parallel nparallel perp vdash dashv models vDash Vdash bowtie smile frown between
			pm mp times div ast star circ bullet cdot cap cup uplus sqcap sqcup vee wedge land lor lnot neg setminus smallsetminus wr diamond
			bigtriangleup bigtriangledown triangleleft triangleright lhd rhd unlhd unrhd oplus ominus otimes oslash odot bigcirc
			dagger ddagger amalg barwedge veebar boxplus boxminus boxtimes boxdot ltimes rtimes circledast
			leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow uparrow downarrow updownarrow
			Uparrow Downarrow Updownarrow longleftarrow longrightarrow longleftrightarrow Longleftarrow Longrightarrow Longleftrightarrow
			mapsto longmapsto hookleftarrow hookrightarrow leftharpoonup leftharpoondown rightharpoonup rightharpoondown
			rightleftharpoons leftrightharpoons nearrow searrow swarrow nwarrow to gets iff implies impliedby leadsto rightsquigarrow
			twoheadrightarrow twoheadleftarrow upharpoonright circlearrowleft circlearrowright nrightarrow nleftarrow nRightarrow
			langle rangle lfloor rfloor lceil rceil lvert rvert lVert rVert vert Vert lbrace rbrace lbrack rbrack backslash
			ulcorner urcorner llcorner lrcorner lgroup rgroup
			infty partial nabla forall exists nexists exist empty emptyset varnothing aleph beth gimel hbar hslash imath jmath ell wp Re Im
			angle measuredangle top bot prime backprime surd flat natural sharp clubsuit diamondsuit heartsuit spadesuit Box square
			blacksquare triangle triangledown bigstar lozenge Diamond complement eth mho therefore because qed
			cdots vdots ddots dotsb dotsc dotsi dotsm dotso colon thinspace medspace thickspace negthinspace enspace allowbreak`},
		{texCommand{math: true}, `limits nolimits displaystyle textstyle scriptstyle scriptscriptstyle
			over choose atop rm bf it sf tt cal boldmath nonumber notag hline toprule midrule bottomrule
			centering small footnotesize scriptsize tiny large normalsize bfseries itshape ttfamily rmfamily sffamily
			par cr hfill hfil
			State Return Else EndFor EndWhile EndIf EndProcedure`},
		{texCommand{arguments: 1, option: true}, `
			text mathrm mathbf mathbb mathcal mathfrak mathsf mathit mathtt mathscr mathnormal boldsymbol bm pmb operatorname
			hat bar tilde vec dot ddot dddot acute grave check breve mathring widehat widetilde widecheck overline overrightarrow overleftarrow
			overleftrightarrow underrightarrow underleftarrow overbrace underbrace overbracket underbracket
			mathop mathbin mathrel mathord mathopen mathclose mathpunct mathinner
			phantom hphantom vphantom smash boxed fbox substack pmod mod pod tag
			cancel bcancel xcancel abs norm set ket bra
			sqrt xrightarrow xleftarrow xRightarrow xLeftarrow xmapsto xhookrightarrow`},
		{texCommand{arguments: 1, math: true}, `left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr
			bigm Bigm biggm Biggm not c v u H k r b d t`},
		{texCommand{arguments: 1, option: true, math: true}, `label color hspace vspace cline caption ForAll For While If`},
		{texCommand{option: true, math: true}, `item`},
		{texCommand{arguments: 2, option: true}, `textcolor`},
		{texCommand{arguments: 2, option: true}, `frac dfrac tfrac binom dbinom tbinom overset underset stackrel braket cfrac Procedure`},
		{texCommand{arguments: 3, option: true, math: true}, `multicolumn`},
	} {
		for name := range strings.FieldsSeq(of.names) {
			typesetting[name] = of.texCommand
		}
	}
	for _, accent := range "'`^\"~=." {
		typesetting[string(accent)] = texCommand{arguments: 1, math: true}
	}
	for _, of := range []struct {
		texCommand
		names string
	}{
		{texCommand{option: true}, `equation equation* align align* gather gather* multline multline* flalign flalign* eqnarray eqnarray* displaymath math
			split aligned gathered cases dcases rcases matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix
			itemize enumerate description quote quotation verse center flushleft flushright proof
			theorem lemma definition corollary remark example proposition
			table figure algorithm algorithmic`},
		{texCommand{arguments: 1, option: true}, `array tabular subarray`},
		{texCommand{arguments: 1, option: true}, `alignat alignat* alignedat`},
		{texCommand{arguments: 2, option: true}, `tabular*`},
	} {
		for name := range strings.FieldsSeq(of.names) {
			environments[name] = of.texCommand
		}
	}
}
