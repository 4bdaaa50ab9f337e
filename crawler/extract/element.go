package extract

import "strings"

// An element is what the readers need to know about the elements of one name.
type element struct {
	name  string
	tag   tag
	kind  kind
	sets  ancestors // what an element of this name is to those inside it
	stops ancestors // what those inside it do not see any more
}

// A tag names the elements that the readers treat in a way of their own.
type tag uint8

const (
	tagOther tag = iota
	tagA
	tagArea
	tagBase
	tagBody
	tagCaption
	tagCol
	tagColgroup
	tagDescription
	tagForm
	tagFrame
	tagH1
	tagHead
	tagHTML
	tagImage
	tagImg
	tagItem // li
	tagLink
	tagMeta
	tagNoscript
	tagOptgroup
	tagOption
	tagParagraph
	tagPlaintext
	tagRow
	tagRuby
	tagScript
	tagSelect
	tagStyle
	tagSVG
	tagTable
	tagTemplate
	tagTerm // dt and dd
	tagTitle
)

// A kind is a set of properties of elements.
type kind uint32

const (
	inline       kind = 1 << iota // it only formats text, so a word may continue after its tags
	linking                       // its attributes are always read
	void                          // it has no content and no end tag
	rawText                       // its content is text without markup
	inHead                        // it may be in the head
	closesP                       // its start tag ends a p
	impliesEnds                   // its end tag ends elements with an optional end tag
	optionalEnd                   // its end tag is optional
	heading                       // h1 to h6
	cell                          // td and th
	rowGroup                      // tbody, thead and tfoot
	tablePart                     // it exists only in a table
	tableContext                  // what it contains besides table parts is moved before the table
	annotation                    // rb, rp and rt
	needsTree                     // its effect depends on the tree
	breaksOut                     // its start tag ends a drawing
	outline                       // html, head and body
	shown                         // browsers show it though it has no text
)

// ancestors is a set of elements around a place.
type ancestors uint16

const (
	inParagraph ancestors = 1 << iota // a p that a block would end
	inItem                            // an li that another one would end
	inTerm                            // a dt or dd that another one would end
	inA                               // an a element that another one would end
	inButton
	inForm
	inSelect
	inSVG
	inTemplate
)

// places is the size of elements.
const places = 1024

// unknown is every element that has no entry in elements.
var unknown = &element{}

// elements are indexed by the hash of their names; a name is at the first free place from there on.
var elements = func() (index [places]*element) {
	byName := make(map[string]*element)
	get := func(name string) *element {
		e := byName[name]
		if e == nil {
			e = &element{name: name}
			byName[name] = e
			at := hash([]byte(name))
			for index[at] != nil {
				at = (at + 1) % places
			}
			index[at] = e
		}
		return e
	}
	mark := func(k kind, names string) {
		for name := range strings.FieldsSeq(names) {
			get(name).kind |= k
		}
	}
	// The lists are those of the HTML standard, sections 13.1.2, 13.2.4.2 and 13.2.6.
	mark(inline, "a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd mark nobr q s samp small span strike strong sub sup time tt u var wbr")
	mark(linking, "a area base frame html iframe img link meta script template")
	mark(shown, "audio embed img input object select svg textarea video")
	mark(void, "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr")
	mark(rawText, "iframe noembed noframes plaintext script style textarea title xmp")
	mark(inHead, "base basefont bgsound link meta noframes noscript script style template title")
	mark(closesP, "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form header hgroup hr listing main menu nav ol p plaintext pre search section summary ul h1 h2 h3 h4 h5 h6 xmp")
	mark(impliesEnds, "address article aside blockquote button center dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup h1 h2 h3 h4 h5 h6 li listing main menu nav ol pre search section select summary ul "+
		"caption table tbody td tfoot th thead tr")
	mark(optionalEnd, "dd dt li optgroup option p rb rp rt rtc")
	mark(heading, "h1 h2 h3 h4 h5 h6")
	mark(cell, "td th")
	mark(rowGroup, "tbody tfoot thead")
	mark(tablePart, "caption col colgroup tbody td tfoot th thead tr")
	mark(tableContext, "colgroup table tbody tfoot thead tr")
	mark(annotation, "rb rp rt")
	mark(needsTree, "frame frameset math nobr plaintext rtc template")
	mark(outline|inline, "html head body") // these tags may be anywhere, and are ignored there
	// Section 13.2.6.5. A font element does it only with some attributes.
	mark(breaksOut, "b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var")

	mark(0, "feimage foreignobject use") // other names that the readers ask for

	block := func(names string, what ancestors) {
		for name := range strings.FieldsSeq(names) {
			get(name).stops |= what
		}
	}
	block("applet button caption html marquee object table td template th", inParagraph)
	block("applet caption marquee object table td template th", inButton)
	block("applet caption marquee object td template th", inA)
	block("applet article aside blockquote button caption center dd details dir dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup iframe li listing main marquee menu nav noembed noframes noscript object ol plaintext pre script search section select style summary table tbody td template textarea tfoot th thead title tr ul xmp", inItem|inTerm)
	for name, what := range map[string]ancestors{"p": inParagraph, "li": inItem, "dt": inTerm, "dd": inTerm, "a": inA, "button": inButton, "form": inForm, "select": inSelect, "svg": inSVG, "template": inTemplate} {
		get(name).sets = what
	}
	for name, t := range map[string]tag{
		"a": tagA, "area": tagArea, "base": tagBase, "body": tagBody, "caption": tagCaption, "col": tagCol, "colgroup": tagColgroup, "dd": tagTerm, "desc": tagDescription,
		"dt": tagTerm, "form": tagForm, "frame": tagFrame, "h1": tagH1, "head": tagHead, "html": tagHTML, "iframe": tagFrame, "image": tagImage, "img": tagImg, "li": tagItem,
		"link": tagLink, "meta": tagMeta, "noscript": tagNoscript, "optgroup": tagOptgroup, "option": tagOption, "p": tagParagraph, "plaintext": tagPlaintext, "ruby": tagRuby, "script": tagScript,
		"select": tagSelect, "style": tagStyle, "svg": tagSVG, "table": tagTable, "template": tagTemplate, "title": tagTitle, "tr": tagRow,
	} {
		get(name).tag = t
	}
	return index
}()

var imgElement = elementOf([]byte("img"))

// elementOf returns what is known about elements by a name in lower case.
func elementOf(name []byte) *element {
	for at := hash(name); ; at = (at + 1) % places {
		if e := elements[at]; e == nil {
			return unknown
		} else if e.name == string(name) {
			return e
		}
	}
}

// hash returns the first place of a name, which is not empty, in elements.
func hash(name []byte) uint32 {
	n := len(name)
	return (uint32(name[0])*31 + uint32(name[n-1])*7 + uint32(name[n/2])*131 + uint32(n)*59) % places
}
